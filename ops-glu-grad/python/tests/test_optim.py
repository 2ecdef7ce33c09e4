"""Optimizers: against PyTorch's, and steps in place on arrays of numpy."""

import copy
import unittest

import numpy as np
import ops_glu_grad as og

try:
    import torch
except ModuleNotFoundError:
    torch = None


def numbers(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32) / 4


class Functions(unittest.TestCase):
    def test_arrays_are_replaced(self):
        p, g, m = numbers(5, 7), numbers(5, 7, seed=2), numbers(5, 7, seed=3)
        want_p, want_m = og.lion(p, g, m, lr=0.01, weight_decay=0.1)
        got = og.optim.lion(p, g, m, lr=0.01, weight_decay=0.1)
        self.assertIs(got[0], p)
        self.assertIs(got[1], m)
        self.assertTrue(np.array_equal(p, want_p) and np.array_equal(m, want_m))

    def test_parts_of_a_flat_buffer_are_replaced(self):
        flat = numbers(40)
        before, g = flat.copy(), numbers(3, 4, seed=2)
        part = flat[4:34:2][:12].reshape(3, 4)
        self.assertIs(og.optim.sgd(part, g, lr=0.5), part)
        self.assertTrue(np.allclose(part, before[4:28:2].reshape(3, 4) - 0.5 * g, atol=1e-7))
        rest = np.setdiff1d(np.arange(40), np.arange(4, 28, 2))
        self.assertTrue(np.array_equal(flat[rest], before[rest]))

    def test_every_step_has_a_signature_without_out(self):
        for step in og.optim.STEPS.values():
            self.assertNotIn("out", step.__signature__.parameters)
            self.assertIn("in place", step.__doc__)

    def test_refusals(self):
        p = numbers(4)
        with self.assertRaisesRegex(TypeError, "Ema: tensor `ema` has dtype f16; allowed: f32"):
            og.optim.ema(p.astype(np.float16), p)
        with self.assertRaisesRegex(ValueError, "Sgd: output `new_param` overlaps input `grad`"):
            og.optim.sgd(p[1:], p[:-1])


@unittest.skipIf(torch is None, "no torch")
class Optimizers(unittest.TestCase):
    #: Arguments of each optimizer that PyTorch has as well.
    CASES = [
        ("SGD", {"lr": 1e-3}),
        ("SGD", {"lr": 1e-3, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.01}),
        ("SGD", {"lr": 1e-3, "momentum": 0.9, "nesterov": True}),
        ("Adam", {"weight_decay": 0.01}),
        ("AdamW", {"betas": (0.9, 0.95), "weight_decay": 0.1}),
        ("AdamW", {}),
        ("RMSprop", {"lr": 1e-3, "weight_decay": 0.01}),
        ("RMSprop", {"lr": 1e-3, "momentum": 0.9}),
        ("Adagrad", {"lr": 1e-2, "lr_decay": 0.01, "weight_decay": 0.01, "initial_accumulator_value": 0.1}),
    ]

    def parameters(self):
        random = torch.Generator().manual_seed(3)
        shapes = ((33, 7), (129,), (0,), (2, 3, 5))
        made = [(torch.rand(shape, generator=random) / 2 - 0.25).requires_grad_() for shape in shapes]
        # A parameter that lies by columns.
        return [*made, torch.rand(6, 4, generator=random).t().requires_grad_()]

    def train(self, optimizer, params, steps=100, first=0):
        for step in range(first, first + steps):
            random = torch.Generator().manual_seed(step)
            for p in params:
                # In the parameter's layout, which PyTorch's fused steps take for granted.
                p.grad = torch.empty_like(p).copy_(torch.randn(p.shape, generator=random))
            optimizer.step()

    def close(self, got, want, bound=1e-6):
        for g, w in zip(got, want, strict=True):
            self.assertLessEqual((g - w).abs().max().item() if g.numel() else 0.0, bound)

    def test_a_hundred_steps_are_those_of_foreach_and_fused(self):
        for name, named in self.CASES:
            for how in ("foreach", "fused"):
                if how == "fused" and name == "RMSprop":
                    continue
                with self.subTest(name, how=how, **named):
                    params, theirs = self.parameters(), self.parameters()
                    own = getattr(og.optim, name)(params, **named)
                    other = getattr(torch.optim, name)(theirs, **named, **{how: True})
                    self.train(own, params)
                    self.train(other, theirs)
                    with torch.no_grad():
                        self.close(params, theirs)
                    for p, t in zip(params, theirs):
                        self.assertEqual(
                            {k for k, v in own.state[p].items() if v is not None},
                            {k for k, v in other.state[t].items() if v is not None},
                        )

    def test_state_is_taken_over_both_ways(self):
        for name, named in self.CASES:
            with self.subTest(name, **named):
                params, theirs = self.parameters(), self.parameters()
                own, other = getattr(og.optim, name)(params, **named), getattr(torch.optim, name)(theirs, **named)
                self.train(own, params, 20)
                self.train(other, theirs, 20)
                mine, yours = copy.deepcopy(own.state_dict()), copy.deepcopy(other.state_dict())
                own.load_state_dict(yours)
                other.load_state_dict(mine)
                self.train(own, params, 20, first=20)
                self.train(other, theirs, 20, first=20)
                with torch.no_grad():
                    self.close(params, theirs)

    def test_state_of_16_bit_parameters_is_f32(self):
        for name in ("SGD", "Adam", "AdamW", "Lion", "RMSprop", "Adagrad"):
            named = {"momentum": 0.9} if name in ("SGD", "RMSprop") else {}
            exact = [p.detach().bfloat16().float().requires_grad_() for p in self.parameters()]
            params = [p.detach().bfloat16().requires_grad_() for p in exact]
            optimizer = getattr(og.optim, name)(params, lr=1e-2, **named)
            self.train(optimizer, params, 3)
            again = getattr(og.optim, name)(params, lr=1e-2, **named)
            again.load_state_dict(copy.deepcopy(optimizer.state_dict()))
            for p in params:
                for key, value in optimizer.state[p].items():
                    self.assertEqual(value.dtype, torch.float32, (name, key))
                    self.assertTrue(torch.equal(value, again.state[p][key]), (name, key))
                self.assertEqual(p.dtype, torch.bfloat16)

    def test_training_is_that_of_pytorch(self):
        losses = []
        for optim in (torch.optim, og.optim):
            torch.manual_seed(1)
            model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.SiLU(), torch.nn.Linear(16, 1))
            optimizer = optim.AdamW(model.parameters(), lr=1e-2)
            schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 50)
            x = torch.randn(64, 8)
            y = x.square().sum(1, keepdim=True)

            def loss():
                optimizer.zero_grad()
                value = (model(x) - y).square().mean()
                value.backward()
                return value

            losses.append([])
            for _ in range(50):
                losses[-1].append(optimizer.step(loss).item())
                schedule.step()
        np.testing.assert_allclose(losses[1], losses[0], rtol=1e-5)
        self.assertLess(losses[1][-1], losses[1][0])

    def test_autograd_sees_that_parameters_have_changed(self):
        p = torch.ones(3, requires_grad=True)
        loss = (p * p).sum()
        p.grad = torch.ones(3)
        og.optim.AdamW([p]).step()
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            loss.backward()

    def test_bad_gradients_show(self):
        for name in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad"):
            for bad in (float("nan"), float("inf")):
                p = torch.ones(2, requires_grad=True)
                p.grad = torch.tensor([bad, 1.0])
                getattr(og.optim, name)([p]).step()
                self.assertEqual(p.detach().isfinite().tolist(), [False, True], (name, bad))

    def test_refusals(self):
        p = torch.ones(3, requires_grad=True)
        with self.assertRaisesRegex(ValueError, "AdamW: `amsgrad` is True; allowed: False"):
            og.optim.AdamW([p], amsgrad=True)
        with self.assertRaisesRegex(ValueError, "RMSprop: `centered` is True; allowed: False"):
            og.optim.RMSprop([p], centered=True)
        with self.assertRaisesRegex(ValueError, "Lion: `maximize` is True; allowed: False"):
            og.optim.Lion([p], maximize=True)
        with self.assertRaisesRegex(ValueError, "Lion: lr -1"):
            og.optim.Lion([p], lr=-1)
        optimizer = og.optim.AdamW([p])
        p.grad = torch.ones(3).to_sparse()
        with self.assertRaisesRegex(ValueError, "AdamW: tensor `grad` has layout torch.sparse_coo; allowed: torch.strided"):
            optimizer.step()
        self.assertEqual(len(optimizer.state[p]), 0)
        for dtype, name in ((torch.float64, "f64"), (torch.complex64, "complex64")):
            q = torch.ones(3, dtype=dtype, requires_grad=True)
            q.grad = torch.ones(3, dtype=dtype)
            with self.assertRaisesRegex(TypeError, f"AdamW: tensor `param` has dtype {name}; allowed: f16, bf16, f32"):
                og.optim.AdamW([q]).step()


if __name__ == "__main__":
    unittest.main()
