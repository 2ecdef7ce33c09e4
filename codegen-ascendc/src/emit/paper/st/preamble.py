import sys
from pathlib import Path

import torch
from atk.configs.dataset_config import InputDataset
from atk.tasks.api_execute import register
from atk.tasks.api_execute.base_api import BaseApi

sys.path.append(str(Path(__file__).resolve().parents[2] / "assets"))
from golden import @golden@  # noqa: E402


def numbers(tensor):
    """A tensor in float64; truth values as they are."""
    if tensor is None or tensor.dtype == torch.bool:
        return None if tensor is None else tensor.cpu().numpy()
    return tensor.detach().cpu().to(torch.float64).numpy()

