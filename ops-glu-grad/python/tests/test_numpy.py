"""The functions on arrays of numpy."""

import inspect
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
import ops_glu_grad as og
from cases import as_tuple, cases, ml_dtypes, same


def some(*shape, dtype=np.float32):
    return np.random.default_rng(7).normal(size=shape).astype(dtype)


def _in_a_child(pipe, x, want):
    pipe.send(same(og.silu(x), want))


class Results(unittest.TestCase):
    def test_every_operator_has_the_bits_of_the_calls_from_rust(self):
        ran = set()
        for name, dtype, inputs, want in cases():
            with self.subTest(name=name, dtype=dtype):
                got = as_tuple(og.OPERATORS[name](*inputs))
                self.assertTrue(all(same(g, w) for g, w in zip(got, want, strict=True)))
                ran.add(name)
        self.assertEqual(ran, set(og.OPERATORS))

    def test_layouts_do_not_change_a_bit(self):
        def layouts(a):
            apart = np.zeros((2 * a.shape[0], 3 * a.shape[1]), a.dtype)
            apart[::2, ::3] = a
            yield apart[::2, ::3]
            yield np.asfortranarray(a)
            yield a[::-1, ::-1].copy()[::-1, ::-1]

        for name, dtype, inputs, want in cases():
            changed = zip(*([None] * 3 if a is None else layouts(a) for a in inputs))
            for inputs in changed:
                out = tuple(next(layouts(w)) for w in want)
                got = og.OPERATORS[name](*inputs, out=out)
                self.assertIs(as_tuple(got)[0], out[0])
                self.assertTrue(all(same(g, w) for g, w in zip(out, want)), (name, dtype))

    def test_the_first_example(self):
        x = some(4, 8)
        y, gelu = og.ge_glu(x, approximate="none")
        self.assertEqual((y.shape, gelu.shape, y.dtype), ((4, 4), (4, 4), x.dtype))
        dx = og.ge_glu_grad(np.ones_like(y), x, gelu, approximate=0)
        self.assertEqual(dx.shape, x.shape)
        self.assertTrue(same(og.ge_glu(x, dim=1)[0], og.ge_glu_v2(x)[0]))

    def test_doubles_are_computed_in_double_precision(self):
        x = some(5, 37, dtype=np.float64)
        want = x / (1 + np.exp(-x))
        for given in (x, np.asfortranarray(x), x[::-1, ::2]):
            y = og.silu(given)
            self.assertEqual(y.dtype, np.float64)
            self.assertLess(np.abs(y - given / (1 + np.exp(-given))).max(), 4e-16)
        self.assertIs(og.silu(x, out=x), x)
        self.assertLess(np.abs(x - want).max(), 4e-16)
        self.assertEqual(og.elu(np.array([-1e-30]), alpha=0.1)[0], 0.1 * -1e-30)

    def test_nothing_is_copied_in_place(self):
        x = some(64)
        want, address = og.silu(x), x.ctypes.data
        self.assertIs(og.silu(x, out=x), x)
        self.assertEqual(address, x.ctypes.data)
        self.assertTrue(same(x, want))

    def test_some_outputs_are_the_callers(self):
        x, y = some(4, 8), np.empty((4, 4), np.float32)
        got = og.ge_glu(x, out=(y, None))
        self.assertIs(got[0], y)
        self.assertTrue(all(same(g, w) for g, w in zip(got, og.ge_glu(x))))

    def test_levels_are_those_of_the_processor(self):
        x = some(1000)
        try:
            og._core.use_level("baseline" if os.uname().machine == "x86_64" else "neon")
            slow = og.silu(x)
        finally:
            og._core.use_level()
        np.testing.assert_allclose(slow, og.silu(x), rtol=4 * 2.0**-23)
        with self.assertRaisesRegex(ValueError, "SIMD level `sse9` is unknown or not of this CPU; allowed: "):
            og._core.use_level("sse9")

    def test_ranks_from_zero_to_eight(self):
        for rank in range(9):
            x = some(*[2] * rank)
            self.assertEqual(og.silu(x).shape, x.shape)
        self.assertEqual(og.silu(np.empty((3, 0), np.float32)).shape, (3, 0))

    def test_masks_and_counts_of_rows(self):
        x, mask = some(4, 8), some(4, 8) > 0
        self.assertTrue(same(og.relu_grad_v2(x, mask), np.where(mask, x, np.float32(0))))
        self.assertTrue(same(og.relu_grad_v2(x, mask.astype(np.uint8)), np.where(mask, x, np.float32(0))))
        y = og.clipped_swiglu(x, np.array([1, 2], np.int64))
        self.assertTrue(same(y[:3], og.clipped_swiglu(x)[:3]) and not y[3].any())

    @unittest.skipUnless(ml_dtypes, "no ml_dtypes")
    def test_types_are_promoted_where_the_operator_does(self):
        dy, x = some(4, 8, dtype=ml_dtypes.bfloat16), some(4, 8)
        self.assertEqual(og.gelu_grad_v2(dy, x).dtype, np.float32)
        self.assertEqual(og.gelu_grad_v2(dy, dy).dtype, dy.dtype)


class Refusals(unittest.TestCase):
    def refused(self, kind, message, call):
        with self.assertRaises(kind) as raised:
            call()
        self.assertIn(message, str(raised.exception))

    def test_types(self):
        x = some(4, 8)
        refused = [
            ("GeGluV2: tensor `x` has dtype complex128; allowed: f16, bf16, f32, f64", lambda: og.ge_glu(some(4, 8, dtype=complex))),
            ("GeGluV2: tensors are builtins.list; allowed: numpy.ndarray", lambda: og.ge_glu([[1.0, 2.0]])),
            ("of the other byte order", lambda: og.ge_glu(x.astype(x.dtype.newbyteorder()))),
            ("out is (list, NoneType); allowed: 2 of ndarray or None (y, gelu)", lambda: og.ge_glu(x, out=([], None))),
            ("out is (ndarray); allowed: 2 of ndarray", lambda: og.ge_glu(x, out=x)),
            ("attribute `dim` cannot be 'last'; allowed: an integer", lambda: og.ge_glu(x, dim="last")),
            ("attribute `activate_left` cannot be 2; allowed: True or False", lambda: og.ge_glu(x, activate_left=2)),
            ("SiluGrad: tensor `x`", lambda: og.silu_grad(x, x.astype(np.float16))),
            ("tensor `y` has dtype f16", lambda: og.silu(x, out=x.astype(np.float16))),
            ("unexpected keyword argument 'dims'", lambda: og.ge_glu(x, dims=1)),
            ("missing 1 required positional argument: 'x'", lambda: og.ge_glu()),
            ("tensor `mask` has dtype f64; allowed: bool", lambda: og.relu_grad_v2(x, some(4, 8, dtype=float))),
        ]
        for message, call in refused:
            self.refused(TypeError, message, call)

    def test_values(self):
        x = some(4, 8)
        fixed = x[:, :4].copy()
        fixed.flags.writeable = False
        odd = np.zeros(33, np.uint8)[1:].view(np.float32)
        record = np.zeros(4, [("x", np.float32), ("flag", np.uint8)])["x"]
        refused = [
            ("GeGluV2: tensor `x` has shape [4, 7]; dimension 1 is cut in two and must be even", lambda: og.ge_glu(x[:, 1:])),
            ("attribute `dim` cannot be 2; allowed: -2 to 1", lambda: og.ge_glu(x, dim=2)),
            ("attribute `approximate` cannot be `erf`; allowed: none (0), tanh (1)", lambda: og.ge_glu(x, approximate="erf")),
            ("SiluGrad: tensor `x` has shape [8]; must be [4, 8]", lambda: og.silu_grad(x, x[0])),
            ("Silu: tensor `y` has shape [4, 7]", lambda: og.silu(x, out=x[:, 1:].copy())),
            ("Silu: output `y` is read-only", lambda: og.silu(x[:, :4], out=fixed)),
            ("Silu: tensor `x` has strides of (5,) bytes; allowed: multiples of the 4 bytes", lambda: og.silu(record)),
            ("overlaps input", lambda: og.silu(x[:, 1:], out=x[:, :-1])),
            ("may write an element twice", lambda: og.silu(x, out=np.lib.stride_tricks.as_strided(x[0], (4, 8), (0, 4)))),
            ("a view of rank 9; allowed: 0 to 8", lambda: og.silu(some(*[1] * 9), out=some(*[1] * 9))),
        ]
        for message, call in refused:
            self.refused(ValueError, message, call)
        self.assertEqual(og.silu(odd).shape, (8,))  # at an odd address


class Functions(unittest.TestCase):
    def test_signatures_and_pages(self):
        signature = inspect.signature(og.ge_glu)
        self.assertEqual(
            str(signature), "(x, dim=-1, approximate='tanh', activate_left=False, *, out=None, threads=0, inplace_backward=False)"
        )
        self.assertEqual(
            str(inspect.signature(og.mish_grad)), "(grad, x, tanhx=None, *, out=None, threads=0, inplace_backward=False)"
        )
        # It has no derivative of its own, so no backward pass.
        self.assertEqual(str(inspect.signature(og.relu_grad)), "(gradients, features, *, out=None, threads=0)")
        for name, function in og.OPERATORS.items():
            page = inspect.getdoc(function)
            self.assertIn(f"Operator {name}, of ", page)
            self.assertIs(getattr(og, function.operator.snake), function)
            self.assertIn(function.__name__, og.__all__)

    def test_torch_is_not_imported(self):
        script = "import sys, ops_glu_grad; assert 'torch' not in sys.modules"
        subprocess.run([sys.executable, "-c", script], check=True)

    def test_an_old_torch_is_refused(self):
        script = """
import sys, types
torch = sys.modules["torch"] = types.ModuleType("torch")
torch.Tensor, torch.__version__ = type("Tensor", (), {}), "2.5.1+cpu"
import ops_glu_grad
ops_glu_grad.silu(torch.Tensor())
"""
        ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertIn("ImportError: PyTorch 2.5.1+cpu is too old for ops_glu_grad; it needs 2.6 or later\n", ran.stderr)


class Threads(unittest.TestCase):
    def test_others_run_meanwhile(self):
        x = some(1 << 22).astype(np.float64)  # of f64, because such calls take tens of milliseconds on any machine
        out, done, turns = np.empty_like(x), threading.Event(), 0

        def work():
            for _ in range(4):
                og.mish_grad(x, x, out=out, threads=1)
            done.set()

        worker = threading.Thread(target=work)
        start = time.monotonic()
        worker.start()
        while not done.wait(0.001):
            turns += 1
        worker.join()
        # With the lock held there would be no more than a turn or two beside each call.
        self.assertGreater(turns, 20, time.monotonic() - start)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_a_forked_process_computes(self):
        x = some(1 << 20)
        want = og.silu(x)  # the pool is there
        here, there = multiprocessing.Pipe()
        children = [
            multiprocessing.get_context("fork").Process(target=_in_a_child, args=(there, x, want)) for _ in range(2)
        ]
        for child in children:
            child.start()
        try:
            for _ in children:
                self.assertTrue(here.poll(60), "hangs")
                self.assertTrue(here.recv())
        finally:
            for child in children:
                child.kill()


if __name__ == "__main__":
    unittest.main()
