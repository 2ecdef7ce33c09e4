"""The same calls, made in Rust: see `python.rs`."""

import json
import os
import unittest

import numpy as np

try:
    import ml_dtypes
except ModuleNotFoundError:
    ml_dtypes = None

PLACE = os.environ.get("OPS_GLU_GRAD_CASES")
#: Element types by the names that messages have.
TYPES = {"f16": np.float16, "f32": np.float32} | ({"bf16": ml_dtypes.bfloat16} if ml_dtypes else {})


def array(tensor):
    """Elements of a tensor of the file; `None` for one that is left out."""
    bits, dtype = tensor["bits"], tensor["dtype"]
    if bits is None:
        return None
    if isinstance(bits[0], bool):
        return np.array(bits).reshape(tensor["shape"])
    return np.array(bits, np.uint32).view(np.float32).astype(TYPES[dtype]).reshape(tensor["shape"])


def cases():
    """`(operator, element type, inputs, outputs)` of every call."""
    if PLACE is None:
        raise unittest.SkipTest("OPS_GLU_GRAD_CASES is not set: `cargo test -p ops-glu-grad-python` makes them")
    with open(PLACE) as file:
        for case in json.load(file):
            if case["dtype"] in TYPES:
                tensors = ([array(t) for t in case[role]] for role in ("inputs", "outputs"))
                yield case["op"], case["dtype"], *tensors


def same(got, want):
    """Whether arrays are equal to the bit, but for the payload of NaN."""
    got, want = np.asarray(got), np.asarray(want)
    bits = (np.where(a != a, np.float32(7.0), a.astype(np.float32)).view(np.uint32) for a in (got, want))
    return got.dtype == want.dtype and got.shape == want.shape and np.array_equal(*bits)


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)
