"""Keys of speech servers, in the system's keyring; never in settings, logs or messages."""

from __future__ import annotations

import logging
import threading

_log = logging.getLogger(__name__)

SERVICE = "moss-voice-studio"
KEY_VARIABLE = "MOSS_SERVER_KEY"  # the key of the one server that a command is about

# Where there is no keyring: one memory for the whole program, until it ends.
_memory: dict[str, str] = {}
_lock = threading.Lock()


class ServerKeys:
    """Keys by server id. Where the system has no keyring they live until the program ends, and `notice` says so.

    Every method may block while the system asks the person; none raises.

    Args:
        given: a key that goes before every kept one: a command is about one server, and has it from its environment.

    Attributes:
        notice: what the person should know, or "".
    """

    def __init__(self, given: str = "") -> None:
        self._given = given
        self.notice = ""

    def get(self, server_id: str) -> str:
        """The key of a server; "" where there is none."""
        if self._given:
            return self._given
        with _lock:
            if server_id in _memory:
                return _memory[server_id]
        try:
            import keyring

            return keyring.get_password(SERVICE, server_id) or ""
        except Exception as error:  # backends raise what they like
            self._no_keyring(error)
            return ""

    def set(self, server_id: str, key: str) -> None:
        """Keep a key; "" forgets it."""
        if not key:
            self.forget(server_id)
            return
        try:
            import keyring

            keyring.set_password(SERVICE, server_id, key)
        except Exception as error:
            self._no_keyring(error)
            with _lock:
                _memory[server_id] = key
        else:
            with _lock:
                _memory.pop(server_id, None)

    def forget(self, server_id: str) -> None:
        with _lock:
            _memory.pop(server_id, None)
        try:
            import keyring

            if keyring.get_password(SERVICE, server_id) is not None:
                keyring.delete_password(SERVICE, server_id)
        except Exception as error:
            self._no_keyring(error)

    def _no_keyring(self, error: Exception) -> None:
        # The message of a backend may hold anything; its type says enough.
        _log.info("the system's keyring cannot be used: %s", type(error).__name__)
        self.notice = (
            "This system has no keyring that can be used, so keys of servers are kept until the studio ends "
            "and must be given again next time."
        )
