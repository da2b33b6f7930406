"""Speaks through a speech server: requests run on a loop of their own, the engine's thread hands over what comes."""

from __future__ import annotations

import asyncio
import logging
import math
import queue
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from engine.backends.base import Job, LoadProgress
from engine.backends.server_batches import Batches
from engine.backends.server_client import ServerClient
from engine.backends.server_dialect import Dialect
from engine.backends.server_request import Reporter, ServerRequest
from engine.backends.server_spec import ServerSpec, card_of
from engine.backends.server_voices import ServerVoices
from engine.errors import ServerError
from engine.lm.watchdog import Watchdog
from engine.requests import FRAME_RATE, FRAME_SAMPLES, SAMPLE_RATE, Priority, SpeechWarning, StopReason

_log = logging.getLogger(__name__)
T = TypeVar("T")

CLOSE_S = 2.0
SILENT = 10 ** (-60 / 20)  # peak; no speech is that quiet
_NO_CODES = np.zeros((0, 0), np.int16)


class _Loop:
    """An asyncio loop in a thread."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="speech server", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()
        self.loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def stop(self, last: Coroutine[Any, Any, None]) -> None:
        """Cancel everything, do `last`, end."""

        async def end() -> None:
            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await last

        try:
            self.run(end()).result(CLOSE_S)
        except Exception as error:
            _log.info("The connections to the server were left behind: %s", error)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(CLOSE_S)


class ServerBackend:
    """The backend of a speech server. See `engine.backends.base.Backend`.

    Lines that somebody listens to are streamed; others come whole, which is stereo also where streams are not.

    Attributes:
        card: what the server can do; exact once it is loaded, where its kind was not given.
        capacity: requests in flight at once.
        repeatable: nothing is put back for another: what a server does is not ours to start again.
    """

    repeatable = False
    improvements_left = 0

    def __init__(self, spec: ServerSpec, transport: Any = None) -> None:
        self.spec = spec
        self.spec.base  # noqa: B018 - refuses what is no address, before anything is started
        self.card = card_of(spec)
        self.capacity = max(1, spec.parallel)
        self._transport = transport
        self._news: queue.SimpleQueue[tuple[str, Callable[[Job], None]] | None] = queue.SimpleQueue()
        self._jobs: dict[str, tuple[Job, Future[None]]] = {}
        self._loop: _Loop | None = None
        self._client: ServerClient | None = None
        self._dialect: Dialect | None = None
        self._voices: ServerVoices | None = None
        self._batches: Batches | None = None
        self._model = spec.model
        self._shown: dict[str, float | str] = {}

    # -- Backend ------------------------------------------------------------------------------------------------

    def load(self, progress: Callable[[LoadProgress], None]) -> None:
        progress(LoadProgress("Asking the server", 0.1))
        self._loop = _Loop()
        self._client = ServerClient(self.spec, self._transport)
        waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
        asking = self._loop.run(self._client.retrying(self._meet, lambda _, why: waiting.put(why)))
        while True:
            try:
                self._dialect, self._model = asking.result(0.1)
                break
            except TimeoutError:
                # The listener of progress ends the load when the engine is closed meanwhile.
                progress(LoadProgress("Waiting for the server" if not waiting.empty() else "Asking the server", 0.5))
        self.card = card_of(self.spec, self._dialect.kind)
        self._voices = ServerVoices(self._client, self.card, upload=self.spec.references == "upload")
        if self.spec.use_batch and self._dialect.batch_takes_seeds:
            self._batches = Batches(self._client)
        self._shown = {
            "device": self.spec.shown,
            "precision": self._dialect.kind,
            "model": self._model or "of the server",
        }
        progress(LoadProgress("Ready", 1.0))

    async def _meet(self) -> tuple[Dialect, str]:
        assert self._client is not None
        await self._client.health()
        dialect = await self._client.detect()
        models = await self._client.models()
        wanted = self.spec.model
        if wanted and models and wanted not in models:
            raise ServerError(f"“{self.spec.shown}” has no model “{wanted}”.", f"It serves: {', '.join(models[:5])}.")
        return dialect, wanted or (models[0] if models else "")

    def start(self, job: Job) -> None:
        assert (
            self._loop is not None
            and self._client is not None
            and self._dialect is not None
            and self._voices is not None
        )
        request = ServerRequest(
            self._client,
            self._dialect,
            self._voices,
            self._batches,
            replace(job.request),
            _Mail(job.id, self._news),
            model=self.spec.model,
            listened=job.request.priority is Priority.LISTENING or math.isfinite(job.lead_s),
        )
        self._jobs[job.id] = (job, self._loop.run(request.run()))

    def step(self, timeout_s: float) -> None:
        try:
            news = self._news.get(timeout=timeout_s)
            while True:
                if news is not None:
                    self._deliver(*news)
                news = self._news.get_nowait()
        except queue.Empty:
            return

    def improve(self) -> None:
        """A server sees to its speed itself."""

    def cancel(self, job_id: str) -> None:
        known = self._jobs.pop(job_id, None)
        if known is not None:
            known[1].cancel()  # leaves the request's `async with`, which closes its connection

    def interrupt(self) -> None:
        self._news.put(None)

    def identity(self) -> Mapping[str, str]:
        kind = self._dialect.kind if self._dialect is not None else self.spec.kind
        server = f"{kind} at {self.spec.base}"
        return {
            "model": self._model or server,
            "codec": server,
            "tokenizer": server,
            "numeric": kind,
            "revision": "server 1",
        }

    def status(self) -> Mapping[str, float | str]:
        return {**self._shown, "doing": f"{len(self._jobs)} in flight" if self._jobs else "idle"}

    def close(self) -> None:
        self._jobs.clear()
        if self._loop is not None and self._client is not None:
            self._loop.stop(self._client.close())
        self._loop = None

    # -- inside -------------------------------------------------------------------------------------------------

    def _deliver(self, job_id: str, tell: Callable[[Job], None]) -> None:
        known = self._jobs.get(job_id)
        if known is None:
            return  # cancelled meanwhile
        tell(known[0])
        if getattr(known[0], "ended", False):
            self._jobs.pop(job_id, None)


class _Mail(Reporter):
    """Carries what a request tells from the loop's thread to the engine's, in order."""

    def __init__(self, job_id: str, news: queue.SimpleQueue) -> None:
        self._job_id = job_id
        self._news = news
        self._samples = 0
        self._loudest = 0.0

    def reference_ready(self) -> None:
        self._news.put((self._job_id, lambda job: job.reference_ready()))

    def audio(self, samples: np.ndarray) -> None:
        self._samples += len(samples)
        self._loudest = max(self._loudest, float(np.abs(samples).max(initial=0.0)))
        frames = self._samples // FRAME_SAMPLES

        def tell(job: Job) -> None:
            job.audio(samples, _NO_CODES)
            job.progress(frames, job.request.estimate_frames)

        self._news.put((self._job_id, tell))

    def warn(self, code: str, message: str) -> None:
        self._news.put((self._job_id, lambda job: job.warn(SpeechWarning(code, message))))

    def seed(self, seed: int) -> None:
        def tell(job: Job) -> None:
            job.request = replace(job.request, seed=seed)

        self._news.put((self._job_id, tell))

    def finish(self, reason: StopReason) -> None:
        frames, loudest = round(self._samples / SAMPLE_RATE * FRAME_RATE), self._loudest

        def tell(job: Job) -> None:
            ended = reason
            if ended is StopReason.STOP:
                # A server that tells no reason hides that the budget ran out; and a stop may come far too early.
                if job.request.max_frames is not None and frames >= job.request.max_frames:
                    ended = StopReason.LENGTH
                elif loudest < SILENT:
                    ended = StopReason.EARLY_END
                else:
                    ended = Watchdog(job.request.estimate_frames or 1, job.request.own_pause_s).judge_stop(frames)
            job.finish(ended)

        self._news.put((self._job_id, tell))

    def fail(self, error: Exception) -> None:
        self._news.put((self._job_id, lambda job: job.fail(error)))
