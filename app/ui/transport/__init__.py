"""The transport: play, stop, previous, next, record, time and meters."""

from app.ui.transport.playback import Playback, playback_of
from app.ui.transport.transport import Transport

__all__ = ["Playback", "Transport", "playback_of"]
