"""Which model speaks, on which device; another one is loaded behind the window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFileDialog, QListWidget, QListWidgetItem, QWidget

from app.services.model_choice import STARTER, installed_models
from app.ui.engine_loader import EngineLoader
from app.ui.studio import Studio
from app.ui.theme import theme
from app.ui.widgets.dialog import Dialog, card, note
from app.ui.widgets.fields import Section, Segments
from engine.card import FULL_SIZE_CARD, read_card
from engine.errors import SpeechError


class ModelsDialog(Dialog):
    """Lists what is installed; a folder with a checkpoint can be opened as well."""

    def __init__(self, studio: Studio, loader: EngineLoader, state: Any, parent: QWidget) -> None:
        super().__init__(
            parent,
            QCoreApplication.translate("ModelsDialog", "Models"),
            QCoreApplication.translate("ModelsDialog", "The model that speaks. Takes you have stay as they are."),
            width=600,
        )
        self._studio = studio
        self._loader = loader
        self._state = state
        frame, inside = card(margins=4)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Installed models"))
        self.list.setMinimumHeight(140)
        self.list.currentItemChanged.connect(self._show)
        inside.addWidget(self.list)
        self.body.addWidget(frame, 1)
        self._facts = note("", "small")
        self.body.addWidget(self._facts)
        section = Section("")
        self.device = Segments(
            self.tr("Device"),
            ((self.tr("The best there is"), "auto"), ("CPU", "cpu"), (self.tr("Graphics card"), "cuda")),
        )
        self.device.show_value(state.device)
        self.device.edited.connect(self._choose_device)
        section.add_row(self.tr("Device"), self.device)
        self.body.addWidget(section)
        self.message = note("", "warning")
        self.body.addWidget(self.message)
        self.add_button(self.tr("Open a folder…"), left=True).clicked.connect(self._browse)
        self.add_button(self.tr("Close")).clicked.connect(self.accept)
        self.use = self.add_button(self.tr("Use this model"), primary=True)
        self.use.clicked.connect(self._use)
        studio.engine_failed.connect(self._failed)
        self._fill()

    def _fill(self) -> None:
        self.list.clear()
        models = installed_models(self._studio.paths)
        chosen = self._state.model or STARTER
        if chosen not in models and Path(chosen).is_dir():
            models[chosen] = Path(chosen)
        for name, folder in models.items():
            try:
                model_card = read_card(folder) or FULL_SIZE_CARD
            except SpeechError:
                continue
            item = QListWidgetItem(theme().icon("chip"), f"{model_card.name} {model_card.version}")
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setData(Qt.ItemDataRole.UserRole + 1, model_card)
            item.setToolTip(str(folder))
            self.list.addItem(item)
            if name == chosen:
                self.list.setCurrentItem(item)

    def _show(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        model_card = item.data(Qt.ItemDataRole.UserRole + 1)
        cloning = {
            "none": self.tr("no cloning"),
            "known_voices": self.tr("speaks with the voices it brings"),
            "zero_shot": self.tr("clones any voice"),
        }[model_card.cloning]
        languages = ", ".join(model_card.languages[:4]) if model_card.languages else self.tr("31 languages")
        parts = [part for part in (model_card.summary, cloning, languages, model_card.licence) if part]
        self._facts.setText(" · ".join(parts))

    def _choose_device(self, device: str) -> None:
        self._state.device = device
        self.device.show_value(device)

    def _browse(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Folder of a model"))
        if folder:
            self._load(folder)

    def _use(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self._load(item.data(Qt.ItemDataRole.UserRole))

    def _load(self, model: str) -> None:
        self.message.setText("")
        self._state.model = "" if model == STARTER else model
        self._loader.read_card(self._state.model or None)
        self._loader.load(self._state.model or None, device=self._state.device)
        self._fill()

    def _failed(self, message: str, remedy: str) -> None:
        self.message.setText(f"{message} {remedy}".strip())
