"""The package on one machine beside results of another: `python other_machine.py CASES`, the file that `cargo test` wrote there.

SIMD levels have tables and orders of operations of their own, so that results agree within their errors and not to the bit.
"""

import os
import platform
import sys

os.environ["OPS_GLU_GRAD_CASES"] = sys.argv[1]

import numpy as np  # noqa: E402  # `cases` reads the variable when it is imported
import ops_glu_grad as og  # noqa: E402
from cases import as_tuple, cases  # noqa: E402

#: Bits of the fraction of each element type.
FRACTION = {"f16": 10, "bf16": 7, "f32": 23}


def main():
    calls, operators = 0, set()
    for name, dtype, inputs, want in cases():
        for got, expected in zip(as_tuple(og.OPERATORS[name](*inputs)), want, strict=True):
            assert got.dtype == expected.dtype and got.shape == expected.shape, (name, dtype)
            got, expected = (np.asarray(a).astype(np.float64) for a in (got, expected))
            # Either is within two units of the exact result.
            bound = 4 * 2.0 ** -FRACTION[dtype] * np.abs(expected)
            off = ~(np.isclose(got, expected, rtol=0, atol=0, equal_nan=True) | (np.abs(got - expected) <= bound))
            assert not off.any(), (name, dtype, got[off], expected[off])
        calls += 1
        operators.add(name)
    assert operators == set(og.OPERATORS), set(og.OPERATORS) - operators
    print(f"{platform.machine()}, Python {platform.python_version()}: {calls} calls of {len(operators)} operators")


main()
