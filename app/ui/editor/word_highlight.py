"""Which word is heard when, estimated: lines and exact pauses are known, words in them are guessed from the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QObject

from app.ui.editor.script_editor import ScriptEditor
from app.ui.studio import Studio
from engine.requests import SAMPLE_RATE
from engine.text.duration import character_frames
from engine.text.markup import find_tags

_WORD = re.compile(r"[^\s\u3000-\u303f\uff01-\uff0f]+")
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@lru_cache(maxsize=64)
def word_times(text: str, total_s: float) -> tuple[tuple[float, int, int], ...]:
    """(start in seconds, start, end) of the words of a block's text, for a block that lasts `total_s`.

    Pauses keep their length; what is left is shared out by the rates of MODEL §3.3. Positions count code points.
    """
    frames = character_frames(text)
    tags = find_tags(text)
    pauses_s = sum(tag.seconds or 0.0 for tag in tags if tag.kind == "pause")
    silent = [(tag.start, tag.end, tag.seconds or 0.0) for tag in tags if tag.kind in ("pause", "length", "broken")]
    for start, end, _ in silent:
        for at in range(start, end):
            frames[at] = 0.0
    spoken_s = max(0.1, total_s - pauses_s)
    scale = spoken_s / max(1e-6, sum(frames))
    words: list[tuple[float, int, int]] = []
    now, at = 0.0, 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        for here in range(at, start):
            now += frames[here] * scale + sum(seconds for first, _, seconds in silent if first == here)
        inside = next((each for each in silent if each[0] <= start < each[1]), None)
        if inside is None:
            # Han and kana have no spaces: a character is a word there.
            step = 1 if _HAN.search(match[0]) else end - start
            for first in range(start, end, step):
                words.append((now, first, min(end, first + step)))
                now += sum(frames[first : first + step]) * scale
                now += sum(seconds for begin, _, seconds in silent if first < begin < first + step)
        else:
            now += sum(seconds for first, _, seconds in silent if start <= first < end)
        at = end
    return tuple(words)


class WordHighlight(QObject):
    """Listens to the playback and marks the word in the editor; tells it where the word at the caret begins."""

    def __init__(self, studio: Studio, editor: ScriptEditor, playback: Any) -> None:
        super().__init__(editor)
        self._studio = studio
        self._editor = editor
        self._playback = playback
        playback.ticked.connect(self._tick)
        playback.caret_samples = self.caret_samples

    def caret_samples(self, block_id: str) -> int:
        """Where in the sound of a block the word at the caret begins, samples after its first speech.

        0, the whole line: the caret is elsewhere or behind the last word, or there is no take that says this text.
        """
        cursor, project = self._editor.textCursor(), self._studio.project
        row = self._editor.document().findBlock(cursor.selectionStart())
        if self._studio.renderer is None or project.blocks[row.blockNumber()].id != block_id:
            return 0
        block, states = project.block(block_id), self._studio.renderer.states
        take = states.take(block)
        if take is None or take.text != block.text or states.needs_speaking(block):
            return 0
        units = cursor.selectionStart() - row.position()
        at = len(block.text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore"))
        if at >= len(block.text.rstrip()):
            return 0
        words = word_times(block.text, round(states.length_s(block)[0], 2))
        index = bisect_right(words, at, key=lambda word: word[1]) - 1
        return round(words[index][0] * SAMPLE_RATE) if index > 0 else 0

    def _tick(self, snapshot: Any) -> None:
        place, project = snapshot.place, self._studio.project
        if place is None or project is None or not project.has_block(place.block_id) or not self._studio.playing_block:
            self._editor.show_word("", 0, 0)
            return
        block = project.block(place.block_id)
        # While a line is still being spoken its length is an estimate, too.
        total_s = self._studio.renderer.states.length_s(block)[0]
        if place.offset_samples > (total_s + 0.1) * SAMPLE_RATE:
            self._editor.show_word("", 0, 0)  # the pause after the line
            return
        words = word_times(block.text, round(total_s, 2))
        index = bisect_right(words, place.offset_samples / SAMPLE_RATE, key=lambda word: word[0]) - 1
        if index < 0:
            self._editor.show_word("", 0, 0)
            return
        _, start, end = words[index]
        units = len(block.text[:start].encode("utf-16-le")) // 2
        self._editor.show_word(block.id, units, units + len(block.text[start:end].encode("utf-16-le")) // 2)
