"""The thread that a project belongs to, for who comes from another one."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

from app.model.errors import ProjectError

T = TypeVar("T")
Deliver = Callable[[Callable[[], None]], None]
_LOOK_S = 0.2


def at_once(call: Callable[[], None]) -> None:
    """Delivery where there is one thread."""
    call()


def call_and_wait(deliver: Deliver, call: Callable[[], T], is_closed: Callable[[], bool], name: str) -> T:
    """Run `call` where `deliver` puts calls, and wait for it.

    Args:
        is_closed: whether the project was closed meanwhile: then nobody may be there any more to run it.
        name: of the project, for the message.

    Raises:
        ProjectError: the project was closed before.
    """
    future: Future[T] = Future()

    def closed() -> ProjectError:
        return ProjectError(f"{name} was closed.", "Open it and try again.")

    def run() -> None:
        if is_closed():
            future.set_exception(closed())
            return
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    deliver(run)
    while True:
        done, _ = wait([future], timeout=_LOOK_S)
        if done:
            return future.result()
        if is_closed():
            raise closed()
