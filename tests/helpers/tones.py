"""A backend that speaks tones: the real engine, renderer and player can be tested without a model."""

from __future__ import annotations

import threading
import time

import numpy as np

from engine import FRAME_SAMPLES, StopReason

RATE = 48_000


class ToneBackend:
    """Speaks each request as a tone of its own, as many frames as it has words, after a moment of silence."""

    improvements_left = 0

    def __init__(self, card):
        self.card = card
        self.capacity = 1
        self.jobs = {}
        self.spoken = []
        self.continued = []  # what each request goes on from
        self.ends = {}  # text -> StopReason
        self.fails = {}
        self.gate = threading.Event()
        self.gate.set()

    def load(self, progress):
        pass

    def start(self, job):
        self.spoken.append(job.request.text)
        self.continued.append(job.request.continue_from)
        self.jobs[job.id] = [job, 0]

    def step(self, timeout_s):
        if not self.gate.wait(0.01):
            return
        for job_id, state in list(self.jobs.items()):
            job, frame = state
            text = job.request.text
            total = 2 + 2 * len(text.split())
            if text in self.fails and frame == 2:
                del self.jobs[job_id]
                job.fail(self.fails[text])
                continue
            if frame == total:
                del self.jobs[job_id]
                job.finish(self.ends.get(text, StopReason.STOP))
                continue
            at = np.arange(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES)
            tone = 0.3 * np.sin(2 * np.pi * (200 + 10 * (hash_of(text) % 50) + job.request.seed % 97) * at / RATE)
            if frame in (0, total - 1):
                tone[:] = 0
            samples = np.repeat(tone[:, None], 2, axis=1).astype(np.float32)
            job.audio(samples, np.full((1, 12), frame, np.int16))
            job.progress(frame + 1, total)
            state[1] += 1
        time.sleep(0.0005)

    def improve(self):
        pass

    def cancel(self, job_id):
        self.jobs.pop(job_id, None)

    def interrupt(self):
        pass

    def identity(self):
        return {"model": "tones", "codec": "none", "tokenizer": "none", "numeric": "cpu", "revision": "1"}

    def status(self):
        return {"device": "cpu"}

    def close(self):
        pass


def hash_of(text):
    return sum(map(ord, text))
