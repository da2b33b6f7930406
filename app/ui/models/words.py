"""Sizes and times as people read them."""

from __future__ import annotations


def size(count: float) -> str:
    """Bytes in the unit that fits: 18.0 GB, 312 MB, 4 kB."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            value = count / factor
            return f"{value:.1f} {unit}" if value < 100 and unit == "GB" else f"{value:.0f} {unit}"
    return f"{count:.0f} B"


def duration(seconds: float) -> str:
    """1:05:00 or 4:07 or 12 s."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"
