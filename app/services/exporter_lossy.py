"""MP3, Opus and M4B files with their tags, chapters and cover."""

from __future__ import annotations

import contextlib
import io
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from app.services.exporter_formats import AudioFormat, ChapterMark, ExportError, FileTags
from app.services.exporter_pcm import SOFTWARE

_CODEC = {"mp3": "libmp3lame", "opus": "libopus", "m4b": "aac"}
_CONTAINER = {"mp3": "mp3", "opus": "ogg", "m4b": "mp4"}
_OPTIONS = {
    "mp3": {"id3v2_version": "3", "write_xing": "1"},
    "opus": {},
    "m4b": {"movflags": "+faststart", "brand": "M4B "},
}
MOST_COVER_BYTES = 20 * 1024 * 1024


class LossyWriter:
    """A compressed file, encoded by FFmpeg's libraries; the same samples give the same bytes."""

    def __init__(self, path: Path, audio: AudioFormat, tags: FileTags) -> None:
        self._layout = "stereo" if audio.channels == 2 else "mono"
        self._rate = audio.rate
        self._n = 0
        # bitexact: no random serial numbers and no time of day in the file.
        options = {"fflags": "+bitexact", **_OPTIONS[audio.kind]}
        self._container = av.open(str(path), "w", format=_CONTAINER[audio.kind], options=options)
        try:
            self._stream = self._container.add_stream(
                _CODEC[audio.kind], rate=audio.rate, layout=self._layout, options=_encoder_options(audio)
            )
            self._stream.bit_rate = audio.kbps * 1000
            self._container.metadata.update(_metadata(tags, audio.kind))
            if tags.chapters:
                self._container.set_chapters([_chapter(index, mark) for index, mark in enumerate(tags.chapters)])
            cover = self._add_cover(tags.cover) if tags.cover and audio.kind in ("mp3", "m4b") else None
            self._container.start_encoding()
            if cover is not None:
                self._container.mux(cover)
        except BaseException:
            self.abort()
            raise

    def _add_cover(self, path: Path) -> av.Packet:
        remedy = "Choose a JPEG or PNG picture of at most 20 MB."
        try:
            if path.stat().st_size > MOST_COVER_BYTES:
                raise ExportError(f"The cover {path.name} is larger than 20 MB.", remedy)
            raw = path.read_bytes()
            with av.open(io.BytesIO(raw), format="jpeg_pipe" if raw[:2] == b"\xff\xd8" else "png_pipe") as source:
                picture = source.streams.video[0]
                next(source.decode(picture))  # what cannot be shown is no cover
                stream = self._container.add_stream_from_template(picture)
        except (OSError, av.error.FFmpegError, IndexError, StopIteration) as error:
            raise ExportError(f"The cover {path.name} cannot be read as a picture.", remedy) from error
        stream.disposition = av.stream.Disposition.attached_pic
        packet = av.Packet(raw)
        packet.stream = stream
        packet.pts = packet.dts = 0
        packet.time_base = Fraction(1, 90_000)
        packet.is_keyframe = True
        return packet

    def write(self, samples: np.ndarray) -> None:
        """float32 `[n, channels]`."""
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples).reshape(1, -1), "flt", self._layout)
        frame.sample_rate, frame.pts, frame.time_base = self._rate, self._n, Fraction(1, self._rate)
        self._n += len(samples)
        self._container.mux(self._stream.encode(frame))

    def close(self) -> None:
        self._container.mux(self._stream.encode(None))
        self._container.close()

    def abort(self) -> None:
        # The file is thrown away; what could not be written to it does not matter.
        with contextlib.suppress(OSError, av.error.FFmpegError, ValueError):
            self._container.close()


def _encoder_options(audio: AudioFormat) -> dict[str, str]:
    # On speech at 96 kbit/s and more the fast search is four times as fast and measures better; below it leaves holes.
    return {"aac_coder": "fast"} if audio.kind == "m4b" and audio.kbps >= 96 else {}


def _metadata(tags: FileTags, kind: str) -> dict[str, str]:
    fields = {
        "title": tags.title,
        "artist": tags.artist,
        "album": tags.album,
        "comment": tags.remark,
        "genre": tags.genre,
        "track": (f"{tags.track}/{tags.tracks}" if tags.tracks else str(tags.track)) if tags.track else "",
        "encoded_by": SOFTWARE if kind == "mp3" else "",
        "encoder": SOFTWARE if kind == "m4b" else "",
        "media_type": "2" if kind == "m4b" else "",  # iTunes: an audiobook
    }
    return {name: text for name, text in fields.items() if text}


def _chapter(index: int, mark: ChapterMark) -> dict[str, object]:
    milliseconds = Fraction(1, 1000)
    return {
        "id": index,
        "start": round(mark.start_s * 1000),
        "end": round(mark.end_s * 1000),
        "time_base": milliseconds,
        "metadata": {"title": mark.title},
    }
