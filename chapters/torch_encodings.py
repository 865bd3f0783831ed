"""The positional encodings of the course as PyTorch modules; the page `pytorch` explains them.

Every module computes its constants in double precision on the CPU, stores them as
float32 buffers and rounds only at the end. Buffers move with `.to(device)`; they are not
persistent, because a formula need not be stored in checkpoints. Inputs may be float64,
float32, float16 or bfloat16, and outputs have the dtype of the input.
"""

import torch
from torch import nn
from torch.nn import functional as F


def frequencies(d, base=10000.0):
    """theta_i = base^(-2i/d), i = 0 .. d/2 - 1, in float64. (d/2,)"""
    if d < 2 or d % 2:
        raise ValueError(f"d must be even and positive, got {d}")
    return base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)


def phases(n, d, base=10000.0):
    """The angle p * theta_i of every position and pair, in float64. (n, d/2)"""
    return torch.arange(n, dtype=torch.float64)[:, None] * frequencies(d, base)


class SinusoidalPositionalEncoding(nn.Module):
    """Add the fixed sines and cosines of Vaswani et al. to token embeddings."""

    def __init__(self, d_model, max_len=5000, dropout=0.1, base=10000.0):
        super().__init__()
        angles = phases(max_len, d_model, base)
        pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)
        table = pairs.flatten(1).float()  # columns sin, cos, sin, cos, ...
        self.register_buffer("table", table, persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, start=0):
        """x: (batch, n, d_model), whose first token is at position `start`."""
        last, max_len = start + x.shape[1] - 1, len(self.table)
        if last >= max_len:
            raise ValueError(f"position {last} does not fit a table of {max_len}")
        return self.dropout(x + self.table[start:last + 1].to(x.dtype))


class LearnedPositionalEncoding(nn.Module):
    """Add a trained vector per position to token embeddings: BERT, GPT-2, ViT."""

    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, positions=None):
        """x: (batch, n, d_model). positions: (n,) or (batch, n), default 0 .. n-1."""
        n, max_len = x.shape[1], self.embedding.num_embeddings
        if positions is None:
            if n > max_len:
                raise ValueError(f"{n} tokens do not fit a table of {max_len}")
            positions = torch.arange(n, device=x.device)
        return self.dropout(x + self.embedding(positions).to(x.dtype))


def rotate_interleaved(x, cos, sin):
    """Turn the pairs (2i, 2i+1) of x (..., n, d); cos, sin: (..., n, d/2)."""
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


def rotate_half_split(x, cos, sin):
    """Turn the pairs (i, i + d/2) of x (..., n, d); cos, sin: (..., n, d/2)."""
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


LAYOUTS = {"interleaved": rotate_interleaved, "half-split": rotate_half_split}


class RotaryEmbedding(nn.Module):
    """Rotate queries or keys by their position, in one of the two layouts."""

    def __init__(self, d, max_len=2048, base=10000.0, layout="interleaved"):
        super().__init__()
        if layout not in LAYOUTS:
            raise ValueError(f"layout must be one of {list(LAYOUTS)}, got {layout!r}")
        self.rotate = LAYOUTS[layout]
        angles = phases(max_len, d, base)
        # Cosines and sines, not theta: a cast to half precision never rounds a phase.
        self.register_buffer("cos", angles.cos().float(), persistent=False)
        self.register_buffer("sin", angles.sin().float(), persistent=False)

    def forward(self, x, positions=None):
        """x: (batch, heads, n, d). positions: (n,) or (batch, n), default 0 .. n-1."""
        n, max_len = x.shape[-2], len(self.cos)
        if positions is None:
            if n > max_len:
                raise ValueError(f"{n} tokens do not fit tables of {max_len}")
            cos, sin = self.cos[:n], self.sin[:n]
        else:
            cos, sin = self.cos[positions], self.sin[positions]
            if positions.ndim == 2:  # a row per sequence: the same for all its heads
                cos, sin = cos[:, None], sin[:, None]
        wide = torch.promote_types(x.dtype, torch.float32)  # round once, at the end
        return self.rotate(x.to(wide), cos.to(wide), sin.to(wide)).to(x.dtype)


def interleaved_to_half_split(weight, n_heads):
    """Reorder the rows of W_q or W_k so that half-split rotation gives the old logits.

    weight: (heads * d, d_model), as checkpoints store it.
    """
    rows, d_model = weight.shape
    if rows % (2 * n_heads):
        raise ValueError(f"{rows} rows are not {n_heads} heads of an even width")
    pairs = weight.view(n_heads, rows // n_heads // 2, 2, d_model)
    return pairs.transpose(1, 2).reshape(rows, d_model)


def alibi_slopes(n_heads):
    """The slopes of the released ALiBi code, in its order, for any n_heads >= 1."""
    if n_heads < 1:
        raise ValueError(f"n_heads must be at least 1, got {n_heads}")
    power = 2 ** (n_heads.bit_length() - 1)  # the largest power of two <= n_heads
    exponents = [-8 * h / power for h in range(1, power + 1)]
    between = [-8 * h / (2 * power) for h in range(1, 2 * power + 1, 2)]
    exponents += between[:n_heads - power]
    return 2.0 ** torch.tensor(exponents, dtype=torch.float64)


class ALiBi(nn.Module):
    """The bias -m_h * distance, to be added to scores already divided by sqrt(d)."""

    def __init__(self, n_heads, causal=True):
        super().__init__()
        self.causal = causal
        slopes = alibi_slopes(n_heads).float()
        self.register_buffer("slopes", slopes, persistent=False)

    def forward(self, n_queries, n_keys, dtype=torch.float32):
        """(heads, n_queries, n_keys); the queries are the last of the n_keys positions."""
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} queries cannot be the last of {n_keys} keys")
        keys = torch.arange(n_keys, device=self.slopes.device)
        distance = keys[n_keys - n_queries:, None] - keys  # whole numbers: exact
        bias = -self.slopes.float()[:, None, None] * distance.abs()
        if self.causal:
            bias = bias.masked_fill(distance < 0, -torch.inf)
        return bias.to(dtype)


class CausalSelfAttention(nn.Module):
    """Causal attention with position "rotary", "alibi" or None, and a cache."""

    def __init__(self, d_model, n_heads, max_len=2048,
                 position="rotary", layout="interleaved"):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model {d_model} is no multiple of {n_heads} heads")
        if position not in ("rotary", "alibi", None):
            raise ValueError(f"position: 'rotary', 'alibi' or None, got {position!r}")
        self.n_heads = n_heads
        self.query, self.key, self.value, self.out = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(4))
        self.rotary = self.alibi = None
        if position == "rotary":
            self.rotary = RotaryEmbedding(d_model // n_heads, max_len, layout=layout)
        elif position == "alibi":
            self.alibi = ALiBi(n_heads)

    def heads(self, x):
        """(batch, n, d_model) -> (batch, heads, n, d)"""
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def forward(self, x, cache=None):
        """x: (batch, n, d_model), the tokens after those in the cache.

        Returns the output and the new cache, a pair of keys and values.
        """
        n, seen = x.shape[1], 0 if cache is None else cache[0].shape[-2]
        q, k, v = (self.heads(f(x)) for f in (self.query, self.key, self.value))
        if self.rotary is not None:  # the cache holds keys that are already rotated
            positions = torch.arange(seen, seen + n, device=x.device)
            q, k = self.rotary(q, positions), self.rotary(k, positions)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=-2)
            v = torch.cat([cache[1], v], dim=-2)
        if self.alibi is not None:  # its bias holds the causal mask
            mask = self.alibi(n, seen + n, q.dtype)
        else:
            ones = torch.ones(n, seen + n, dtype=torch.bool, device=x.device)
            mask = ones.tril(seen)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(1, 2).flatten(-2)), (k, v)
