"""Sparse scores of retrieved ids, which are built only if something asks for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Build = Callable[[NDArray[Any], int], csr_array]
"""A function from ids and the number of items to sparse scores."""


class RankedIds(csr_array):  # type: ignore[misc]  # SciPy has no types
    """Sparse scores of ids in the order of their ranks, built only when something asks for them.

    Most scores look up the label of each id instead, so that no id is brought to its column. Once
    it is built, the class is that of any sparse array, which callers may change.
    """

    dtype = np.dtype(np.int64)
    ids_by_rank: NDArray[Any]
    """The ids, (n_queries, n_ranks), with -1 after the last id of a row."""

    def __new__(cls, *args: Any, **options: Any) -> Any:
        """Return a usual array, if SciPy makes another array of this class."""
        return csr_array(*args, **options)

    @classmethod
    def of(cls, ids: NDArray[Any], n_items: int, build: Build) -> RankedIds:
        """Return the scores of ids that nothing changes."""
        scores: RankedIds = object.__new__(cls)
        scores.__dict__.update(_shape=(len(ids), n_items), ids_by_rank=ids, _build=build)
        return scores

    def __getattr__(self, name: str) -> Any:
        """Build the array if SciPy asks for what only a built array has."""
        if name in ("data", "indices", "indptr", "maxprint") or re.match("_[^_]", name):
            return getattr(self._built(), name)
        raise AttributeError(name, name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._built(), name, value)

    def __reduce__(self) -> Any:
        return self._built().__reduce_ex__(2)

    def _built(self) -> Any:
        """Make this a usual array of SciPy, and return it."""
        given = self.__dict__.copy()
        if "_build" in given:  # and no other thread has built it since
            built = given["_build"](given["ids_by_rank"], given["_shape"][1])
            self.__dict__.update(vars(built))
            object.__setattr__(self, "__class__", csr_array)
            for name in ("ids_by_rank", "_build"):
                self.__dict__.pop(name, None)
        return self
