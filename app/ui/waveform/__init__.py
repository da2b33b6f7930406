"""The waveform of the programme."""

from app.ui.waveform.waveform import Waveform

__all__ = ["Waveform"]
