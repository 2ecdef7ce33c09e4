# RowSoftmax: the reference for tests on a device.
# Softmax along the last dimension.
# Generated from ascendc_trees::rows::row_softmax; do not edit.
import sys
from pathlib import Path

import torch
from atk.configs.dataset_config import InputDataset
from atk.tasks.api_execute import register
from atk.tasks.api_execute.base_api import BaseApi

sys.path.append(str(Path(__file__).resolve().parents[2] / "assets"))
from golden import row_softmax_golden  # noqa: E402


def numbers(tensor):
    """A tensor in float64; truth values as they are."""
    if tensor is None or tensor.dtype == torch.bool:
        return None if tensor is None else tensor.cpu().numpy()
    return tensor.detach().cpu().to(torch.float64).numpy()


@register("op_dsl_row_softmax")
class Reference(BaseApi):
    def __call__(self, input_data: InputDataset, with_output: bool = False):
        given = input_data.kwargs
        results = row_softmax_golden(numbers(given.get("x")))
        dtype = given["x"].dtype
        results = [torch.from_numpy(result).to(dtype) for result in results]
        return results[0] if len(results) == 1 else results
