"""Where a stream is cut for computing on a processor, so that no frame's samples depend on what is asked for at once.

Products of another height, and attention over another stretch, round otherwise. Every frame is therefore computed in
the block that its position alone decides; one that is wanted before its block is full is computed with placeholders
behind it, which by causality it does not hear, and the block again when the rest has come.
"""

from __future__ import annotations

FIRST_BLOCKS = (1, 2)  # frames: the first sound takes one frame's time, and is not computed twice
BLOCK_FRAMES = 4  # more would make a frame hardly cheaper, and one that cannot wait dearer


def block_at(frame: int) -> tuple[int, int]:
    """The block `[start, end)` in which this frame of a stream is computed."""
    start = 0
    for size in FIRST_BLOCKS:
        if frame < start + size:
            return start, start + size
        start += size
    start += (frame - start) // BLOCK_FRAMES * BLOCK_FRAMES
    return start, start + BLOCK_FRAMES


def frames_to_border(position: int, frames: int) -> int:
    """`frames` from `position` on, or as many more as fill the last block."""
    return block_at(position + frames - 1)[1] - position if frames > 0 else 0
