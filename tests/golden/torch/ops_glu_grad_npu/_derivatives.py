# SwiGlu, SwiGluGrad: generated, do not edit

"""The operators, and which of them are derivatives of others. Importing it tells PyTorch."""

from collections import namedtuple

import torch

from ._gradient import rule

Operator = namedtuple("Operator", "name snake inputs outputs attributes dim broadcast derivative")
Tensor = namedtuple("Tensor", "name kind along", defaults=[None])
Attribute = namedtuple("Attribute", "name default")
#: Of the gradient: what its inputs hold, the inputs that its outputs belong to and those that it says nothing of, the operator's
#: attributes that are its own, and those for whose defaults alone it is right.
Derivative = namedtuple("Derivative", "gradient holds wrt unknown passed fixed")

OPERATORS = [
    Operator(
        name="SwiGlu",
        snake="swi_glu",
        inputs=[Tensor("x", "gated")],
        outputs=[Tensor("y", "whole")],
        attributes=[Attribute("dim", -1)],
        dim=0,
        broadcast=False,
        derivative=Derivative(
            gradient="SwiGluGrad",
            holds=[("upstream", 0), ("input", 0)],
            wrt=[0],
            unknown=[],
            passed=[0],
            fixed=[],
        ),
    ),
    Operator(
        name="SwiGluGrad",
        snake="swi_glu_grad",
        inputs=[Tensor("y_grad", "whole"), Tensor("x", "gated")],
        outputs=[Tensor("x_grad", "gated")],
        attributes=[Attribute("dim", -1)],
        dim=0,
        broadcast=False,
        derivative=None,
    ),
]

TABLE = {operator.name: operator for operator in OPERATORS}
CALLS = {operator.name: getattr(torch.ops.ops_glu_grad, operator.snake).default for operator in OPERATORS}
for operator in OPERATORS:
    remember, backward, _ = rule(operator, TABLE, CALLS)
    torch.library.register_autograd(f"ops_glu_grad::{operator.snake}", backward, setup_context=remember)
