"""The status line."""

from app.ui.status.status import Status

__all__ = ["Status"]
