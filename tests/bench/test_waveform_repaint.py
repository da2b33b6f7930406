"""What a repaint of a ten-hour programme costs the window's thread, far and near."""

from __future__ import annotations

import time

import numpy as np
import pytest
from tone_studio import ToneStudio

from app.services.overview import Overview
from app.ui.waveform import Waveform

pytestmark = pytest.mark.bench
LINES = 5_000


@pytest.mark.parametrize("seen_s", [36_000, 7_200, 1_800, 300, 10])
def test_ten_hours_are_drawn(qapp, tmp_path, qtbot, seen_s):
    tones = ToneStudio(
        tmp_path,
        "\n".join(
            "Some words of a line that is spoken for some six seconds or so, and more." + " word" * 8
            for _ in range(LINES)
        ),
    )
    shape = Overview()
    rng = np.random.default_rng(1)
    shape.add(rng.uniform(-0.5, 0.5, (7 * 48_000, 2)).astype(np.float32))
    tones.studio.renderer.shape = lambda _block: shape
    widget = Waveform(tones.studio)
    qtbot.addWidget(widget)
    widget.resize(1440, 170)
    widget.show()
    qtbot.waitExposed(widget)
    total_s = widget._playback.timeline.total_s
    times = []
    for step in range(30):
        start_s = max(0.0, (total_s - seen_s) * step / 30)
        began = time.thread_time()
        widget.box.show_stretch(start_s, start_s + min(seen_s, total_s) * (1 - step / 100))
        widget.item.refresh()
        widget.item._draw(1424.0, 140.0, 1.0)
        times.append(1000 * (time.thread_time() - began))
    print(f"\n{total_s / 3600:.1f} h, {seen_s} s seen: median {sorted(times)[15]:.1f} ms, worst {max(times):.1f} ms")
    began = time.thread_time()
    widget._playback.timeline.invalidate(everything=True)
    _ = widget._playback.timeline.total_s
    print(f"timeline of {LINES} lines made anew: {1000 * (time.thread_time() - began):.1f} ms")
    began = time.thread_time()
    widget._playback.timeline.touch(tones.ids[77])
    _ = widget._playback.timeline.total_s
    print(f"timeline after one change: {1000 * (time.thread_time() - began):.1f} ms")
    assert times
    tones.close()
