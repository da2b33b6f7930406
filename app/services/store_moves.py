"""Save As and Compact of an open project, while it is worked on."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.model.block import new_id
from app.model.checks import to_json_text
from app.model.commands import Command, Compound, DropTake
from app.model.errors import ProjectError
from app.services import store_copy, store_names
from app.services.store_file import open_to_write
from app.services.store_lock import Lock
from app.services.store_network import copy_for
from app.services.store_rows import write_meta
from app.services.store_schema import connect
from app.services.store_snapshots import snapshot_texts

if TYPE_CHECKING:
    from app.services.store import ProjectStore
    from app.services.store_writer import Writer

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Compacted:
    """Size of a project before and after it was compacted."""

    bytes_before: int
    bytes_after: int


def save_as(store: ProjectStore, writer: Writer, target: Path, progress: Progress | None) -> None:
    """Copy the project to another file and go on in that. See `ProjectStore.save_as`."""
    target = target.absolute()
    if target == store.path:
        store.flush_or_raise()
        return
    store_names.check_name(target)
    lock = Lock(target)
    copy = copy_for(store.paths, target)
    if copy is not None:
        copy.begin()
    file = copy.file if copy is not None else target
    store_copy.remove_parts(file)
    part = store_copy.part_of(file)

    def job(connection: sqlite3.Connection | None) -> None:
        def tick(fraction: float) -> None:
            writer.pump()
            if progress is not None:
                progress(fraction)

        if connection is not None and writer.trouble is None:
            store_copy.copy_to(connection, part, tick)
        else:
            # The old file does not take what is in memory: what can be read of its audio, and all else from memory.
            source = connection or _readable(store.file)
            store_copy.rebuild_to(source, part, lambda _: True, tick, writer.whole_state(), in_need=True)
        if not store.is_untitled:
            _give_new_id(part)
        store_copy.settle(part, file)
        lock.hold_file(file)
        if copy is not None:
            copy.publish()  # a network that does not take it is told now, while the project is still the old one
        with store.takes.released():
            writer.switch(file, lambda: None)
        store.take_over(lock, target, copy)

    try:
        writer.call(job, anyway=True).result()
    except BaseException as error:
        store_copy.discard(part)
        if store.path != target:
            lock.release()
            if copy is not None:
                copy.remove()
        if isinstance(error, (OSError, sqlite3.Error)):
            raise ProjectError(
                f"The project cannot be saved as {target} ({error}).",
                "Choose another place; the project itself is unchanged.",
            ) from error
        raise


def save_copy(store: ProjectStore, target: Path, progress: Progress | None) -> None:
    """Save a project that is open read-only, with what was changed in memory, and go on writing it."""
    target = target.absolute()
    if target == store.path:
        raise ProjectError(f"{target.name} is open read-only.", "Choose another name.")
    store_names.check_name(target)
    lock = Lock(target)
    copy = copy_for(store.paths, target)
    part = None
    try:
        if copy is not None:
            copy.begin()
        file = copy.file if copy is not None else target
        store_copy.remove_parts(file)
        part = store_copy.part_of(file)
        store.id = new_id()
        source = _readable(store.file)
        try:
            store_copy.rebuild_to(source, part, lambda _: True, progress or (lambda fraction: None), store.state())
        finally:
            if source is not None:
                source.close()
        store_copy.settle(part, file)
        lock.hold_file(file)
        connection = open_to_write(file)
    except (OSError, sqlite3.Error) as error:
        lock.release()
        raise ProjectError(f"The project cannot be saved as {target} ({error}).", "Choose another place.") from error
    except BaseException:
        lock.release()
        raise
    finally:
        if part is not None:
            store_copy.discard(part)
    with store.takes.released():
        store.take_over(lock, target, copy)
    store.begin_writing(connection)


def compact(store: ProjectStore, writer: Writer, progress: Progress | None) -> Callable[[], Compacted]:
    """See `ProjectStore.compact`."""
    # Only handed over here: to read a long history takes seconds, and those belong into the background.
    seen = [step.command for step in store.history.steps]

    def rewrite() -> Compacted:
        part = store_copy.part_of(store.file)
        gone: set[str] = set()

        def job(connection: sqlite3.Connection) -> Compacted:
            def tick(fraction: float) -> None:
                writer.pump()
                if progress is not None:
                    progress(fraction)

            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            before = _bytes(store.file)
            store_copy.rebuild_to(connection, part, lambda take: take not in gone, tick)
            with store.takes.released():
                writer.switch(store.file, lambda: store_copy.settle(part, store.file))
            store.hold_file()
            return Compacted(before, _bytes(store.file))

        try:
            kept = store_copy.identifiers_in(_texts(seen))
            kept |= store_copy.identifiers_in(writer.call(snapshot_texts).result())
            gone = writer.call(_takes_with_audio).result()  # first, so that nothing that is made later is in it
            gone -= store.on_its_thread(lambda: _forget(store, kept, seen))
            return writer.call(job).result()
        except BaseException as error:
            store_copy.discard(part)
            if isinstance(error, (OSError, sqlite3.Error)):
                store_names.explain(store.path, error, "Save the project under a shorter name.")
                raise ProjectError(
                    f"{store.path.name} cannot be compacted now ({error}).", "Nothing was changed; try again later."
                ) from error
            raise

    return rewrite


def _forget(store: ProjectStore, kept: set[str], seen: Sequence[Command | str]) -> set[str]:
    """Take out of the project the takes that nothing refers to; returns the ids whose audio stays besides `kept`.

    Args:
        kept: what the steps `seen` and the snapshots refer to; steps that came since are looked at here.
    """
    project = store.project
    known = {id(command) for command in seen}
    since = [step.command for step in store.history.steps if id(step.command) not in known]
    kept = kept | store_copy.identifiers_in(_texts(since))
    dead = [
        take.id
        for take in project.takes.values()
        if not project.has_block(take.block_id)
        and take.block_id not in kept
        and take.id not in kept
        and take.state != "making"
    ]
    if dead:
        store.history.note(Compound(tuple(DropTake(each) for each in dead), "Compact"))
    return kept | set(project.takes)


def _takes_with_audio(connection: sqlite3.Connection) -> set[str]:
    return {take for (take,) in connection.execute("SELECT DISTINCT take FROM segments")}


def _texts(commands: Sequence[Command | str]) -> list[str]:
    return [each if isinstance(each, str) else to_json_text(each.to_json()) for each in commands]


def _readable(path: Path) -> sqlite3.Connection | None:
    try:
        return connect(path)
    except sqlite3.Error:
        return None


def _give_new_id(part: Path) -> None:
    """A copy of a named project is another project."""
    connection = connect(part, write=True)
    try:
        write_meta(connection, "project", new_id())
    finally:
        connection.close()


def _bytes(path: Path) -> int:
    return os.stat(path).st_size
