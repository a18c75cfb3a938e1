"""Tensors of PyTorch as arrays, on any device, with gradients, in narrow floats or sparse.

PyTorch is not imported: whoever has a tensor has imported it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csc_array, csr_array


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
    layout = str(here.layout).removeprefix("torch.")
    if layout not in ("sparse_coo", "sparse_csr", "sparse_csc"):
        return _dense(here)
    if layout == "sparse_coo":
        here = here.coalesce()  # values that are stored twice are summed, as by `to_dense`
    values = _dense(here.values())
    if values.ndim != 1 or len(here.shape) != 2:
        raise TypeError("A sparse tensor must be 2-D and store single values. Use `.to_dense()`.")
    if values.dtype == np.float16:  # which SciPy's sparse arrays do not have
        values = values.astype(np.float32)
    if layout == "sparse_coo":
        return coo_array((values, tuple(_dense(here.indices()))), shape=tuple(here.shape))
    if layout == "sparse_csr":
        cells = values, _dense(here.col_indices()), _dense(here.crow_indices())
        return csr_array(cells, shape=tuple(here.shape))
    cells = values, _dense(here.row_indices()), _dense(here.ccol_indices())
    return csc_array(cells, shape=tuple(here.shape))


def _dense(tensor: Any) -> Any:
    """Return a tensor of the host that is not sparse as an array."""
    is_narrow = str(tensor.dtype).startswith(("torch.bfloat16", "torch.float8"))
    # Forced, since conjugates and negatives may only be marked as such.
    return (tensor.float() if is_narrow else tensor).numpy(force=True)
