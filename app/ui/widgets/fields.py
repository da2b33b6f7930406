"""Fields that can hold a value, no value, or several values at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QIcon, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QButtonGroup,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.theme import GRID, HALF, theme


class _Mixed:
    """The value of a field that shows several blocks which differ."""

    def __repr__(self) -> str:
        return "MIXED"


MIXED: Final = _Mixed()


def common(values: Sequence[Any]) -> Any:
    """The one value all share, else MIXED; None for no values."""
    if not values:
        return None
    return values[0] if all(each == values[0] for each in values[1:]) else MIXED


def indent(field: QAbstractSpinBox) -> None:
    """Style sheets do not move the text of a number field off its border."""
    field.lineEdit().setTextMargins(7, 0, 0, 0)


class OptionalNumber(QDoubleSpinBox):
    """A number, or none: then what holds instead is shown ("Model’s 0.6"). Below the smallest number lies none.

    Signals:
        edited(float or None): a person changed it.
    """

    edited = Signal(object)

    def __init__(self, name: str, least: float, most: float, step: float, decimals: int, suffix: str = "") -> None:
        super().__init__()
        self._least = least
        self._default = least
        self._showing = False
        self.setAccessibleName(name)
        self.setDecimals(decimals)
        self.setSingleStep(step)
        self.setRange(least - step, most)
        self.setSuffix(suffix)
        self.setKeyboardTracking(False)
        indent(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumWidth(72)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.valueChanged.connect(self._changed)

    def show_value(self, value: Any, default_words: str, default: float) -> None:
        """Show a number, None (as `default_words`) or MIXED, without `edited`."""
        self._showing = True
        self._default = default
        self.setSpecialValueText(self.tr("Several values") if value is MIXED else default_words or " ")
        self.setValue(self.minimum() if value is None or value is MIXED else float(value))
        self._showing = False

    def stepBy(self, steps: int) -> None:
        if self.value() < self._least:
            self.setValue(self._default + steps * self.singleStep())
        else:
            super().stepBy(steps)

    def wheelEvent(self, event: QWheelEvent) -> None:
        # A wheel that scrolls the panel must not change what it passes over.
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def _changed(self, value: float) -> None:
        if not self._showing:
            none = value < self._least
            self.edited.emit(None if none else round(value, self.decimals()))


class Choice(QComboBox):
    """One of several values, or MIXED, which is shown but cannot be chosen.

    Signals:
        edited(value): a person chose.
    """

    edited = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMaxVisibleItems(16)
        self.activated.connect(lambda index: self.edited.emit(self.itemData(index)))

    def show_values(self, entries: Sequence[tuple[str, Any, QIcon | None]], value: Any) -> None:
        """Fill anew and show `value`; a value that is not among the entries is shown as missing."""
        self.blockSignals(True)
        self.clear()
        for text, data, icon in entries:
            if icon is None:
                self.addItem(text, data)
            else:
                self.addItem(icon, text, data)
        if value is MIXED:
            self.setCurrentIndex(-1)
            self.setPlaceholderText(self.tr("Several values"))
        else:
            index = next((at for at, each in enumerate(entries) if each[1] == value), -1)
            self.setPlaceholderText(self.tr("Missing: choose another"))
            self.setCurrentIndex(index)
        self.blockSignals(False)

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        super().initStyleOption(option)
        # A style sheet has the text end in the middle of a letter where there is no room for it.
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        room = field.width() - (0 if option.currentIcon.isNull() else option.iconSize.width() + HALF)
        option.currentText = option.fontMetrics.elidedText(option.currentText, Qt.TextElideMode.ElideRight, room)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Segments(QWidget):
    """A few choices side by side.

    Signals:
        edited(value): a person chose.
    """

    edited = Signal(object)

    def __init__(self, name: str, choices: Sequence[tuple[str, Any]]) -> None:
        super().__init__()
        self.setAccessibleName(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self.buttons: dict[Any, QPushButton] = {}
        for at, (text, value) in enumerate(choices):
            button = QPushButton(text)
            button.setCheckable(True)
            button.setProperty("kind", "segment")
            button.setProperty("place", "first" if at == 0 else "last" if at == len(choices) - 1 else "middle")
            button.setAccessibleName(f"{name}: {text}")
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            button.clicked.connect(lambda _=False, value=value: self.edited.emit(value))
            self._group.addButton(button)
            self.buttons[value] = button
            row.addWidget(button, 1)

    def show_value(self, value: Any) -> None:
        self._group.setExclusive(False)
        for own, button in self.buttons.items():
            button.setChecked(own == value)
        self._group.setExclusive(True)


class TextField(QPlainTextEdit):
    """A few lines of text; told when the field is left or Return is pressed with Ctrl.

    Signals:
        edited(str)
    """

    edited = Signal(str)

    def __init__(self, name: str, lines: int = 2) -> None:
        super().__init__()
        self.setObjectName("field")
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self._shown = ""
        self.setFixedHeight(int(self.fontMetrics().lineSpacing() * lines + 18))

    def show_value(self, value: Any, placeholder: str) -> None:
        text = value if isinstance(value, str) else ""
        self.setPlaceholderText(self.tr("Several values") if value is MIXED else placeholder)
        if text != self.toPlainText():
            self.setPlainText(text)
        self._shown = text

    def focusOutEvent(self, event: QEvent) -> None:
        super().focusOutEvent(event)
        self.commit()

    def commit(self) -> None:
        """Tell what was typed, if it differs from what was shown."""
        if self.toPlainText() != self._shown:
            self._shown = self.toPlainText()
            self.edited.emit(self._shown)


class Section(QWidget):
    """A heading with rows beneath it, which can be folded when `foldable`."""

    def __init__(self, title: str, *, foldable: bool = False, open_: bool = True) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(HALF)
        self._body = QWidget()
        self._grid = QGridLayout(self._body)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GRID)
        self._grid.setVerticalSpacing(GRID)
        self._grid.setColumnMinimumWidth(0, 84)
        self._grid.setColumnStretch(1, 1)
        if foldable:
            self._head = QToolButton()
            self._head.setText(title)
            self._head.setProperty("kind", "section")
            self._head.setCheckable(True)
            self._head.setChecked(open_)
            self._head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            self._head.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._head.toggled.connect(self._fold)
            theme().changed.connect(self._tint)
            column.addWidget(self._head, 0, Qt.AlignmentFlag.AlignLeft)
            self._fold(open_)
        elif title:
            heading = QLabel(title)
            heading.setProperty("role", "heading")
            column.addWidget(heading)
        column.addWidget(self._body)

    def add_row(self, label: str, field: QWidget, *more: QWidget) -> QLabel:
        """A labelled row; further widgets stand to the right of the field."""
        row = self._grid.rowCount()
        words = QLabel(label)
        words.setProperty("role", "soft")
        words.setBuddy(field)
        self._grid.addWidget(words, row, 0)
        if more:
            holder = QWidget()
            line = QHBoxLayout(holder)
            line.setContentsMargins(0, 0, 0, 0)
            line.setSpacing(HALF)
            line.addWidget(field, 1)
            for each in more:
                line.addWidget(each)
            self._grid.addWidget(holder, row, 1)
        else:
            self._grid.addWidget(field, row, 1)
        return words

    def add_wide(self, widget: QWidget) -> None:
        self._grid.addWidget(widget, self._grid.rowCount(), 0, 1, 2)

    def set_open(self, open_: bool) -> None:
        self._head.setChecked(open_)

    def _tint(self) -> None:
        self._fold(self._head.isChecked())

    def _fold(self, open_: bool) -> None:
        self._body.setVisible(open_)
        self._head.setIcon(theme().icon("chevron-down" if open_ else "chevron-right"))


def rule() -> QFrame:
    """A thin line between sections."""
    line = QFrame()
    line.setProperty("role", "rule")
    return line
