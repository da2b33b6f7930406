"""Text that remembers, character by character, from where in the original it came."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass

FREE = 0  # ordinary text
SAID = 1  # a pronunciation somebody chose: spelled for the model, but never replaced again
TAG = 2  # a tag the model follows: nothing touches it

SourceMap = tuple[tuple[int, int, int, int], ...]
Edit = tuple[int, int, str]


@dataclass(frozen=True)
class MappedText:
    """Characters with the source range of each.

    Attributes:
        text: `n` characters.
        starts, ends: `n` ints each: character `i` came from `source[starts[i]:ends[i]]`. Never falling.
        marks: `n` bytes: FREE, SAID or TAG.
    """

    text: str
    starts: array[int]
    ends: array[int]
    marks: bytes

    @classmethod
    def empty(cls) -> MappedText:
        return cls("", array("l"), array("l"), b"")

    @classmethod
    def of_source(cls, source: str, start: int, end: int) -> MappedText:
        """`source[start:end]`, each character from itself."""
        return cls(
            source[start:end], array("l", range(start, end)), array("l", range(start + 1, end + 1)), bytes(end - start)
        )

    @classmethod
    def of_replacement(cls, text: str, start: int, end: int, mark: int) -> MappedText:
        """`text`, every character of which stands for the whole of `source[start:end]`."""
        n = len(text)
        return cls(text, array("l", [start]) * n, array("l", [end]) * n, bytes([mark]) * n)

    @classmethod
    def join(cls, parts: Iterable[MappedText]) -> MappedText:
        parts = list(parts)
        starts, ends = array("l"), array("l")
        for part in parts:
            starts.extend(part.starts)
            ends.extend(part.ends)
        return cls("".join(part.text for part in parts), starts, ends, b"".join(part.marks for part in parts))

    def __len__(self) -> int:
        return len(self.text)

    def slice(self, start: int, end: int) -> MappedText:
        return MappedText(self.text[start:end], self.starts[start:end], self.ends[start:end], self.marks[start:end])

    def may_part(self, i: int) -> bool:
        """Whether the characters around `i` come from different places: a cut there is one in the source too."""
        return not 0 < i < len(self.text) or self.ends[i - 1] <= self.starts[i]

    def stripped(self) -> MappedText:
        """Without white space at both ends."""
        start = len(self.text) - len(self.text.lstrip())
        return self.slice(start, max(start, len(self.text.rstrip())))

    def edited(self, edits: Iterable[Edit], mark: int | None = None) -> MappedText:
        """With each `(start, end, new text)` done; edits are in order and do not overlap.

        A new character stands for the source of all that was replaced; `mark` is what new characters are marked with
        (None keeps the mark of what they replace).
        """
        texts: list[str] = []
        marks: list[bytes] = []
        starts, ends = array("l"), array("l")
        done = 0
        for start, end, new in edits:
            if new == self.text[start:end] and mark is None:
                continue
            texts += (self.text[done:start], new)
            starts.extend(self.starts[done:start])
            ends.extend(self.ends[done:start])
            if end > start:
                source_start, source_end = self.starts[start], self.ends[end - 1]
            else:
                source_start = source_end = self.ends[start - 1] if start else (self.starts[0] if self.text else 0)
            starts.extend([source_start] * len(new))
            ends.extend([source_end] * len(new))
            new_mark = mark if mark is not None else (self.marks[start] if end > start else FREE)
            marks += (self.marks[done:start], bytes([new_mark]) * len(new))
            done = end
        if not texts:
            return self
        texts.append(self.text[done:])
        marks.append(self.marks[done:])
        starts.extend(self.starts[done:])
        ends.extend(self.ends[done:])
        return MappedText("".join(texts), starts, ends, b"".join(marks))

    def sub(
        self, pattern: re.Pattern[str], new: str | Callable[[re.Match[str]], str], *, limit: int = SAID
    ) -> MappedText:
        """Like `pattern.sub` on everything marked at most `limit` (SAID: all but tags; FREE: nor chosen words)."""
        edits: list[Edit] = []
        marked = self.marks.count(FREE) < len(self.marks)
        for match in pattern.finditer(self.text):
            start, end = match.span()
            if marked and max(self.marks[start:end], default=FREE) > limit:
                continue
            edits.append((start, end, new if isinstance(new, str) else new(match)))
        return self.edited(edits)

    def source_map(self) -> SourceMap:
        """Runs `(start, end, source start, source end)` of `text`: of equal length, or each character for the whole."""
        runs: list[tuple[int, int, int, int]] = []
        at = 0
        while at < len(self.text):
            end = self._exact_until(at)
            if end - at < 2:
                end = self._same_until(at)
                if 1 < end - at == self.ends[at] - self.starts[at] and not self.may_part(end):
                    end -= 1  # as long as its source by chance, and the next stands for that too: no exact run
            runs.append((at, end, self.starts[at], self.ends[end - 1]))
            at = end
        return tuple(runs)

    def _exact_until(self, at: int) -> int:
        """The end of the run from `at` in which every character stands for the next one of the source."""
        first, step = self.starts[at] - at, 64
        while at < len(self.text):
            end = min(at + step, len(self.text))
            if self.starts[at:end] == array("l", range(first + at, first + end)) and self.ends[at:end] == array(
                "l", range(first + at + 1, first + end + 1)
            ):  # whole stretches at once: hardly a character of a text is ever replaced
                at, step = end, 2 * step
            elif step == 1:
                break
            else:
                step = max(1, step // 8)
        return at

    def _same_until(self, at: int) -> int:
        """The end of the run from `at` in which every character stands for the same part of the source."""
        end = at + 1
        while end < len(self.text) and self.starts[end] == self.starts[at] and self.ends[end] == self.ends[at]:
            end += 1
        return end
