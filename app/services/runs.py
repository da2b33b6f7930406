"""One synthesis of the run log, and figures over many."""

from __future__ import annotations

from dataclasses import dataclass

from engine import StopReason

SUSPICIOUS = frozenset({StopReason.RUNAWAY.value, StopReason.EARLY_END.value, StopReason.LENGTH.value})


@dataclass(frozen=True)
class Run:
    """One synthesis.

    Attributes:
        at_s: when it ended, seconds since 1970. text_hash: tells equal texts apart from others, and only in this
        profile.
        characters: length of the text; text: itself, where the person keeps it. voice: hash of the clip, "" the
        model's own.
        settings: JSON of sampling, length, instruction and priority. take: label of the request (id of a take).
        ttfa_ms, rtf, waited_ms: see SpeechResult; None where there was no sound.
        stop_reason: see StopReason. warnings: JSON list of codes. error: why it failed, "" when it did not.
        audio: file name, where the person keeps sound.
    """

    at_s: float
    text_hash: str
    characters: int
    text: str | None
    voice: str
    model: str
    language: str
    settings: str
    seed: int
    seconds: float
    frames: int
    ttfa_ms: float | None
    rtf: float | None
    waited_ms: float | None
    stop_reason: str
    warnings: str
    error: str
    take: str
    audio: str | None = None
    id: int = 0

    @property
    def outcome(self) -> str:
        """done, suspicious, failed or cancelled."""
        if self.stop_reason == StopReason.STOP.value:
            return "done"
        if self.stop_reason in SUSPICIOUS:
            return "suspicious"
        return self.stop_reason


@dataclass(frozen=True)
class Summary:
    """Figures over some time: how many runs, how many of each outcome, seconds of sound, medians of the speeds."""

    runs: int = 0
    done: int = 0
    suspicious: int = 0
    failed: int = 0
    cancelled: int = 0
    seconds: float = 0.0
    rtf: float | None = None
    ttfa_ms: float | None = None

    @property
    def judged(self) -> int:
        """Runs that somebody waited for."""
        return self.runs - self.cancelled

    @property
    def failure_rate(self) -> float:
        return self.failed / self.judged if self.judged else 0.0

    @property
    def suspicious_rate(self) -> float:
        return self.suspicious / self.judged if self.judged else 0.0
