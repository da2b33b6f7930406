"""What an import would bring, before it does: blocks, chapters, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from app.model import checks
from app.model.errors import ProjectError

MOST_BLOCKS = checks.MAX_BLOCKS
MOST_CHARACTERS = 3_900_000  # what one edit of a script may hold; an audiobook is about a million
LONGEST_BLOCK = 200_000  # characters; a longer paragraph is cut at sentence ends


class ImportRefused(ProjectError):
    """A file cannot be imported: not what its name says, damaged, protected, or built to do harm."""


@dataclass(frozen=True)
class ImportedBlock:
    """One line of the script to be.

    Attributes:
        text: chapters begin with `# `, scenes with `## `; pauses are tags.
        speaker: the name before the colon, or of a subtitle's voice; "" is nobody in particular.
        target_s: how long it should last, or None.
        written: the text with the name, for those who do not want names to become voices.
    """

    text: str
    speaker: str = ""
    target_s: float | None = None
    written: str = ""

    @property
    def as_written(self) -> str:
        return self.written or self.text


@dataclass(frozen=True)
class ImportPreview:
    """What an import would bring.

    Attributes:
        title, author: as the file tells them; "" when it does not.
        blocks: in order.
        chapters: their titles.
        left_out: what of the file is not in `blocks`, each a phrase such as `3 pictures`.
        warnings: sentences about what a person should look at.
    """

    title: str
    blocks: list[ImportedBlock]
    chapters: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    author: str = ""

    @property
    def speakers(self) -> dict[str, int]:
        """Names that are proposed as voices, with the number of their lines, most first."""
        return dict(Counter(block.speaker for block in self.blocks if block.speaker).most_common())

    @property
    def text(self) -> str:
        return "\n".join(block.text for block in self.blocks)


class LeftOut:
    """Counts what is left out."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._phrases: list[str] = []

    def add(self, one: str, many: str, count: int = 1) -> None:
        """`one` and `many` are what one and several of these are called."""
        if count:
            self._counts[one, many] += count

    def say(self, phrase: str) -> None:
        if phrase not in self._phrases:
            self._phrases.append(phrase)

    def phrases(self) -> list[str]:
        counted = [f"{count} {one if count == 1 else many}" for (one, many), count in self._counts.items()]
        return counted + self._phrases


class Watch:
    """Ends an import that was cancelled or grows without end; parsers call `check` as they go."""

    def __init__(self, cancelled: Callable[[], bool] | None = None) -> None:
        self._cancelled = cancelled or (lambda: False)
        self.characters = 0

    def check(self, characters: int = 0) -> None:
        """Raises ImportRefused."""
        self.characters += characters
        if self.characters > MOST_CHARACTERS:
            raise ImportRefused("The text is longer than 3.9 million characters.", "Cut it into parts.")
        if self._cancelled():
            raise ImportRefused("The import was cancelled.")


def chapters_of(blocks: list[ImportedBlock]) -> list[str]:
    return [block.text[2:].strip() for block in blocks if block.text.startswith("# ")]
