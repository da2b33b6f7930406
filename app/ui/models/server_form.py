"""What a person says of one server, and what the server says of itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLineEdit,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.services.models import Models
from app.settings import Server
from app.ui.messages import local
from app.ui.models.server_voices import ServerVoices
from app.ui.studio import Studio
from app.ui.theme import GRID
from app.ui.widgets.dialog import note
from app.ui.widgets.fields import Choice, Section
from engine import ServerReport, inspect_server
from engine.errors import SpeechError


class ServerForm(QScrollArea):
    """Fields of a server. Nothing is kept before Save (which Test and Use do first).

    Attributes:
        server: as it was last saved; its id is "" while it is new.

    Signals:
        saved(Server), use_requested(Server), remove_requested(Server).
    """

    saved = Signal(object)
    use_requested = Signal(object)
    remove_requested = Signal(object)

    def __init__(self, studio: Studio, models: Models) -> None:
        super().__init__()
        self._studio, self._models = studio, models
        self.server = Server("", kind="auto")
        self.setWidgetResizable(True)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, GRID, 0)
        column.setSpacing(GRID + 4)
        self.setAccessibleName(self.tr("Speech server"))
        main = Section("")
        self.name = self._line(main, self.tr("Name"), self.tr("as you like to call it"))
        self.address = self._line(main, self.tr("Address"), "http://localhost:8000")
        self.key = self._line(main, self.tr("Key"), self.tr("none"))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.kind = Choice(self.tr("Interface"))
        self._kinds: list[Any] = [
            (self.tr("Ask the server"), "auto", None),
            ("SGLang-Omni", "sglang", None),
            ("vLLM-Omni", "vllm", None),
        ]
        main.add_row(self.tr("Interface"), self.kind)
        self.model = self._line(main, self.tr("Model"), self.tr("the server’s own"))
        column.addWidget(main)
        column.addWidget(self._more())
        row = QHBoxLayout()
        row.setSpacing(GRID)
        self.test = self._button(row, self.tr("Test"), self.ask)
        self.save = self._button(row, self.tr("Save"), self.keep)
        self.use = self._button(row, self.tr("Use"), self._use)
        self.use.setProperty("kind", "primary")
        row.addStretch(1)
        self.remove = self._button(row, self.tr("Remove"), self._ask_to_remove)
        self.remove.setProperty("kind", "danger")
        column.addLayout(row)
        self.message = note("", "error")
        self.facts = note("", "small")
        column.addWidget(self.message)
        column.addWidget(self.facts)
        self.voices = ServerVoices(studio, self.ask, lambda error: self.tell(str(error), ""))
        column.addWidget(self.voices)
        column.addStretch(1)
        self.setWidget(inside)
        self.show_server(self.server)

    def _more(self) -> Section:
        more = Section(self.tr("How it is asked"), foldable=True, open_=False)
        self.parallel = QSpinBox()
        self.parallel.setRange(1, 64)
        self.parallel.setAccessibleName(self.tr("Requests at once"))
        more.add_row(self.tr("At once"), self.parallel)
        self.form = Choice(self.tr("Form of the stream"))
        more.add_row(self.tr("Stream"), self.form)
        self.references = Choice(self.tr("How clips reach the server"))
        more.add_row(self.tr("Clips"), self.references)
        self.stereo = QCheckBox(self.tr("Stereo while listening, too (starts later)"))
        self.stereo.setToolTip(self.tr("SGLang-Omni streams in mono; whole lines come in stereo."))
        self.batch = QCheckBox(self.tr("Ask for lines that wait together in batches"))
        more.add_wide(self.stereo)
        more.add_wide(self.batch)
        return more

    def _line(self, section: Section, name: str, placeholder: str) -> QLineEdit:
        line = QLineEdit()
        line.setAccessibleName(name)
        line.setPlaceholderText(placeholder)
        section.add_row(name, line)
        return line

    @staticmethod
    def _button(row: QHBoxLayout, text: str, deed: Any) -> QPushButton:
        button = QPushButton(text)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: deed())
        row.addWidget(button)
        return button

    # -- showing ------------------------------------------------------------------------------------------------

    @property
    def is_new(self) -> bool:
        """A server is being entered that is not kept yet."""
        return not self.server.id and bool(self.address.text().strip())

    def show_server(self, server: Server) -> None:
        """Fill the fields; what the server said before is forgotten, unless it is the same one."""
        if server.id != self.server.id or not server.id:
            self.tell("", "")
            self.voices.hide()
        self.server = server
        self.name.setText(server.name)
        self.address.setText(server.address)
        self.model.setText(server.model)
        self.key.clear()
        self.key.setPlaceholderText(self.tr("unchanged") if server.id else self.tr("none"))
        self.kind.show_values(self._kinds, server.kind if server.kind in ("sglang", "vllm") else "auto")
        options = server.options
        parallel = options.get("parallel")
        self.parallel.setValue(parallel if isinstance(parallel, int) else 4)
        forms: list[Any] = [(self.tr("Samples"), "audio", None), (self.tr("Events (SSE)"), "sse", None)]
        self.form.show_values(forms, options.get("stream_format", "audio"))
        ways: list[Any] = [(self.tr("With each request"), "inline", None), (self.tr("Uploaded once"), "upload", None)]
        self.references.show_values(ways, options.get("references", "inline"))
        self.stereo.setChecked(options.get("stereo_listening") is True)
        self.batch.setChecked(options.get("use_batch") is True)
        self.remove.setVisible(bool(server.id))

    def show_in_use(self, in_use: bool) -> None:
        self.use.setText(self.tr("Connect again") if in_use else self.tr("Use"))

    def tell(self, fault: str, facts: str) -> None:
        """Show what went wrong, or what is known, below the fields."""
        self.message.setText(local(fault))
        self.message.setVisible(bool(fault))
        self.facts.setText(facts)
        self.facts.setVisible(bool(facts))

    # -- deeds --------------------------------------------------------------------------------------------------

    def entered(self) -> Server:
        """The server as the fields have it."""
        return replace(
            self.server,
            name=self.name.text().strip(),
            address=self.address.text().strip(),
            model=self.model.text().strip(),
            kind=self.kind.currentData() or "auto",
            options={
                "parallel": self.parallel.value(),
                "stream_format": self.form.currentData() or "audio",
                "references": self.references.currentData() or "inline",
                "stereo_listening": self.stereo.isChecked(),
                "use_batch": self.batch.isChecked(),
            },
        )

    def keep(self) -> bool:
        """Save what was entered; whether it is an address at all."""
        server, key = self.entered(), self.key.text().strip() or None
        spec, wrong = self._models.spec(server, key or ""), self.address
        try:
            spec.base  # noqa: B018 - refuses what is no address
            wrong = self.key
            spec.authorisation  # noqa: B018 - refuses what is no key
        except SpeechError as error:
            self.tell(str(error), "")
            wrong.setFocus()
            return False
        self.tell("", "")
        self.server = self._models.save_server(server, key)
        self.show_server(self.server)
        self.saved.emit(self.server)
        return True

    def ask(self) -> None:
        """Save, then let the server say what it is."""
        if not self.keep():
            return
        self.tell("", self.tr("Asking the server…"))
        self.test.setEnabled(False)
        server = self.server
        self._studio.tasks.run(
            lambda _: inspect_server(self._models.spec(server)),
            lambda report: self._answered(server, report),
            lambda error: self._refused(server, error),
            title=self.tr("Asking the server"),
            owner=self,
        )

    def _answered(self, server: Server, report: ServerReport) -> None:
        self.test.setEnabled(True)
        if server.id != self.server.id:
            return  # another server is shown by now
        kind = {"sglang": "SGLang-Omni", "vllm": "vLLM-Omni"}[report.kind]
        facts = [self.tr("%1 answers.").replace("%1", kind)]
        if report.models:
            facts.append(self.tr("Models: %1").replace("%1", ", ".join(report.models[:4])))
        facts += self.cannot(report)
        self.tell("", "\n".join(facts))
        self.voices.show_voices(self._models.spec(server), report.voices)

    def cannot(self, report: ServerReport) -> list[str]:
        """What this server cannot do, in words."""
        card, found = report.card, []
        if report.kind == "sglang":
            found.append(self.tr("Listening is in mono; lines made without listening are stereo."))
        if card.needs_reference:
            found.append(self.tr("It speaks only in the voice of a clip."))
        if not card.sampling_fields:
            found.append(self.tr("It ignores temperature, top-p, top-k and repetition."))
        if not card.length:
            found.append(self.tr("It ignores wanted lengths."))
        if not card.continuation:
            found.append(self.tr("Pieces of a line are not joined by continuation."))
        return found

    def _refused(self, server: Server, error: BaseException) -> None:
        self.test.setEnabled(True)
        if server.id == self.server.id:
            self.tell(str(error), "")

    def _ask_to_remove(self) -> None:
        server = self.server
        box = QMessageBox(
            QMessageBox.Icon.Question,
            self.tr("Remove a server"),
            self.tr("Remove “%1”, with its key? The server itself stays as it is.").replace(
                "%1", server.name or server.address
            ),
            QMessageBox.StandardButton.Cancel,
            self,
        )
        remove = box.addButton(self.tr("Remove"), QMessageBox.ButtonRole.DestructiveRole)
        remove.clicked.connect(lambda: self.remove_requested.emit(server))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def _use(self) -> None:
        if self.keep():
            self.tell("", self.tr("Asking the server…"))
            self.use_requested.emit(self.server)
