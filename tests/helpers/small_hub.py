"""A hub of one or two small repositories on this machine: the protocol of the real one, with faults to order."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "a" * 40


class SmallHub:
    """Serves `repositories`: {repo id: {path: bytes}}. Files ending in .safetensors are LFS files: redirected to a CDN
    path.

    Attributes:
        cuts: for each coming answer with a body of a large file: bytes after which the connection is closed; None is
        not.
        statuses: for each coming request whose path contains the key: statuses to answer with first.
        listed: paths that the list names beside the true ones; spoiled: {path: bytes that are sent instead}.
        delay_s: before each 16 KiB. ranges: whether ranges are honoured. seen: (method, path, range header,
        authorisation).
    """

    def __init__(self, repositories: dict[str, dict[str, bytes]]) -> None:
        self.repositories = repositories
        self.cuts: list[int | None] = []
        self.statuses: dict[str, list[int]] = {}
        self.listed: dict[str, list[dict[str, Any]]] = {}
        self.spoiled: dict[str, bytes] = {}
        self.sizes: dict[str, int] = {}
        self.delay_s = 0.0
        self.ranges = True
        self.seen: list[tuple[str, str, str | None, str | None]] = []
        self.lock = threading.Lock()
        hub = self

        class Handler(_Handler):
            the_hub = hub

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def bytes_sent(self) -> list[tuple[str, str | None]]:
        """(path, range) of the requests for content."""
        return [(path, wanted) for method, path, wanted, _ in self.seen if method == "GET" and "/api/" not in path]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    the_hub: SmallHub

    def log_message(self, format: str, *args: Any) -> None:
        """Tests read what was asked in `SmallHub.seen`."""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        hub, path = self.the_hub, unquote(urlsplit(self.path).path)
        with hub.lock:
            hub.seen.append((self.command, path, self.headers.get("Range"), self.headers.get("Authorization")))
            status = next(
                (each.pop(0) for key, each in hub.statuses.items() if key in f"{self.command} {path}" and each), None
            )
        if status is not None:
            headers = {"Retry-After": "0"} if status in (429, 503) else {}
            if status == 403:
                headers["X-Error-Code"] = "GatedRepo"
            return self._send(status, b'{"error":"no"}', headers, body)
        if path.startswith("/api/models/"):
            return self._list(path.removeprefix("/api/models/").partition("/revision/")[0], body)
        if path.startswith("/cdn/"):
            return self._content(*path.removeprefix("/cdn/").split("/-/", 1), body)
        repository, _, rest = path[1:].partition("/resolve/")
        name = rest.partition("/")[2]
        content = hub.repositories.get(repository, {}).get(name)
        if content is None:
            return self._send(404, b"", {"X-Error-Code": "EntryNotFound"}, body)
        headers = {"X-Repo-Commit": COMMIT}
        if not name.endswith(".safetensors"):
            return self._content(repository, name, body, headers | {"ETag": f'"{blob_of(content)}"'})
        headers |= {
            "X-Linked-Etag": f'"{hashlib.sha256(content).hexdigest()}"',
            "X-Linked-Size": str(self._size(name, content)),
        }
        # Another host, as the real hub's storage is: the client must not carry a token there.
        headers["Location"] = f"{hub.address.replace('127.0.0.1', 'localhost')}/cdn/{repository}/-/{name}"
        return self._send(302, b"", headers, body)

    def _size(self, name: str, content: bytes) -> int:
        return self.the_hub.sizes.get(name, len(content))

    def _list(self, repository: str, body: bool) -> None:
        files = self.the_hub.repositories.get(repository)
        if files is None:
            return self._send(401, b'{"error":"Repository not found"}', {"X-Error-Code": "RepoNotFound"}, body)
        siblings: list[dict[str, Any]] = []
        for name, content in files.items():
            entry: dict[str, Any] = {"rfilename": name, "size": self._size(name, content), "blobId": blob_of(content)}
            if name.endswith(".safetensors"):
                sha = hashlib.sha256(content).hexdigest()
                entry["lfs"] = {"sha256": sha, "size": self._size(name, content), "pointerSize": 134}
            siblings.append(entry)
        siblings += self.the_hub.listed.get(repository, [])
        value = {
            "id": repository,
            "modelId": repository,
            "sha": COMMIT,
            "siblings": siblings,
            "tags": [],
            "private": False,
        }
        self._send(200, json.dumps(value).encode(), {"Content-Type": "application/json"}, body)

    def _content(self, repository: str, name: str, body: bool, headers: dict[str, str] | None = None) -> None:
        hub = self.the_hub
        content = hub.spoiled.get(name, hub.repositories[repository][name])
        headers, status, start = dict(headers or {}), 200, 0
        headers["Accept-Ranges"] = "bytes"
        wanted = self.headers.get("Range")
        if wanted and hub.ranges:
            start = int(wanted.removeprefix("bytes=").partition("-")[0])
            status = 206
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self._send(status, content[start:], headers, body, cut=body and name.endswith(".safetensors"))

    def _send(self, status: int, content: bytes, headers: dict[str, str], body: bool, cut: bool = False) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if not body:
            return
        limit = None
        if cut:
            with self.the_hub.lock:
                limit = self.the_hub.cuts.pop(0) if self.the_hub.cuts else None
        try:
            for at in range(0, len(content), 16384):
                part = content[at : at + 16384]
                if limit is not None and at + len(part) > limit:
                    self.wfile.write(part[: limit - at])
                    self.wfile.flush()
                    self.close_connection = True
                    self.connection.shutdown(2)
                    return
                self.wfile.write(part)
                if self.the_hub.delay_s:
                    time.sleep(self.the_hub.delay_s)
        except OSError:
            self.close_connection = True


def blob_of(content: bytes) -> str:
    """What git calls a file with this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
