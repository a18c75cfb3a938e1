"""Records, such as objects of JSON, whose fields may be in other records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MISSING = object()
"""The value of a field that a record does not have."""


def at(record: Mapping[Any, Any], name: str, default: Any = None) -> Any:
    """Return the value of a field. A name with dots reaches into records."""
    if name in record:
        return record[name]
    value: Any = record
    for part in name.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return default
        value = value[part]
    return value
