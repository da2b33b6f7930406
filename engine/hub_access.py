"""How a model hub is reached: its address, its client, and its refusals in our own words."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from engine.catalogue import Part
from engine.errors import SpeechError

OFFICIAL = "https://huggingface.co"
CHUNK_BYTES = 1 << 20


class HubError(SpeechError):
    """A download failed; what had come is kept and is gone on from. `passing`: asking again soon may help."""

    def __init__(self, message: str, remedy: str = "", *, passing: bool = False) -> None:
        super().__init__(message, remedy)
        self.passing = passing


class DownloadStopped(SpeechError):
    """A download was paused or cancelled."""

    exit_status = 5


class WrongSize(Exception):
    """A file is not as long as the hub had announced."""


@dataclass(frozen=True)
class HubOptions:
    """How the hub is reached.

    Attributes:
        mirror: address of another hub; empty takes HF_ENDPOINT, then the official one.
        proxy: address; empty takes the system's own settings.
        offline: never ask the network.
    """

    mirror: str = ""
    proxy: str = ""
    offline: bool = False

    @property
    def endpoint(self) -> str:
        return (self.mirror.strip() or os.environ.get("HF_ENDPOINT", "").strip() or OFFICIAL).rstrip("/")

    @property
    def shown(self) -> str:
        """The endpoint for people: without a name and password that it may hold."""
        scheme, apart, rest = self.endpoint.rpartition("://")
        host, slash, path = rest.partition("/")
        return f"{scheme}{apart}{host.rpartition('@')[2]}{slash}{path}"

    def check(self) -> None:
        """Raises HubError: mirror or proxy is no address that anything can be asked at."""
        if not _is_address(self.endpoint, ("http", "https")):
            remedy = f"Write one like {OFFICIAL}, or leave it empty (Models & Servers, or HF_ENDPOINT)."
            raise HubError(f"“{self.shown}” is no address of a hub.", remedy)
        if self.proxy and not _is_address(self.proxy, ("http", "https", "socks5", "socks5h")):
            raise HubError(
                f"“{self.proxy.rpartition('@')[2]}” is no address of a proxy.",
                "Write one like http://127.0.0.1:3128, or leave it empty.",
            )

    @property
    def is_offline(self) -> bool:
        given = os.environ.get("HF_HUB_OFFLINE", "").strip().upper()
        return self.offline or given in ("1", "ON", "YES", "TRUE")

    @property
    def token(self) -> bool | None:
        """A person's own token goes to the official hub alone, never to a mirror."""
        return None if self.endpoint == OFFICIAL else False


def _is_address(text: str, schemes: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(text)
        known = parts.scheme in schemes and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    return known and text.isprintable() and " " not in text and not (parts.query or parts.fragment)


class Sink:
    """The file that the client writes to: it counts, and refuses more than was announced.

    Once it is left, nothing is written any more: a client that nobody waits for may still hold it.
    """

    def __init__(self, raw: BinaryIO, size: int, came: Callable[[int], None]) -> None:
        self._raw, self._size, self._came = raw, size, came
        self._lock = threading.Lock()
        self._is_left = False

    def __enter__(self) -> Sink:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_left = True

    @contextmanager
    def _file(self) -> Iterator[BinaryIO]:
        with self._lock:
            if self._is_left:
                raise DownloadStopped("The download was stopped.")
            yield self._raw

    def write(self, data: bytes) -> int:
        with self._file() as raw:
            done = raw.tell() + len(data)
            if done > self._size:
                raise WrongSize(f"more than the announced {self._size} bytes came")
            raw.write(data)
        self._came(done)
        return len(data)

    def tell(self) -> int:
        with self._file() as raw:
            return raw.tell()

    def seek(self, place: int, whence: int = 0) -> int:
        with self._file() as raw:
            return raw.seek(place, whence)

    def truncate(self, size: int | None = None) -> int:
        with self._file() as raw:
            return raw.truncate(size)


def asked(ask: Callable[[], Any], part: Part, options: HubOptions) -> Any:
    """What the hub answers; its errors become ours."""
    from huggingface_hub import errors

    try:
        return ask()
    except (DownloadStopped, HubError, WrongSize):
        raise
    except errors.GatedRepoError as error:
        raise HubError(
            f"{part.repo_id} asks for an account.",
            f"Accept its terms at {options.shown}/{part.repo_id} and log in with `hf auth login`.",
        ) from error
    except errors.RepositoryNotFoundError as error:
        raise HubError(
            f"{options.shown} has no {part.repo_id}, or does not show it.", "Check the mirror's address."
        ) from error
    except errors.LocalEntryNotFoundError as error:
        raise http_error(error.__cause__ or error, options) from error
    except Exception as error:
        if (
            isinstance(error, OSError)
            and not isinstance(error, errors.HfHubHTTPError)
            and "Consistency check" in str(error)
        ):
            raise WrongSize(str(error).splitlines()[0]) from error
        if isinstance(error, OSError) and error.errno is not None:
            raise
        if isinstance(error, KeyError | TypeError | AttributeError | ValueError | RecursionError):
            raise HubError(
                f"{options.shown} does not answer as a hub does ({type(error).__name__}).",
                "Check the mirror's address, or try another.",
            ) from error
        raise http_error(error, options) from error


def http_error(error: BaseException, options: HubOptions) -> HubError:
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status in (401, 403):
        return HubError(
            f"{options.shown} refuses ({status}).", "Log in with `hf auth login`, or choose another mirror."
        )
    if status == 404:
        return HubError(f"{options.shown} has not this file.", "Choose another mirror.")
    if status == 429:
        return HubError(f"{options.shown} is asked too often.", "Wait some minutes, then go on.", passing=True)
    if status is not None and status >= 500:
        return HubError(f"{options.shown} has a fault of its own ({status}).", "Go on later.", passing=True)
    words = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
    remedy = "Check the network and the proxy, then go on."
    return HubError(f"The connection to {options.shown} failed ({words}).", remedy, passing=True)


_client_lock = threading.Lock()


@contextmanager
def client(options: HubOptions) -> Iterator[None]:
    """The hub's client with our proxy, in small steps, without bars of its own. What it has to say goes to the log."""
    import huggingface_hub
    from huggingface_hub import constants
    from huggingface_hub.utils import disable_progress_bars

    from engine.hub_answers import bound, still_wanted

    said = logging.getLogger(huggingface_hub.__name__)
    with _client_lock:
        constants.DOWNLOAD_CHUNK_SIZE = min(constants.DOWNLOAD_CHUNK_SIZE, CHUNK_BYTES)
        disable_progress_bars()
        for handler in list(said.handlers):
            if isinstance(handler, logging.StreamHandler) and handler.stream in (sys.stderr, sys.__stderr__):
                said.removeHandler(handler)  # it tells each try of a broken connection on the screen
        said.propagate = True
        usual = huggingface_hub.get_session()
        kind, asks = type(usual), [each for each in usual.event_hooks["request"] if each is not still_wanted]
        hooks = {"request": [still_wanted, *asks], "response": [bound]}
        more = {"proxy": options.proxy} if options.proxy else {}
        huggingface_hub.set_client_factory(lambda: kind(event_hooks=hooks, follow_redirects=True, timeout=None, **more))
    yield
