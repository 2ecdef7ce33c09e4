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
@operators@
]

TABLE = {operator.name: operator for operator in OPERATORS}
CALLS = {operator.name: getattr(torch.ops.@namespace@, operator.snake).default for operator in OPERATORS}
for operator in OPERATORS:
    remember, backward, _ = rule(operator, TABLE, CALLS)
    torch.library.register_autograd(f"@namespace@::{operator.snake}", backward, setup_context=remember)
