"""Tensors of PyTorch as arrays, on any device, with gradients, in narrow floats or sparse.

PyTorch is not imported: whoever has a tensor has imported it.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any, cast

import numpy as np
from scipy.sparse import coo_array, csc_array, csr_array


def is_tensor(value: Any) -> bool:
    """Return whether a value is a tensor of PyTorch, or of a subclass such as a parameter."""
    return _is_class_of_tensors(cast(Hashable, type(value)))


@lru_cache  # every score asks this of all its data
def _is_class_of_tensors(kind: Any) -> bool:
    return any(each.__module__ == "torch" and each.__name__ == "Tensor" for each in kind.__mro__)


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
