"""The extension without the wheel's operators: what its C++ refuses, and the derivatives that its Python registers.

Kernels for CPUs are lent by the functions on arrays, so that there is something to differentiate.
"""

import torch
from test_torch import TABLE, Derivatives, as_tuple, has_derivative, has_second, inputs, og, registered, required
from torch.fx.experimental.proxy_tensor import make_fx
from torch.library import opcheck

OPS = torch.ops.ops_glu_grad


def lend(library, operator):
    """The operator's kernel for CPUs."""
    function = og.OPERATORS[operator.name]

    def kernel(*given):
        arrays = [value.detach().numpy() if isinstance(value, torch.Tensor) else value for value in given]
        results = tuple(map(torch.from_numpy, as_tuple(function(*arrays))))
        return results if len(results) > 1 else results[0]

    library.impl(operator.snake, kernel, "CPU")


def raises(kind, call, *said):
    try:
        call()
    except kind as error:
        assert all(text in str(error) for text in said), error
        return
    raise AssertionError(kind)


def check():
    refusals()
    library = torch.library.Library("ops_glu_grad", "IMPL")
    table = [operator for operator in TABLE.values() if hasattr(OPS, operator.snake)]
    for operator in table:
        lend(library, operator)
    derivatives(table)


def refusals():
    raises(ValueError, lambda: OPS.ge_glu_v2(torch.empty(3, 5, device="meta")), "must be even")
    raises(ValueError, lambda: OPS.ge_glu_v2(torch.empty(3, 4, device="meta"), approximate="erf"), "allowed: none, tanh")
    raises(TypeError, lambda: OPS.silu(torch.empty(3, dtype=torch.complex64, device="meta")), "Silu: tensor `x`")
    traced = make_fx(lambda x: OPS.swi_glu(x, dim=1), tracing_mode="symbolic")(torch.empty(3, 8))
    assert "ops_glu_grad.swi_glu.default" in traced.code


def takes_f32(operator):
    """Whether the extension's operator takes f32: a gradient whose sums are not accurate enough has 16 bits alone on NPUs."""
    try:
        registered(operator)(*(t if t is None else t.to("meta") for t in inputs(operator)))
    except TypeError:
        return False
    return True


def derivatives(table):
    checked = 0
    for operator in table:
        gradient = TABLE[operator.derivative.gradient] if has_derivative(operator) else None
        if gradient not in table:
            continue
        op = registered(operator)
        if not takes_f32(gradient):
            # Differences of 16 bits tell nothing.
            opcheck(op, tuple(required(inputs(operator, torch.float16))))
            continue
        opcheck(op, tuple(required(inputs(operator))))
        torch.autograd.gradcheck(op, required(inputs(operator)), **Derivatives.BOUNDS)
        checked += 1
        if has_second(operator):
            torch.autograd.gradgradcheck(lambda *given: as_tuple(op(*given))[0], required(inputs(operator)), **Derivatives.BOUNDS)
    assert checked > 35, checked
    x = torch.randn(4, 8, requires_grad=True)

    def gated(x):
        return OPS.ge_glu_v2(x, dim=0, approximate="none", activate_left=True)[0]

    def composed(x):
        gate, value = x.chunk(2, 0)
        return torch.nn.functional.gelu(gate) * value

    want = torch.autograd.grad(composed(x).sum(), x)[0]
    for call in (gated, torch.compile(gated, fullgraph=True)):
        torch.testing.assert_close(torch.autograd.grad(call(x).sum(), x)[0], want, rtol=1e-5, atol=1e-6)
    raises(NotImplementedError, lambda: OPS.relu_grad(x, x).sum().backward(), "ReluGrad has no derivative", "SwiGlu")
    raises(NotImplementedError, lambda: OPS.elu(x, alpha=2.0).sum().backward(), "`alpha` 1.0 alone")
