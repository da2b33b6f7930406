"""How the clips of requests reach a server: with each request, or uploaded once and named from then on."""

from __future__ import annotations

import asyncio

from engine.backends.server_client import ServerClient
from engine.backends.server_clips import ClipPacker, PackedClip
from engine.backends.server_dialect import SentReference
from engine.card import ModelCard
from engine.requests import Clip

NAME_PREFIX = "studio-"
CONSENT = "confirmed in the studio by the person who added the clip"


class ServerVoices:
    """References of one server. Used on its loop alone; clips are read on other threads."""

    def __init__(self, client: ServerClient, card: ModelCard, *, upload: bool) -> None:
        self._client = client
        self._packer = ClipPacker(card)
        self._packing = asyncio.Lock()
        self._upload = upload
        self._uploaded: set[str] | None = None

    async def send(self, clip: Clip) -> SentReference:
        """A clip as a request names it. Raises ClipError, ServerError."""
        async with self._packing:
            packed = await asyncio.to_thread(self._packer.pack, clip)
            if not self._upload:
                return SentReference(data_uri=packed.data_uri)
            return SentReference(voice=await self._name_of(packed))

    def forget(self) -> None:
        """The server may have lost its voices: ask it again before the next request."""
        self._uploaded = None

    async def _name_of(self, packed: PackedClip) -> str:
        """The name of an uploaded clip goes by its content, so that no upload is done twice and none hides another."""
        if self._uploaded is None:
            self._uploaded = {str(voice["name"]) for voice in await self._client.voices()}
        name = NAME_PREFIX + packed.sha256[:24]
        if name not in self._uploaded:
            await self._client.upload_voice(name, packed, CONSENT)
            self._uploaded.add(name)
        return name
