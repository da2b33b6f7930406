"""The look of the studio: colours by name, the 8 px grid, fonts, and icons tinted for the theme."""

from __future__ import annotations

import atexit
import json
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt, QTemporaryDir, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from app.paths import resource

GRID = 8
HALF = 4
RADIUS = 8
ICON_PX = 20

# Voice colours that keep apart on dark and light, ordered so that neighbours differ.
VOICE_COLOURS = (
    "#4fb286",
    "#e08a5b",
    "#5b9bd5",
    "#c678b4",
    "#d4b04c",
    "#56b8c4",
    "#e0717f",
    "#8f88d8",
    "#93b553",
    "#b98a6b",
    "#6fa8a0",
    "#a3a9b5",
)

# An icon is rendered at each of these pixel sizes, so that 16, 20 and 24 px icons are exact at 1x, 1.25x, 1.5x and 2x.
_ICON_SIZES_PX = (16, 20, 24, 25, 30, 32, 40, 48)


class Theme(QObject):
    """The chosen look.

    Attributes:
        mode: what the person chose: "dark", "light" or "system".
        name: what that comes to: "dark" or "light".
    Signals:
        changed(): colours are new; repaint and take icons again.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.mode = "system"
        self.name = "dark"
        self._colours: dict[str, str] = _read_colours("dark")
        self._icons: dict[tuple[str, str, str], QIcon] = {}
        self._files = QTemporaryDir()
        self._base_font: QFont | None = None
        self._following = False

    def apply(self, mode: str, points: float | None = None) -> None:
        """Dress the application. `points` is the interface font size; None keeps the system's."""
        app = QApplication.instance()
        if not self._following:
            QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)
            self._following = True
        self.mode = mode
        self.name = mode if mode in ("dark", "light") else self._system_name()
        self._colours = _read_colours(self.name)
        self._icons.clear()
        if app.style().name() != "fusion" and not app.styleSheet():
            app.setStyle("Fusion")
        if self._base_font is None:
            self._base_font = _interface_font()
        font = QFont(self._base_font)
        if points:
            font.setPointSizeF(points)
        # Every widget is polished anew by these: only when something is new.
        if font != app.font():
            app.setFont(font)
        app.setPalette(self._palette())
        sheet = self._style_sheet(font)
        if sheet != app.styleSheet():
            app.setStyleSheet(sheet)
        self.changed.emit()

    def colour(self, name: str) -> QColor:
        """A colour by its name in `resources/themes/*.json`; also takes "#rrggbb"."""
        return QColor(self._colours.get(name, name))

    def alpha(self, name: str, opacity: float) -> QColor:
        colour = self.colour(name)
        colour.setAlphaF(opacity)
        return colour

    def icon(self, name: str, colour: str = "icon", disabled: str = "icon_disabled") -> QIcon:
        """The icon `resources/icons/<name>.svg` in a colour of the theme."""
        key = (name, colour, disabled)
        if key not in self._icons:
            icon = QIcon()
            for size in _ICON_SIZES_PX:
                icon.addPixmap(_render(name, self.colour(colour).name(), size), QIcon.Mode.Normal)
                icon.addPixmap(_render(name, self.colour(disabled).name(), size), QIcon.Mode.Disabled)
            self._icons[key] = icon
        return self._icons[key]

    def kept_icon(self, key: tuple[str, str, str], make: Callable[[], QIcon]) -> QIcon:
        """An icon that is drawn once and kept until the theme changes."""
        if key not in self._icons:
            self._icons[key] = make()
        return self._icons[key]

    def paint_icon(self, painter: QPainter, rect: QRectF, name: str, colour: str | QColor = "icon") -> None:
        """Draw an icon straight into `rect`, crisp at any scale."""
        tint = colour if isinstance(colour, QColor) else self.colour(colour)
        _renderer(name, tint.name()).render(painter, rect)

    def script_font(self, family: str = "", points: float = 0) -> QFont:
        """The face the script is written in."""
        font = QFont(QApplication.font())
        if family:
            font.setFamilies([family, *font.families()])
        font.setPointSizeF(points or QApplication.font().pointSizeF() + 3)
        return font

    def small_font(self, delta: float = -1.0, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        font = QFont(QApplication.font())
        font.setPointSizeF(max(6.5, font.pointSizeF() + delta))
        font.setWeight(weight)
        return font

    def figures_font(self, delta: float = 0.0) -> QFont:
        """For times and numbers: digits of one width, so that counters do not tremble."""
        font = self.small_font(delta)
        font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def _system_name(self) -> str:
        scheme = QGuiApplication.styleHints().colorScheme()
        return "light" if scheme == Qt.ColorScheme.Light else "dark"

    def _system_changed(self, *_: object) -> None:
        if self.mode == "system" and self.name != self._system_name():
            self.apply("system", QApplication.font().pointSizeF())

    def _palette(self) -> QPalette:
        palette = QPalette()
        roles = QPalette.ColorRole
        for role, name in (
            (roles.Window, "panel"),
            (roles.Base, "base"),
            (roles.AlternateBase, "raised"),
            (roles.Button, "raised"),
            (roles.WindowText, "text"),
            (roles.Text, "text"),
            (roles.ButtonText, "text"),
            (roles.BrightText, "error"),
            (roles.ToolTipBase, "raised"),
            (roles.ToolTipText, "text"),
            (roles.PlaceholderText, "text_faint"),
            (roles.Highlight, "selection"),
            (roles.HighlightedText, "on_selection"),
            (roles.Link, "accent"),
            (roles.LinkVisited, "accent"),
            (roles.Accent, "accent"),
            (roles.Mid, "border"),
            (roles.Midlight, "border"),
            (roles.Dark, "border_strong"),
            (roles.Shadow, "shadow"),
            (roles.Light, "hover"),
        ):
            palette.setColor(role, self.colour(name))
        for role in (roles.WindowText, roles.Text, roles.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.colour("text_disabled"))
        return palette

    def _style_sheet(self, font: QFont) -> str:
        template = resource("themes", "studio.qss").read_text("utf-8")
        points = font.pointSizeF()
        values = dict(self._colours)
        values |= {
            "size_small": f"{points - 1:.1f}pt",
            "size_title": f"{points + 4:.1f}pt",
            "mono": '"' + QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family() + '"',
        }
        template = re.sub(
            r"url\(@icons/([a-z-]+)-([a-z_]+)\.svg\)", lambda match: self._tinted_file(match[1], match[2]), template
        )
        return re.sub(r"@([a-z_]+)", lambda match: values[match[1]], template)

    def _tinted_file(self, name: str, colour: str) -> str:
        """Style sheets take images from files only: write the tinted one and name it."""
        path = Path(self._files.path()) / f"{self.name}-{name}-{colour}.svg"
        if not path.exists():
            path.write_bytes(_svg(name, self.colour(colour).name()))
        return f'url("{path.as_posix()}")'


@lru_cache(maxsize=1)
def theme() -> Theme:
    """The one theme of the application."""
    # Pixmaps and renderers must be gone before Qt is: they are kept here and not by any widget.
    atexit.register(_forget_pictures)
    return Theme()


def _forget_pictures() -> None:
    theme()._icons.clear()
    _render.cache_clear()
    _renderer.cache_clear()


def icon(name: str, colour: str = "icon") -> QIcon:
    return theme().icon(name, colour)


def _read_colours(name: str) -> dict[str, str]:
    return json.loads(resource("themes", f"{name}.json").read_text("utf-8"))


@lru_cache(maxsize=512)
def _svg(name: str, colour: str) -> bytes:
    return resource("icons", f"{name}.svg").read_text("utf-8").replace("currentColor", colour).encode("utf-8")


@lru_cache(maxsize=512)
def _renderer(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_svg(name, colour)))


@lru_cache(maxsize=4096)
def _render(name: str, colour: str, size_px: int) -> QPixmap:
    pixmap = QPixmap(QSize(size_px, size_px))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    _renderer(name, colour).render(painter, QRectF(0, 0, size_px, size_px))
    painter.end()
    return pixmap


def _interface_font() -> QFont:
    """The system's own interface font; where the system has none of its own, the best of the common ones."""
    font = QFont(QApplication.font())
    here = set(QFontDatabase.families())
    families = [font.family()]
    if font.family() in ("Sans Serif", "DejaVu Sans", "Bitstream Vera Sans", "Sans", ""):
        families = [name for name in ("Inter", "Noto Sans", "Cantarell", "Ubuntu") if name in here][:1] + families
    # Han characters look Chinese unless the text says otherwise: name the family rather than leave it to chance.
    families += [name for name in ("Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei UI") if name in here]
    font.setFamilies(families)
    if font.pointSizeF() < 9:
        font.setPointSizeF(9.0)
    return font
