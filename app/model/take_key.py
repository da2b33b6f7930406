"""The name of a take by content: equal keys mean that the same samples would be made."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

VERSION = 1


def take_key(record: Mapping[str, Any]) -> str:
    """SHA-256 (hex) of the canonical JSON of a record.

    The record holds everything that decides samples: model-facing text, language, tokens, instruction and other fields,
        mode
    and context, hash of the reference codes, hashes of model, codec and tokenizer, all sampling values, seed, numeric
    profile, engine revision; for a take of several pieces a list of such records. Pauses, gain and joins are not in it.

    Canonical: keys sorted, no spaces, UTF-8, tuples as lists, whole floats and integers alike (1 and 1.0 are one
        value), and
    the version of this form in front.

    Raises:
        TypeError: a value is none of text, number, truth value, None, list or mapping.
        ValueError: a number is not finite.
    """
    canonical = json.dumps(
        _canonical(record), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    return hashlib.sha256(f"take/{VERSION}\n{canonical}".encode("utf-8", "surrogatepass")).hexdigest()


def _canonical(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("A take key cannot hold a number that is not finite.")
        return int(value) if value.is_integer() else value
    if isinstance(value, (list, tuple)):
        return [_canonical(each) for each in value]
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("The names in a take key must be text.")
        return {key: _canonical(each) for key, each in value.items()}
    raise TypeError(f"A take key cannot hold a {type(value).__name__}.")
