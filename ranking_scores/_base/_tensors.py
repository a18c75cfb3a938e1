"""Tensors of PyTorch as arrays, on any device, with gradients, in narrow floats or sparse.

PyTorch is not imported: whoever has a tensor has imported it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np


def _is_tensor_class(kind: type) -> bool:
    return any(base.__module__ == "torch" and base.__name__ == "Tensor" for base in kind.__mro__)


is_tensor_class: Callable[[type], bool] = lru_cache(_is_tensor_class)
"""Returns whether a class is that of PyTorch's tensors, or one below it, as for parameters. Every
score asks this of all its data."""


def array_of_tensor(tensor: Any) -> Any:
    """Return a tensor as an array, or as a sparse array of SciPy if it is sparse.

    It is copied once if it is on another device, and shares its memory with the array otherwise.
    Tensors without values and those of other layouts raise an error of PyTorch.
    """
    here = tensor.detach().cpu()
    layout = str(here.layout).removeprefix("torch.sparse_")
    if layout not in _PARTS:
        return _dense(here)
    if layout == "coo":
        here = here.coalesce()  # values that are stored twice are summed, as by `to_dense`
    values = _dense(here.values())
    if values.ndim != 1 or len(here.shape) != 2:
        raise TypeError("A sparse tensor must be 2-D and store single values. Use `.to_dense()`.")
    if values.dtype == np.float16:  # which SciPy's sparse arrays do not have
        values = values.astype(wide_dtype("float16"))
    parts = [_dense(getattr(here, name)()) for name in _PARTS[layout].split()]
    make = getattr(import_module("scipy.sparse"), f"{layout}_array")  # which takes long to load
    return make((values, *parts), shape=tuple(here.shape))


_PARTS = {"coo": "indices", "csr": "col_indices crow_indices", "csc": "row_indices ccol_indices"}
"""What says where the values of a sparse tensor are, by its layout."""


def _dense(tensor: Any) -> Any:
    """Return a tensor of the host that is not sparse as an array."""
    name = str(tensor.dtype).removeprefix("torch.")
    # Forced, since conjugates and negatives may only be marked as such.
    if name.startswith(("bfloat16", "float8")):
        return tensor.float().numpy(force=True).view(wide_dtype(name))
    return tensor.numpy(force=True)


@lru_cache
def wide_dtype(name: str) -> np.dtype[np.float32]:
    """Return float32 for values of a narrow dtype, which it holds exactly.

    Its metadata are the number of binary digits of these and the exponent of the smallest one, by
    which `rounded` does with a threshold what was done with the values.
    """
    form = {"float16": "e5m10", "bfloat16": "e8m7"}.get(name, name)
    pattern = r"e(\d)m(\d+)(b11)?(?:fn)?(uz)?"
    exponent, digits, is_11, is_uz = re.findall(pattern, f"{form} e8m23")[0]  # ints as float32
    lowest = 1 - (11 if is_11 else 2 ** (int(exponent) - 1) - 1 + bool(is_uz)) - int(digits)
    return np.dtype(np.float32, metadata={"narrow": (int(digits) + 1, lowest)})


def rounded(values: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return floats, rounded as values of a dtype are, or of the narrow one that it stands for."""
    with np.errstate(over="ignore"):  # a value beyond the dtype becomes infinite
        floats = np.asarray(values).astype(dtype).astype(np.float64)
    digits, lowest = (dtype.metadata or {"narrow": (53, -1074)})["narrow"]
    step = np.ldexp(1.0, np.maximum(np.frexp(floats)[1] - digits, lowest))
    return np.asarray(np.rint(floats / step) * step)
