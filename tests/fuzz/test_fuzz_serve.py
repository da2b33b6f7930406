"""Bodies that no client means: the service reads or refuses them, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.services.serve.sglang import _FIELDS as SGLANG_FIELDS
from app.services.serve.sglang import Sglang
from app.services.serve.speaker import RefusedReference, decode_data_uri
from app.services.serve.vllm import _FIELDS as VLLM_FIELDS
from app.services.serve.vllm import Vllm
from app.services.serve.wish import ApiError, Wish

NAMES = sorted({*SGLANG_FIELDS, *VLLM_FIELDS, "ref_audio", "references", "items", "whatever"})
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["sse", "pcm", "audio", "Base"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES + ["id", "audio_path", "data"]), inner, max_size=3)
    ),
    max_leaves=6,
)
bodies = (
    values
    | st.dictionaries(st.sampled_from(NAMES), values, max_size=8)
    | st.fixed_dictionaries(
        {"input": st.text(min_size=1, max_size=20)}, optional={name: values for name in NAMES if name != "input"}
    )
)
FLAVOURS = pytest.mark.parametrize("flavour", [Sglang(), Vllm()], ids=["sglang", "vllm"])


@FLAVOURS
@settings(max_examples=400)
@given(body=bodies)
def test_any_body_is_read_or_refused(flavour, body):
    try:
        wish = flavour.read(body, "model")
    except ApiError as error:
        assert error.status in (400, 404) and error.message
        return
    assert isinstance(wish, Wish) and wish.text
    assert 0.25 <= wish.speed <= 4 and (wish.seed is None or 0 <= wish.seed < 2**63)
    assert wish.stream in ("", "audio", "sse") and isinstance(wish.ref_audio, str) and isinstance(wish.ref_text, str)


@FLAVOURS
@settings(max_examples=200)
@given(
    body=bodies
    | st.fixed_dictionaries(
        {"items": st.lists(bodies, max_size=4)}, optional={name: values for name in NAMES if name != "items"}
    )
)
def test_any_batch_is_read_or_refused(flavour, body):
    try:
        found = flavour.batch_wishes(body, "model")
    except ApiError as error:
        assert error.status in (400, 404)
        return
    assert len(found) == len(body["items"]) and all(isinstance(each, Wish | ApiError) for each in found)


@given(st.text(max_size=60) | st.text(max_size=40).map(lambda text: f"data:audio/wav;base64,{text}"))
def test_any_reference_is_bytes_or_refused(uri):
    try:
        assert decode_data_uri(uri)
    except RefusedReference:
        pass
