"""Backward passes that write gradients where the saved inputs lie. Skipped where PyTorch cannot be imported."""

import unittest

import numpy as np
import ops_glu_grad as og

try:
    import torch
except ModuleNotFoundError:
    raise unittest.SkipTest("no torch") from None

from ops_glu_grad._functions import overwritten
from test_torch import inputs

OPERATORS = {name: function for name, function in og.OPERATORS.items() if overwritten(function.operator)}


def gradients(function, leaves, **options):
    """Results of the layer before, the operator's first output, and the gradients by the leaves."""
    given = [t * 1 if t is not None and t.requires_grad else t for t in leaves]
    outputs = function(*given, **options)
    y = outputs[0] if isinstance(outputs, tuple) else outputs
    dy = torch.linspace(-2, 2, y.numel(), dtype=y.dtype).reshape(y.shape)
    found = torch.autograd.grad(y, [t for t in leaves if t is not None and t.requires_grad], dy, allow_unused=True)
    return given, y, found


class InPlace(unittest.TestCase):
    def test_gradients_have_the_bits_of_those_in_memory_of_their_own(self):
        for name, function in OPERATORS.items():
            operator = function.operator
            for dtype in (torch.float32, torch.bfloat16):
                leaves = inputs(operator, dtype)
                for i in operator.derivative.wrt:
                    leaves[i].requires_grad_()
                with self.subTest(name, dtype=dtype):
                    _, y, want = gradients(function, leaves)
                    given, z, got = gradients(function, leaves, inplace_backward=True)
                    self.assertTrue(torch.equal(y, z))
                    for a, b in zip(got, want):
                        self.assertTrue(torch.equal(a, b))
                    # The layer before is a multiplication by 1, so that the leaf's gradient is that of the layer's result.
                    by_input = dict(zip(operator.derivative.wrt, got))
                    for i in overwritten(operator):
                        self.assertTrue(torch.equal(given[i].detach(), by_input[i]))

    def test_an_expanded_input_is_left_alone(self):
        x = torch.randn(1, 8, requires_grad=True)
        before = (x * 2).expand(4, 8)
        (got,) = torch.autograd.grad(og.silu(before, inplace_backward=True).sum(), x)
        self.assertTrue(torch.equal(before[0], 2 * x.detach()[0]))
        self.assertTrue(torch.equal(got, torch.autograd.grad(og.silu((x * 2).expand(4, 8)).sum(), x)[0]))

    def test_parts_of_a_tensor_are_written(self):
        x = torch.randn(4, 16, requires_grad=True)
        both = x * 1
        (got,) = torch.autograd.grad(og.swi_glu_mul(*both.chunk(2, -1), inplace_backward=True).sum(), x)
        self.assertTrue(torch.equal(both.detach(), got))
        self.assertTrue(torch.equal(got, torch.autograd.grad(og.swi_glu_mul(*(x * 1).chunk(2, -1)).sum(), x)[0]))

    def test_refusals(self):
        x = torch.randn(4, 8, requires_grad=True)
        for leaf in (x, x.T, x[1:]):
            with self.assertRaisesRegex(ValueError, "Silu: `x` lies in a leaf that requires a gradient"):
                og.silu(leaf, inplace_backward=True)
        with self.assertRaisesRegex(ValueError, "Silu: with `out`"):
            og.silu(x.detach(), out=x.detach(), inplace_backward=True)
        with self.assertRaisesRegex(TypeError, "Silu: `inplace_backward` is for tensors of PyTorch"):
            og.silu(np.ones(3, np.float32), inplace_backward=True)
        with self.assertRaisesRegex(NotImplementedError, "Silu: the backward pass of `inplace_backward` has no derivative"):
            torch.autograd.grad(og.silu(x * 2, inplace_backward=True).sum(), x, create_graph=True)

    def test_an_input_that_another_operation_needs_is_refused(self):
        x = torch.randn(4, 8, requires_grad=True)
        shared = x * 2
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            (shared.sin() + og.silu(shared, inplace_backward=True)).sum().backward()
        y = og.silu(x * 2, inplace_backward=True).sum()
        y.backward(retain_graph=True)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            y.backward()

    def test_a_compiler_plans_memory_by_itself(self):
        x = torch.randn(4, 8, requires_grad=True)
        function = torch.compile(lambda x: og.silu(x * 2, inplace_backward=True).sum(), fullgraph=True)
        (got,), (want,) = (torch.autograd.grad(f(x), x) for f in (function, lambda x: og.silu(x * 2).sum()))
        torch.testing.assert_close(got, want)


if __name__ == "__main__":
    unittest.main()
