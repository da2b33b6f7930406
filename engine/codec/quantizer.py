"""The residual quantizer: hidden vectors to codes and back through folded tables, always in float32 (MODEL §5.5)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F


@dataclass
class Encoding:
    """What only encoding needs.

    Attributes:
        input_proj: `[inner, latent]` and its bias.
        probes, probe_biases: `[n, width, inner]`, `[n, width]`: from the residual to the space of each codebook.
        directions: `[n, size, width]`: rows of the codebooks, L2-normalised.
        steps: `[n, size, inner]`: what each code takes from the residual.
    """

    input_proj: tuple[torch.Tensor, torch.Tensor]
    probes: torch.Tensor
    probe_biases: torch.Tensor
    directions: torch.Tensor
    steps: torch.Tensor


class Quantizer:
    """The first `codebooks` codebooks of a codec.

    Attributes:
        codebooks, size: how many, and codes in each.
        table: float32 `[codebooks * size, latent]`: what each code adds, the output projection folded in.
        bias: float32 `[latent]` of the output projection.
        encoding: None when the codec was loaded without its encoder.
    """

    def __init__(
        self, codebooks: int, size: int, table: torch.Tensor, bias: torch.Tensor, encoding: Encoding | None
    ) -> None:
        self.codebooks = codebooks
        self.size = size
        self.table = table
        self.bias = bias
        self.encoding = encoding
        self._offsets = torch.arange(codebooks, device=table.device) * size

    def decode(self, codes: torch.Tensor) -> torch.Tensor:
        """int64 `[..., q]` with 1 <= q <= codebooks, each 0..size-1 -> float32 `[..., latent]`."""
        rows = codes + self._offsets[: codes.shape[-1]]
        return F.embedding(rows, self.table).sum(dim=-2) + self.bias

    def encode(self, hidden: torch.Tensor, codebooks: int) -> torch.Tensor:
        """float32 `[..., latent]` -> int64 `[..., codebooks]`: each codebook takes the row of the greatest cosine."""
        parts = self.encoding
        assert parts is not None, "loaded without the encoder"
        residual = F.linear(hidden.float(), *parts.input_proj)
        codes = []
        for index in range(codebooks):
            probe = F.linear(residual, parts.probes[index], parts.probe_biases[index])
            # The distance of normalised vectors falls as their cosine grows; the probe's own length changes no order.
            code = F.linear(F.normalize(probe, dim=-1), parts.directions[index]).argmax(dim=-1)
            residual = residual - F.embedding(code, parts.steps[index])
            codes.append(code)
        return torch.stack(codes, dim=-1)


def fold_weight_norm(gain: torch.Tensor, direction: torch.Tensor) -> torch.Tensor:
    """Weight of a weight-normed 1x1 convolution: g * v / ||v|| for each output channel, float32 `[out, in]`."""
    direction = direction.double().flatten(1)
    return (gain.double().view(-1, 1) * direction / direction.norm(dim=1, keepdim=True)).float()


def build_quantizer(
    *,
    output_proj: tuple[torch.Tensor, torch.Tensor],
    codebooks: list[torch.Tensor],
    out_projs: list[tuple[torch.Tensor, torch.Tensor]],
    input_proj: tuple[torch.Tensor, torch.Tensor] | None = None,
    in_projs: list[tuple[torch.Tensor, torch.Tensor]] | None = None,
) -> Quantizer:
    """Fold the projections into tables; products are formed in float64 and rounded once.

    Args:
        output_proj: `[latent, inner]`, `[latent]`; out_projs: `[inner, width]`, `[inner]` each.
        codebooks: `[size, width]` each.
        input_proj: `[inner, latent]`, `[inner]`; in_projs: `[width, inner]`, `[width]` each. None: decoding only.
    """
    steps = [
        codebook.double() @ weight.double().T + bias.double()
        for codebook, (weight, bias) in zip(codebooks, out_projs, strict=True)
    ]
    table = torch.cat([step @ output_proj[0].double().T for step in steps]).float()
    encoding = None
    if input_proj is not None and in_projs is not None:
        encoding = Encoding(
            input_proj=(input_proj[0].float(), input_proj[1].float()),
            probes=torch.stack([weight.float() for weight, _ in in_projs]),
            probe_biases=torch.stack([bias.float() for _, bias in in_projs]),
            directions=torch.stack([F.normalize(codebook.double(), dim=1).float() for codebook in codebooks]),
            steps=torch.stack(steps).float(),
        )
    return Quantizer(len(codebooks), codebooks[0].shape[0], table, output_proj[1].float(), encoding)
