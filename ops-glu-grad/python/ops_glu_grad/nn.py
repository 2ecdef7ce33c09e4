"""The operators in place of blocks of PyTorch models, for instance those of Hugging Face's transformers.

    >>> from ops_glu_grad import nn
    >>> nn.patch(model)  # doctest: +SKIP
    {'mlp': 32, 'rotary': 1}

A block is recognised by the names of its parts, and replaced only if the replacement computes what the block did, on random numbers.
So a block that is spelt in another way stays as it is.
"""

import sys
import types

import torch
from torch.nn import functional

import ops_glu_grad as og

__all__ = ["patch"]

#: What an activation may be, and the operators that compute it: of one tensor, times another, and of the halves of one tensor.
_ACTIVATIONS = (
    (functional.silu, og.silu, og.swi_glu_mul, og.swi_glu),
    (
        functional.gelu,
        lambda x, **options: og.gelu_v2(x, "none", **options),
        lambda gate, up, **options: og.ge_glu_mul(gate, up, "none", **options),
        lambda x, **options: og.ge_glu(x, approximate="none", activate_left=True, **options)[0],
    ),
    (
        lambda x: functional.gelu(x, approximate="tanh"),
        lambda x, **options: og.gelu_v2(x, "tanh", **options),
        lambda gate, up, **options: og.ge_glu_mul(gate, up, "tanh", **options),
        lambda x, **options: og.ge_glu(x, approximate="tanh", activate_left=True, **options)[0],
    ),
    (lambda x: functional.relu(x).square(), og.relu_squared, og.relu_squared_mul, None),
)


def patch(model: torch.nn.Module, *, inplace_backward: bool = False) -> dict[str, int]:
    """Replaces the feed-forward blocks and rotary embeddings of a model, in place; returns how many of each.

    Known are blocks with `gate_proj`, `up_proj` and `down_proj` (Llama, Mistral, Qwen, Gemma), with `gate_up_proj` and `down_proj`
    (Phi-3), with `fc1` and `fc2` (Phi), experts with `_apply_gate` (gpt-oss), and functions `apply_rotary_pos_emb`. Such a function is
    replaced in the Python module of the model's classes, so that other models of these classes use the operator as well.

    With `inplace_backward`, activations write gradients over the results of the layers before them, which saves as much memory. No
    second derivative can be taken then, and nothing else may need these results in the backward pass; PyTorch refuses if it does.

    Raises ValueError if nothing was replaced.
    """
    counts = {"mlp": 0, "experts": 0, "rotary": 0}
    sources = set()
    for block in model.modules():
        sources.add(type(block).__module__)
        for kind, form in (("mlp", _gated), ("mlp", _joined), ("mlp", _plain), ("experts", _experts)):
            if form(block, inplace_backward=inplace_backward):
                counts[kind] += 1
                break
    counts["rotary"] = sum(_rotary(sys.modules[source]) for source in sources if source in sys.modules)
    if not any(counts.values()):
        known = "gate_proj, up_proj and down_proj; gate_up_proj and down_proj; fc1 and fc2; _apply_gate; apply_rotary_pos_emb"
        raise ValueError(f"patch: {type(model).__name__} has no block that is known; known are {known}")
    return {kind: count for kind, count in counts.items() if count}


def _activation(block):
    """The row of `_ACTIVATIONS` that a block's activation is, by its values."""
    activation = getattr(block, "act_fn", None) or getattr(block, "activation_fn", None)
    if not callable(activation):
        return None
    x = torch.linspace(-6, 6, 64)
    with torch.no_grad():
        return next((row for row in _ACTIVATIONS if torch.allclose(activation(x), row[0](x), atol=1e-6)), None)


def _gated(block, **options):
    if not _has(block, "gate_proj", "up_proj", "down_proj") or (row := _activation(block)) is None:
        return False
    return _replace(block, lambda self, x: self.down_proj(row[2](self.gate_proj(x), self.up_proj(x), **options)))


def _joined(block, **options):
    if not _has(block, "gate_up_proj", "down_proj") or (row := _activation(block)) is None or row[3] is None:
        return False
    return _replace(block, lambda self, x: self.down_proj(row[3](self.gate_up_proj(x), **options)))


def _plain(block, **options):
    if not _has(block, "fc1", "fc2") or (row := _activation(block)) is None:
        return False
    return _replace(block, lambda self, x: self.fc2(row[1](self.fc1(x), **options)))


def _has(block, *names):
    """Whether a block has these linear layers."""
    return all(isinstance(getattr(block, name, None), torch.nn.Linear) for name in names)


def _replace(block, forward):
    """Replaces a block's forward pass, if the other computes the same of random numbers."""
    first = next(layer for layer in block.modules() if isinstance(layer, torch.nn.Linear))
    x = _random(3, first.in_features, like=first.weight)
    if not _same(lambda: block(x), lambda: forward(block, x)):
        return False
    block.forward = types.MethodType(forward, block)
    return True


def _experts(block, **options):
    """Replaces the gate of experts whose gates and values are neighbours."""
    if not all(hasattr(block, name) for name in ("_apply_gate", "alpha", "limit")):
        return False

    def apply_gate(self, gate_up):
        return og.clipped_swiglu(gate_up, alpha=self.alpha, limit=self.limit, **options)

    x = 4 * _random(3, 64, like=next(block.parameters()))
    if not _same(lambda: block._apply_gate(x), lambda: apply_gate(block, x)):
        return False
    block._apply_gate = types.MethodType(apply_gate, block)
    return True


def _repeated(q, k, cos, sin, unsqueeze_dim=1):
    """Rotates halves of the first elements of each head, as many as `cos` has, which holds each cosine twice."""
    size, pairs = cos.shape[-1], cos.shape[-1] // 2
    cos, sin = (t[..., :pairs].unsqueeze(unsqueeze_dim) for t in (cos, sin))

    def rotated(x):
        if x.shape[-1] == size:
            return og.rope(x, cos, sin)
        return torch.cat([og.rope(x[..., :size], cos, sin), x[..., size:]], dim=-1)

    return rotated(q), rotated(k)


def _single(q, k, cos, sin, unsqueeze_dim=1):
    """Rotates halves of each head; `cos` holds each cosine once."""
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    return og.rope(q, cos, sin), og.rope(k, cos, sin)


def _rotary(source):
    """Replaces the rotary embedding of a Python module, if it is one of the two forms by its values."""
    function = getattr(source, "apply_rotary_pos_emb", None)
    if not callable(function) or function in (_repeated, _single):
        return 0
    q, k, angles = torch.randn(2, 3, 5, 8), torch.randn(2, 1, 5, 8), torch.rand(2, 5, 4)
    for form, angles in ((_repeated, torch.cat([angles, angles], -1)), (_single, angles)):
        cos, sin = angles.cos(), angles.sin()
        if _same(lambda: torch.cat(function(q, k, cos, sin), 1), lambda: torch.cat(form(q, k, cos, sin), 1)):
            source.apply_rotary_pos_emb = form
            return 1
    return 0


def _random(*shape, like):
    return torch.randn(shape, dtype=like.dtype, device=like.device)


def _same(function, other):
    """Whether two computations give the same, up to rounding. One that fails gives nothing."""
    with torch.no_grad():
        try:
            got, want = other(), function()
        except (NotImplementedError, RuntimeError, TypeError, ValueError):
            return False
    tolerance = 8 * torch.finfo(want.dtype).eps
    return got.shape == want.shape and torch.allclose(got, want, rtol=tolerance, atol=tolerance * float(want.abs().max()))
