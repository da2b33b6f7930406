"""The section of the inspector on how the model draws: temperature and the like, and the seed."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.model.block import Block
from app.ui.inspector.lines import SelectedLines
from app.ui.studio import Studio
from app.ui.widgets.dock import small_button
from app.ui.widgets.fields import OptionalNumber, Section, common
from app.ui.widgets.labels import Note

MOST_SEED = 2**31 - 1


class SamplingSection(Section):
    """
    Attributes:
        numbers: a field by the name of its setting; none is the model's own. seed: none is the project's.
    """

    def __init__(self, studio: Studio, lines: SelectedLines) -> None:
        super().__init__(QCoreApplication.translate("SamplingSection", "Sampling"), foldable=True, open_=False)
        self._studio = studio
        self._lines = lines
        self.numbers: dict[str, OptionalNumber] = {
            "temperature": OptionalNumber(self.tr("Temperature"), 0.0, 5.0, 0.05, 2),
            "top_p": OptionalNumber(self.tr("Top-p"), 0.01, 1.0, 0.05, 2),
            "top_k": OptionalNumber(self.tr("Top-k"), 0, 1000, 1, 0),
            "repetition_penalty": OptionalNumber(self.tr("Repetition"), 0.5, 3.0, 0.05, 2),
        }
        tips = {
            "temperature": self.tr("Higher is livelier and less sure; 0 always takes the likeliest sound."),
            "top_p": self.tr("Only the likeliest sounds that together reach this share are drawn from; 1 is off."),
            "top_k": self.tr("Only so many of the likeliest sounds are drawn from; 0 is off."),
            "repetition_penalty": self.tr("Above 1, sounds that were there already become less likely."),
        }
        for name, field in self.numbers.items():
            field.setToolTip(tips[name])
            field.edited.connect(
                lambda value, name=name: lines.set(name, int(value) if name == "top_k" and value is not None else value)
            )
            self.add_row(field.accessibleName(), field)
        self.seed = OptionalNumber(self.tr("Seed"), 0, MOST_SEED, 1, 0)
        self.seed.setToolTip(self.tr("The same text, voice and seed sound the same again."))
        self.seed.edited.connect(lambda value: lines.set("seed", None if value is None else int(value)))
        reset = small_button("undo", self.tr("Back to the project’s seed and the model’s settings"))
        reset.clicked.connect(self._reset)
        self.add_row(self.tr("Seed"), self.seed, reset)
        self._note = Note()
        self.add_wide(self._note)

    def show_lines(self, blocks: list[Block]) -> None:
        card = self._studio.card
        for name, field in self.numbers.items():
            default = getattr(card.sampling.audio, name) if card is not None else 0.0
            words = self.tr("Model’s %1").replace("%1", f"{default:g}")
            field.show_value(common([getattr(block.settings, name) for block in blocks]), words, float(default))
            field.setEnabled(card is None or name in card.sampling_fields)
        seed = self._studio.project.settings.seed
        words = self.tr("Project’s %1").replace("%1", str(seed))
        self.seed.show_value(common([block.settings.seed for block in blocks]), words, seed)
        self.seed.setEnabled(card is None or card.seed)
        fixed = card is not None and len(card.sampling_fields) < len(self.numbers)
        self._note.say(self.tr("%1 decides the greyed ones itself.").replace("%1", card.name) if fixed else "")

    def _reset(self) -> None:
        self._lines.change(dict.fromkeys((*self.numbers, "seed")))
