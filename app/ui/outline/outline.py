"""The outline: chapters and scenes, to jump to, fold, move, make and export."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QStackedLayout, QToolButton, QTreeWidgetItem, QWidget

from app.model.block import Block
from app.model.commands import MoveBlocks
from app.model.outline import Chapter, Scene, outline
from app.services.programme import is_spoken
from app.ui.editor.block_info import estimate_s, heard_s
from app.ui.outline.parts_tree import PART_ROLE, PartsTree, part_item
from app.ui.slices import Slices
from app.ui.studio import Studio
from app.ui.theme import theme
from app.ui.throttle import Debounce
from app.ui.widgets.dock import small_button
from app.ui.widgets.empty_state import EmptyState

REFRESH_MS = 250
_BLOCKS_AT_ONCE = 20


class Outline(QWidget):
    """Follows the script; a person's folding is kept while chapters keep their ids.

    Signals:
        render_requested(tuple of ids), export_requested(tuple of ids): of one chapter or scene.
    """

    render_requested = Signal(tuple)
    export_requested = Signal(tuple)

    def __init__(self, studio: Studio) -> None:
        super().__init__()
        self._studio = studio
        self._folded: set[str] = set()
        self._shown: Any = None
        self._figures: dict[str, tuple[Block, tuple[float, int, int]]] = {}  # of blocks that did not change since
        self._disconnects: list[Callable[[], None]] = []
        self.setAccessibleName(self.tr("Outline"))
        self.setMinimumWidth(180)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(
            EmptyState(
                "outline",
                self.tr("No chapters yet"),
                self.tr("Begin a line with # to start a chapter, or with ## to start a scene."),
                small=True,
            )
        )
        self.tree = PartsTree(self)
        self.tree.setAccessibleName(self.tr("Chapters and scenes"))
        self.tree.itemClicked.connect(lambda item, _: self._jump(item))
        self.tree.itemActivated.connect(lambda item, _: self._jump(item))
        self.tree.itemCollapsed.connect(lambda item: self._folded.add(_key(item.data(0, PART_ROLE))))
        self.tree.itemExpanded.connect(lambda item: self._folded.discard(_key(item.data(0, PART_ROLE))))
        self.tree.customContextMenuRequested.connect(self._open_menu)
        self.tree.moved.connect(self.move)
        self._stack.addWidget(self.tree)
        self._slices = Slices(self)
        self._soon = Debounce(self.refresh, REFRESH_MS, self)
        studio.project_replaced.connect(self._attach)
        studio.block_state_changed.connect(self._state_changed)
        for signal in (studio.card_changed, studio.engine_ready, studio.services_changed):
            signal.connect(self._all_changed)
        studio.current_block_changed.connect(self._mark_current)
        theme().changed.connect(self.tree.viewport().update)
        self._attach()

    def title_buttons(self) -> list[QToolButton]:
        """For the dock's title bar."""
        button = small_button("add", self.tr("New chapter at the caret"))
        button.clicked.connect(lambda: self._studio.actions.trigger("make_chapter"))
        return [button]

    def _attach(self) -> None:
        for disconnect in self._disconnects:
            disconnect()
        project = self._studio.project
        self._shown = None
        self._disconnects = (
            [
                project.blocks_changed.connect(lambda *_: self._soon()),
                project.block_changed.connect(lambda _: self._soon()),
                project.takes_changed.connect(self._state_changed),
                project.settings_changed.connect(self._all_changed),
                project.voices_changed.connect(self._all_changed),
            ]
            if project is not None
            else []
        )
        self._figures.clear()
        self.refresh()

    def _state_changed(self, block_id: str) -> None:
        self._figures.pop(block_id, None)
        self._soon()

    def _all_changed(self) -> None:
        self._figures.clear()
        self._soon()

    def refresh(self) -> None:
        """Read the outline again, of a whole book bit by bit; the tree is rebuilt only when it differs."""
        self._slices.start(self._refreshing())

    def _refreshing(self) -> Iterator[None]:
        project = self._studio.project
        chapters = outline(project) if project is not None else ()
        titled = any(chapter.block_id is not None or chapter.scenes for chapter in chapters)
        self._stack.setCurrentIndex(1 if titled else 0)
        if not titled:
            self.tree.clear()
            self._shown = None
            return
        blocks, figures = list(project.blocks), []
        for number, block in enumerate(blocks, 1):
            figures.append(self._figures_of(block))
            if number % _BLOCKS_AT_ONCE == 0:
                yield

        if len(self._figures) > 2 * len(blocks):
            kept = ((block.id, self._figures.get(block.id)) for block in blocks)
            self._figures = {block_id: each for block_id, each in kept if each is not None}  # of lines that are there

        def of(part: Chapter | Scene) -> tuple[float, int, int]:
            """(seconds, spoken blocks that are ready, spoken blocks) of a part."""
            mine = figures[part.first : part.end]
            return round(sum(each[0] for each in mine)), sum(each[1] for each in mine), sum(each[2] for each in mine)

        shown = tuple(
            (chapter, of(chapter), tuple((scene, of(scene)) for scene in chapter.scenes)) for chapter in chapters
        )
        if shown != self._shown:
            if self.tree.dragging:
                self._soon()  # what is dragged stays what it is
                return
            self._shown = shown
            self._build(shown)
        self._mark_current(self._studio.current_block)

    def _figures_of(self, block: Block) -> tuple[float, int, int]:
        """(seconds, whether it is ready, whether it is spoken) of a block, kept while it and its state are the same."""
        kept = self._figures.get(block.id)
        if kept is None or kept[0] is not block:
            kept = self._figures[block.id] = (block, self._look_at(block))
        return kept[1]

    def _look_at(self, block: Block) -> tuple[float, int, int]:
        project = self._studio.project
        if not project.has_block(block.id) or not is_spoken(project, block):
            return 0.0, 0, 0
        state = self._studio.block_state(block.id)
        take = project.takes.get(block.chosen) if block.chosen else None
        if state == "wordless":
            return estimate_s(project, block), 0, 0
        if state in ("ready", "locked", "suspicious") and take is not None:
            return heard_s(self._studio, block, take), int(state != "suspicious"), 1
        return estimate_s(project, block), 0, 1

    def _build(self, shown: Any) -> None:
        scroll = self.tree.verticalScrollBar().value()
        before = self.tree.currentItem()
        current = _key(before.data(0, PART_ROLE)) if before is not None else None
        self.tree.blockSignals(True)
        self.tree.clear()
        number = 0
        for chapter, figures, scenes in shown:
            if chapter.block_id is not None:
                number += 1
            title = chapter.title or (self.tr("Beginning") if chapter.block_id is None else self.tr("Untitled chapter"))
            item = part_item(f"{number}  {title}" if chapter.block_id is not None else title, chapter, figures)
            if chapter.block_id is None:
                item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsDragEnabled)
            self.tree.addTopLevelItem(item)
            for scene, scene_figures in scenes:
                child = part_item(scene.title or self.tr("Untitled scene"), scene, scene_figures)
                child.setFlags(child.flags() & ~Qt.ItemFlag.ItemIsDragEnabled & ~Qt.ItemFlag.ItemIsDropEnabled)
                item.addChild(child)
            item.setExpanded(_key(chapter) not in self._folded)
            for each in (item, *map(item.child, range(item.childCount()))):
                if _key(each.data(0, PART_ROLE)) == current:
                    self.tree.setCurrentItem(each)
        self.tree.blockSignals(False)
        self.tree.verticalScrollBar().setValue(scroll)

    def _mark_current(self, block_id: str) -> None:
        project = self._studio.project
        if not block_id or project is None or not project.has_block(block_id) or self.tree.hasFocus():
            return
        index = project.index(block_id)
        found: QTreeWidgetItem | None = None
        for row in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(row)
            part = item.data(0, PART_ROLE)
            if part.first <= index < part.end:
                found = item
                for child_row in range(item.childCount() if item.isExpanded() else 0):
                    scene = item.child(child_row).data(0, PART_ROLE)
                    if scene.first <= index < scene.end:
                        found = item.child(child_row)
        self.tree.setCurrentItem(found)

    # Deeds

    def _now(self, part: Chapter | Scene) -> Chapter | Scene | None:
        """Where it is in the script by now: the tree follows a moment later."""
        every = (each for chapter in outline(self._studio.project) for each in (chapter, *chapter.scenes))
        return next((each for each in every if type(each) is type(part) and each.block_id == part.block_id), None)

    def _jump(self, item: QTreeWidgetItem) -> None:
        part = self._now(item.data(0, PART_ROLE))
        if part is not None and part.first < len(self._studio.project.blocks):
            self._studio.jump_requested.emit(self._studio.project.blocks[part.first].id)

    def ids_of(self, part: Chapter | Scene) -> tuple[str, ...]:
        now = self._now(part)
        return tuple(block.id for block in self._studio.project.blocks[now.first : now.end]) if now else ()

    def move(self, source: int, target: int) -> None:
        """Move the chapter at tree row `source` so that it stands at row `target`."""
        shown = [self.tree.topLevelItem(row).data(0, PART_ROLE) for row in range(self.tree.topLevelItemCount())]
        chapters = outline(self._studio.project)
        if [each.block_id for each in shown] != [each.block_id for each in chapters]:
            self.refresh()  # the rows are of other chapters than a person saw
            return
        if source == target or not 0 <= source < len(chapters) or not 0 <= target < len(chapters):
            return
        moved = chapters[source]
        order = [chapter for at, chapter in enumerate(chapters) if at != source]
        to = sum(chapter.end - chapter.first for chapter in order[:target])
        if chapters[0].block_id is None and target == 0:
            return
        self._studio.do(MoveBlocks(moved.first, moved.end - moved.first, to))
        self.refresh()

    def _open_menu(self, at: QPoint) -> None:
        item = self.tree.itemAt(at)
        if item is None:
            return
        part = item.data(0, PART_ROLE)
        row = self.tree.indexOfTopLevelItem(item)
        menu = QMenu(self)
        menu.addAction(theme().icon("queue"), self.tr("Make what is missing")).triggered.connect(
            lambda: self.render_requested.emit(self.ids_of(part))
        )
        menu.addAction(theme().icon("export"), self.tr("Export…")).triggered.connect(
            lambda: self.export_requested.emit(self.ids_of(part))
        )
        if row >= 0 and part.block_id is not None:
            menu.addSeparator()
            up = menu.addAction(theme().icon("chevron-up"), self.tr("Move up"))
            up.triggered.connect(lambda: self.move(row, row - 1))
            up.setEnabled(row > 0 and self.tree.topLevelItem(row - 1).data(0, PART_ROLE).block_id is not None)
            down = menu.addAction(theme().icon("chevron-down"), self.tr("Move down"))
            down.triggered.connect(lambda: self.move(row, row + 1))
            down.setEnabled(row + 1 < self.tree.topLevelItemCount())
        menu.exec(self.tree.viewport().mapToGlobal(at))
        menu.deleteLater()


def _key(part: Chapter | Scene) -> str:
    return part.block_id or ""
