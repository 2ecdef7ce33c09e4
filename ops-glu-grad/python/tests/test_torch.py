"""The functions on tensors of PyTorch, and the operators in its registry. Skipped where it cannot be imported."""

import logging
import re
import tempfile
import unittest
import warnings

import numpy as np
import ops_glu_grad as og
from cases import as_tuple, cases, same

try:
    import torch
except ModuleNotFoundError:
    raise unittest.SkipTest("no torch") from None

from torch.distributed.fsdp import fully_shard
from torch.library import opcheck
from torch.nn import functional

TABLE = {name: function.operator for name, function in og.OPERATORS.items()}
#: What PyTorch says of every use of it in single precision, and of its own parts.
warnings.filterwarnings("ignore")


def registered(operator):
    return getattr(torch.ops.ops_glu_grad, operator.snake).default


def inputs(operator, dtype=torch.float32, rows=3):
    """Numbers that keep away from multiples of 1/2, where kinks are, as the sum of two of them does."""
    random = torch.Generator().manual_seed(5)

    def numbers(index, *shape):
        steps = torch.randint(-6, 6, shape, generator=random) / 2 + (0.25 if index == 0 else 0.0)
        return (steps + (torch.rand(shape, generator=random) - 0.5) / 10).to(dtype)

    made = []
    for index, tensor in enumerate(operator.inputs):
        # The first is a gradient's upstream one: what it multiplies has the kinks.
        index = (index + 1) % len(operator.inputs) if operator.forward else index
        width = 4 if tensor.kind == "gated" else 2
        if tensor.optional:
            made.append(None)
        elif tensor.kind == "mask":
            made.append(torch.rand((rows, width), generator=random) > 0.5)
        elif tensor.own:
            # What an operator keeps in a type of its own may be a mean of squares, and its root is taken.
            made.append(numbers(index, rows, width).to(getattr(torch, tensor.own)).abs())
        else:
            made.append(numbers(index, rows, width))
    return made


def required(tensors):
    return [t.requires_grad_() if t is not None and t.is_floating_point() else t for t in tensors]


def has_derivative(operator):
    """Whether one is known, by all inputs that matter, for inputs that do not depend on each other."""
    forward = operator.forward and TABLE[operator.forward].derivative
    saved = forward and any(what == "output" for what, _ in forward.holds)
    return bool(operator.derivative and not operator.derivative.unknown and not saved)


def has_second(operator):
    return bool(has_derivative(operator) and TABLE[operator.derivative.gradient].derivative)


class Results(unittest.TestCase):
    def test_every_operator_has_the_bits_of_the_calls_from_rust(self):
        def tensor(a):
            if a is None:
                return None
            return torch.from_numpy(a) if a.dtype.name != "bfloat16" else torch.from_numpy(a.view(np.int16)).view(torch.bfloat16)

        for name, dtype, given, want in cases():
            given, want = [tensor(a) for a in given], [tensor(a) for a in want]
            for got in (og.OPERATORS[name](*given), registered(TABLE[name])(*given)):
                for g, w in zip(as_tuple(got), want, strict=True):
                    self.assertEqual((g.dtype, g.shape), (w.dtype, w.shape), (name, dtype))
                    self.assertTrue(same(g.float().numpy(), w.float().numpy()), (name, dtype))

    def test_memory_is_the_callers(self):
        x = torch.randn(6, 8)
        out = torch.empty(8, 6).t()
        self.assertIs(og.silu(x, out=out), out)
        self.assertTrue(torch.equal(out, og.silu(x)))
        self.assertTrue(torch.equal(og.silu(x.t()), og.silu(x).t()))

    def test_refusals(self):
        x = torch.randn(4, 8, requires_grad=True)
        refused = [
            (TypeError, "GeGluV2: tensor `x` has dtype complex64; allowed: f16, bf16, f32, f64", lambda: og.ge_glu(x.to(torch.complex64))),
            (TypeError, "SiluGrad: tensors are numpy.ndarray, torch.", lambda: og.silu_grad(np.zeros((4, 8), np.float32), x)),
            (ValueError, "dimension 1 is cut in two and must be even", lambda: og.ge_glu(x[:, 1:])),
            (ValueError, "layout torch.sparse_coo; allowed: torch.strided", lambda: og.silu(x.detach(), out=x.detach().to_sparse())),
            (ValueError, "`threads` is for arrays", lambda: og.silu(x, threads=2)),
            (ValueError, "no gradient is recorded", lambda: og.silu(x, out=torch.empty(4, 8))),
            (ValueError, "is on meta; allowed: cpu", lambda: og.silu(x.detach(), out=torch.empty(4, 8, device="meta"))),
            (NotImplementedError, "no derivative among the operators of the table; allowed: GeGluV2, ", lambda: og.relu_grad(x, x).sum().backward()),
            (NotImplementedError, "is its gradient by `bias`; allowed: `x`", lambda: og.fused_bias_leaky_relu(x, x).sum().backward()),
            (NotImplementedError, "is that with `alpha` 1.0 alone", lambda: og.elu(x, alpha=2.0).sum().backward()),
        ]
        for kind, message, call in refused:
            with self.assertRaises(kind) as raised:
                call()
            self.assertIn(message, str(raised.exception))

    def test_without_data_they_are_those_of_calls(self):
        x, other = torch.randn(4, 8), torch.randn(2, 8)
        refused = [
            (TypeError, og.ge_glu, (x.to(torch.int64),), {}),
            (TypeError, og.silu_grad, (x, x.half()), {}),
            (ValueError, og.ge_glu, (x[:, 1:],), {}),
            (ValueError, og.silu_grad, (x, other), {}),
            (ValueError, og.swi_glu, (x,), {"dim": 2}),
            (ValueError, og.ge_glu, (x,), {"approximate": "erf"}),
        ]
        logging.getLogger("torch._subclasses.fake_tensor").setLevel(logging.CRITICAL)  # it reports each of them
        for kind, call, tensors, attributes in refused:
            with self.assertRaises(kind) as raised:
                call(*tensors, **attributes)
            with self.assertRaises(kind) as without:
                call(*(t.to("meta") for t in tensors), **attributes)
            self.assertEqual(str(without.exception), str(raised.exception))
            # The compiler wraps what it meets.
            with self.assertRaisesRegex(RuntimeError, re.escape(str(raised.exception))):
                torch.compile(call, fullgraph=True)(*tensors, **attributes)
        with self.assertRaisesRegex(ValueError, "SiluGrad: tensor `x` is on meta; allowed: cpu, as `dy` is"):
            og.silu_grad(x, x.to("meta"))

    def test_lengths_that_nobody_knows_are_left_to_the_call(self):
        def some(x):
            kept = x[x[:, 0].nonzero()[:, 0]]
            return og.swi_glu(kept, dim=0), og.silu_grad(kept, kept)

        with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
            compiled = torch.compile(some, fullgraph=True, backend="aot_eager")
            x = torch.randn(4, 8)
            for got, want in zip(compiled(x), some(x), strict=True):
                self.assertTrue(torch.equal(got, want))
            with self.assertRaisesRegex(ValueError, "dimension 0 is cut in two and must be even"):
                compiled(torch.cat([x, torch.zeros(1, 8), x[:1]]))


class Registry(unittest.TestCase):
    def test_opcheck_of_every_operator(self):
        for i, operator in enumerate(TABLE.values()):
            dtype = operator.dtypes[i % len(operator.dtypes)]  # one each, because tracing does not depend on it
            given = inputs(operator, getattr(torch, dtype))
            with self.subTest(operator=operator.name, dtype=dtype):
                opcheck(registered(operator), tuple(required(given) if has_derivative(operator) else given))

    def test_shapes_without_data_are_those_of_the_table(self):
        for operator in TABLE.values():
            given = inputs(operator)
            real = as_tuple(registered(operator)(*given))
            fake = as_tuple(registered(operator)(*(t if t is None else t.to("meta") for t in given)))
            for r, f in zip(real, fake, strict=True):
                self.assertEqual((r.shape, r.dtype, r.stride()), (f.shape, f.dtype, f.stride()), operator.name)


class Derivatives(unittest.TestCase):
    #: Steps of single precision, for operators that compute in no other.
    BOUNDS = {"eps": 1e-2, "atol": 1e-2, "rtol": 1e-2}

    def differences(self, operator):
        """Inputs of a comparison with differences, and its bounds: those of PyTorch in double precision."""
        if "float64" in operator.dtypes:
            return required(inputs(operator, torch.float64)), {}
        return required(inputs(operator)), self.BOUNDS

    def test_of_every_operator_against_differences(self):
        checked = 0
        for operator in TABLE.values():
            if has_derivative(operator):
                with self.subTest(operator=operator.name):
                    given, bounds = self.differences(operator)
                    torch.autograd.gradcheck(og.OPERATORS[operator.name], given, **bounds)
                checked += 1
        self.assertGreater(checked, 35)

    def test_second_ones_against_differences(self):
        checked = 0
        for operator in TABLE.values():
            if has_second(operator):
                with self.subTest(operator=operator.name):
                    (given, bounds), first = self.differences(operator), lambda *given, f=og.OPERATORS[operator.name]: as_tuple(f(*given))[0]
                    torch.autograd.gradgradcheck(first, given, **bounds)
                checked += 1
        self.assertGreaterEqual(checked, 20)

    def test_of_16_bits_are_those_of_32_rounded(self):
        for operator in TABLE.values():
            for dtype in (torch.float16, torch.bfloat16):
                if not has_derivative(operator) or str(dtype).removeprefix("torch.") not in operator.dtypes:
                    continue
                given = required(inputs(operator, dtype, rows=1))
                exact = required([t if t is None or t.dtype != dtype else t.detach().float() for t in given])
                for tensors in (given, exact):
                    as_tuple(og.OPERATORS[operator.name](*tensors))[0].sum().backward()
                for t, e in zip(given, exact):
                    if t is not None and t.grad is not None:
                        # What an operator saves is rounded too.
                        bound = 4 * torch.finfo(dtype).eps * (1 + e.grad.abs())
                        self.assertTrue((t.grad.float() - e.grad).abs().le(bound).all(), (operator.name, dtype))

    def test_what_is_broadcast_is_summed(self):
        x, weight = torch.randn(3, 4, requires_grad=True), torch.rand(4, requires_grad=True)
        og.p_relu(x, weight).sum().backward()
        want = torch.where(x > 0, torch.zeros(()), x).sum(0)
        self.assertTrue(torch.allclose(weight.grad, want))

    def test_weights_lie_along_the_channels(self):
        compiled = torch.compile(og.p_relu, fullgraph=True)
        for shape, count in (((2, 3), 3), ((2, 3, 4), 3), ((2, 3, 4, 5), 3), ((2, 3, 4, 5), 1), ((5,), 1), ((), 1)):
            torch.manual_seed(5)
            x, weight, dy = torch.randn(shape), torch.rand(count), torch.randn(shape)
            for layout in (torch.contiguous_format, torch.channels_last)[: 2 if x.dim() == 4 else 1]:
                results = []
                for f in (og.p_relu, compiled, functional.prelu):
                    tensors = required([x.clone(memory_format=layout), weight.clone()])
                    y = f(*tensors)
                    y.backward(dy)
                    results.append([y, *(t.grad for t in tensors)])
                for got in results[:2]:
                    for g, w in zip(got, results[2], strict=True):
                        self.assertEqual(g.shape, w.shape)
                        torch.testing.assert_close(g, w)
            moved = torch.randn_like(x), torch.randn_like(weight)
            got, want = (torch.func.jvp(f, (x, weight), moved)[1] for f in (og.p_relu, functional.prelu))
            torch.testing.assert_close(got, want)
        x, weights = torch.randn(6, 2, 3, 4), torch.rand(6, 3)
        for dims, given in (((0, 0), (x, weights)), ((0, None), (x, weights[0])), ((None, 0), (x[0], weights))):
            got, want = (torch.func.vmap(f, in_dims=dims)(*given) for f in (og.p_relu, functional.prelu))
            torch.testing.assert_close(got, want)
        got = torch.func.vmap(lambda x: og.p_relu(x, weights[0, :1]))(x[0, 0, 0])
        torch.testing.assert_close(got, functional.prelu(x[0, 0, 0], weights[0, :1]))
        for shape, count in (((2, 3, 4), 4), ((3,), 3), ((), 2)):
            with self.assertRaisesRegex(ValueError, r"PRelu: tensor `weight` has shape \[\d\], along dimension 1"):
                og.p_relu(torch.randn(shape), torch.rand(count))

    def test_parameters_that_are_broadcast_have_sums(self):
        def composed(x, alpha, gamma, beta):
            return gamma * torch.tanh(alpha * x) + beta

        torch.manual_seed(3)
        given = [torch.randn(shape) for shape in ((2, 3, 4), (1,), (4,), (3, 1))]
        results = []
        for f in (og.dy_t, composed, torch.compile(og.dy_t, fullgraph=True)):
            tensors = required([t.clone() for t in given])
            f(*tensors).square().sum().backward()
            results.append([t.grad for t in tensors])
        for got in (results[0], results[2]):
            for g, w, t in zip(got, results[1], given, strict=True):
                self.assertEqual(g.shape, t.shape)
                torch.testing.assert_close(g, w)
        # Forward mode, and a batch of any of them.
        tangents = tuple(torch.randn_like(t) for t in given)
        got, want = (torch.func.jvp(f, tuple(given), tangents)[1] for f in (og.dy_t, composed))
        torch.testing.assert_close(got, want)
        for batched in range(4):
            dims = tuple(0 if i == batched else None for i in range(4))
            some = [torch.stack([t, 2 * t]) if i == batched else t for i, t in enumerate(given)]

            def total(*tensors, f):
                return f(*tensors).square().sum()

            def batch(f, dims=dims, some=some):
                gradient = torch.func.grad(lambda *t: total(*t, f=f), argnums=(0, 1, 2, 3))
                return torch.func.vmap(gradient, in_dims=dims)(*some)

            for g, w in zip(batch(og.dy_t), batch(composed), strict=True):
                torch.testing.assert_close(g, w)

    def test_what_is_saved_takes_no_gradient(self):
        y, gelu = og.ge_glu(torch.randn(2, 8, requires_grad=True))
        self.assertTrue(y.requires_grad)
        self.assertFalse(gelu.requires_grad)


def loss(x):
    return og.ge_glu(x, approximate="none")[0].square().sum()


def composed(x):
    value, gate = x.chunk(2, -1)
    return (functional.gelu(gate) * value).square().sum()


class Transforms(unittest.TestCase):
    def close(self, got, want):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)

    def test_func(self):
        x = torch.randn(4, 8)
        self.close(torch.func.grad(loss)(x), torch.func.grad(composed)(x))
        self.close(torch.func.vmap(torch.func.grad(loss))(x), torch.func.grad(composed)(x))
        second = torch.func.jacrev(torch.func.grad(composed))(x)
        self.close(torch.func.jacrev(torch.func.grad(loss))(x), second)
        self.close(torch.autograd.functional.hessian(loss, x), second)

    def test_forward_mode_of_every_operator_is_reverse_mode(self):
        checked = 0
        for operator in TABLE.values():
            if not has_derivative(operator):
                continue
            with self.subTest(operator=operator.name):
                given = [t for t in inputs(operator) if t is not None]
                numbers = [i for i, t in enumerate(given) if t.is_floating_point()]

                def first(*moved, f=og.OPERATORS[operator.name], given=given, numbers=numbers):
                    tensors = [moved[numbers.index(i)] if i in numbers else t for i, t in enumerate(given)]
                    return as_tuple(f(*tensors))[0]

                moved = tuple(given[i] for i in numbers)
                arguments = tuple(range(len(moved)))
                self.close(torch.func.jacfwd(first, arguments)(*moved), torch.func.jacrev(first, arguments)(*moved))
                checked += 1
        self.assertGreater(checked, 35)

    def test_forward_over_reverse_mode(self):
        x = torch.randn(4, 8)
        self.close(torch.func.hessian(loss)(x), torch.func.hessian(composed)(x))
        for name in ("mish", "selu", "elu", "sigmoid", "tanh", "softplus", "softsign", "log_sigmoid", "swish"):
            def total(x, f=getattr(og, name)):
                return f(x).square().sum()

            reverse = torch.func.jacrev(torch.func.grad(total))(x)
            self.close(torch.func.hessian(total)(x), reverse)
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
            tangent = torch.autograd.forward_ad.unpack_dual(og.silu(dual)).tangent
        self.close(tangent, torch.func.grad(lambda x: og.silu(x).sum())(x))

    def test_forward_mode_of_interleaved_parts(self):
        x, moved = torch.randn(3, 8), torch.randn(3, 8)
        for interleaved in (False, True):
            def call(x, interleaved=interleaved):
                return og.clipped_swiglu(x, interleaved=interleaved)

            jacobian = torch.func.jacrev(call)(x)
            _, tangent = torch.func.jvp(call, (x,), (moved,))
            self.close(tangent, (jacobian * moved).sum((-2, -1)))

    def test_vmap_moves_the_dimension_that_is_cut(self):
        x = torch.randn(8, 5, 6)
        for dim, at in ((0, 1), (-2, 1), (1, 0), (-2, 2)):
            got = torch.func.vmap(lambda x: og.swi_glu(x, dim), in_dims=at)(x)
            want = torch.stack([og.swi_glu(one, dim) for one in x.unbind(at)])
            self.assertTrue(torch.equal(got, want))
        weight = torch.rand(5)
        got = torch.func.vmap(og.p_relu, in_dims=(2, None))(x, weight)
        self.assertTrue(torch.equal(got, torch.stack([og.p_relu(one, weight) for one in x.unbind(2)])))
        rows = torch.tensor([3])
        got = torch.func.vmap(og.clipped_swiglu, in_dims=(1, None))(x, rows)
        self.assertTrue(torch.equal(got, torch.stack([og.clipped_swiglu(one, rows) for one in x.unbind(1)])))

    def test_compile(self):
        x = torch.randn(4, 8)
        compiled = torch.compile(loss, fullgraph=True)
        self.close(compiled(x), loss(x))
        self.close(torch.compile(torch.func.grad(loss), fullgraph=True)(x), torch.func.grad(composed)(x))
        for rows in (4, 6, 10):  # the last two with a dimension that is no number any more
            x = torch.randn(rows, 8, requires_grad=True)
            compiled(x).backward()
            self.close(x.grad, torch.func.grad(composed)(x.detach()))

    def test_compile_of_every_operator(self):
        given = {name: inputs(operator) for name, operator in TABLE.items()}

        def every(given):
            return {name: as_tuple(og.OPERATORS[name](*tensors)) for name, tensors in given.items()}

        # One graph has them all, because a graph for each takes six times as long.
        got, want = torch.compile(every, fullgraph=True, backend="aot_eager")(given), every(given)
        for name in TABLE:
            for g, w in zip(got[name], want[name], strict=True):
                self.assertTrue(torch.equal(g, w), name)


class Gated(torch.nn.Module):
    """A small network, by our operator or by PyTorch's own."""

    def __init__(self, ours):
        super().__init__()
        torch.manual_seed(11)
        self.into, self.out, self.ours = torch.nn.Linear(8, 32), torch.nn.Linear(16, 1), ours

    def forward(self, x):
        x = self.into(x)
        if self.ours:
            return self.out(og.ge_glu(x, approximate="none")[0])
        value, gate = x.chunk(2, -1)
        return self.out(functional.gelu(gate) * value)


def sharded(model):
    mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (torch.distributed.get_world_size(),))
    for part in (model.into, model.out, model):
        fully_shard(part, mesh=mesh)
    return model


#: What makes one model of those of several processes.
ENGINES = {"DDP": torch.nn.parallel.DistributedDataParallel, "FSDP": sharded}


def train(rank, world, place, losses):
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{place}", rank=rank, world_size=world)
    for engine in ENGINES:
        for ours in (True, False):
            loss = trained(rank, engine, ours)
            torch.distributed.all_reduce(loss)
            if rank == 0:
                losses.put(loss.item())
    torch.distributed.destroy_process_group()


def trained(rank, engine, ours):
    """The last loss of a model of one of the processes."""
    model = ENGINES[engine](Gated(ours))
    optimiser = torch.optim.SGD(model.parameters(), 0.05)
    random = torch.Generator().manual_seed(rank)
    for _ in range(30):
        x = torch.randn(16, 8, generator=random)
        loss = (model(x)[:, 0] - x.prod(-1)).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return loss.detach().clone()


class Sums(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return og.silu(torch.full((1 << 20,), float(i)))[:4]


class Processes(unittest.TestCase):
    def test_two_train_as_with_the_composed_model(self):
        losses = torch.multiprocessing.get_context("spawn").SimpleQueue()
        with tempfile.TemporaryDirectory() as place:
            torch.multiprocessing.spawn(train, (2, f"{place}/meet", losses), nprocs=2)
        for engine in ENGINES:
            ours, composed = losses.get(), losses.get()
            self.assertAlmostEqual(ours / composed, 1.0, places=4, msg=engine)

    def test_a_forked_loader_does_not_hang(self):
        og.silu(torch.zeros(1 << 20))  # the pool is there
        loader = torch.utils.data.DataLoader(Sums(), num_workers=2, multiprocessing_context="fork", timeout=60)
        for i, batch in enumerate(loader):
            self.assertTrue(torch.equal(batch[0], og.silu(torch.full((4,), float(i)))))


if __name__ == "__main__":
    unittest.main()
