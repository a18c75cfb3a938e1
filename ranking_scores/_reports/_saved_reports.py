"""Reports as JSON, and what is read from it: the attributes of a report by their names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    Format,
    NotSavableError,
    ReadOnlyDict,
    column_from_json,
    column_to_json,
    dtype_to_json,
    float_from_json,
    float_to_json,
    from_json,
    locked,
    not_savable,
    python_ids,
    to_json,
    unique_identifiers,
)
from ranking_scores._metrics import UNJUDGED, Facts
from ranking_scores._reports._judgments import Judgments
from ranking_scores._tables import QueriesSeen, SomeQueries

REPORT = Format("ranking_scores report", 1, "`RankingReport.to_json`")
"""The format of the files of reports."""

Attributes = dict[str, Any]
"""The values of a report by the names of its attributes."""

BESIDE = ("worst", "best", "chance", *UNJUDGED)
"""What a report may have beside each mean."""
_OF_RESULT = ("mean", "standard_error", *BESIDE)
"""The attributes that have a float for each result."""
_OF_QUERY = ("query_ids", "sample_weight", "clusters")
"""The attributes that may have a value for each query."""
_SOME = ("judged", "predicted", "only_judged", "not_judged")


def content_of(report: Attributes, *, per_query: bool, function: str) -> dict[str, Any]:
    """Return the content of a file with a report, whose `standard_error` is computed.

    Without `per_query`, it has no values of queries.
    """
    seen, judgments = report["queries_seen"], report["judgments"]
    groups = [
        {"grouping": grouping, "group": key, **_of_queries(vars_of_group)}
        for grouping, of_group in report["by_group"].items()
        for key, vars_of_group in of_group.items()
    ]
    content = {
        "n_queries": report["n_queries"],
        "judgments": None if judgments is None else judgments._asdict(),
        "queries_seen": None if seen is None else _seen_to_json(seen),
        "item_weights": report["has_item_weights"],
        "scores": [
            {"name": name, **of_result, **report["facts"][name]._asdict()}
            for name, of_result in _results_to_json(report)
        ],
        "groups": groups,
    }
    for group in groups:
        group["group"] = _savable(to_json, group["group"], "by", function)
    if not per_query or "per_query" not in report:
        return content
    columns = list(_columns_of(report, function))
    rows = zip(*(values for _, values in columns), strict=True)
    return content | {"columns": [head for head, _ in columns], "queries": [*map(list, rows)]}


def relative_path(path: Path, folder: Path) -> str:
    """Return a path as seen from a folder."""
    return Path(os.path.relpath(path.resolve(), folder)).as_posix()


def _of_queries(report: Attributes) -> dict[str, Any]:
    """Return what is saved of the report of a group."""
    results = [{"name": name, **of_result} for name, of_result in _results_to_json(report)]
    return {"n_queries": report["n_queries"], "scores": results}


def _results_to_json(report: Attributes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the numbers of each result."""
    for name in report["mean"]:
        floats = {
            key: float_to_json(report[key][name]) for key in _OF_RESULT if report[key] is not None
        }
        yield name, floats | {"n_undefined": report["n_undefined"][name]}


def _columns_of(report: Attributes, function: str) -> Iterator[tuple[dict[str, str], list[Any]]]:
    """Yield the head and the values of each column of the table of queries."""
    named = {
        **{("of", name): report[name] for name in _OF_QUERY if report[name] is not None},
        **{("group", name): values for name, values in report["groups"].items()},
        **{("score", name): values for name, values in report["per_query"].items()},
    }
    for (role, name), values in named.items():
        parameter = name if role == "of" else "by"
        dtype = _savable(dtype_to_json, values, parameter, function)
        column = _savable(column_to_json, values, parameter, function)
        yield {role: name, "dtype": dtype}, column


def _savable(convert: Any, value: Any, parameter: str, function: str) -> Any:
    """Return a value as JSON. Raise the error about a parameter if files cannot hold it."""
    try:
        return convert(value)
    except NotSavableError as error:
        raise not_savable(error, parameter, function) from error


def _seen_to_json(seen: QueriesSeen) -> dict[str, Any]:
    some = {
        name: {"count": of.count, "first": [*map(to_json, of.first)]}
        for name, of in ((name, getattr(seen, name)) for name in _SOME)
    }
    counts = {"n_queries": seen.n_queries, "n_both": seen.n_both}
    return {**counts, **some, "queries": seen.queries}


def _seen_from_json(seen: Mapping[str, Any]) -> QueriesSeen:
    some = {
        name: SomeQueries(seen[name]["count"], tuple(map(from_json, seen[name]["first"])))
        for name in _SOME
    }
    return QueriesSeen(seen["n_queries"], seen["n_both"], queries=seen["queries"], **some)


def attributes_of(content: Mapping[str, Any]) -> Attributes:
    """Return the attributes of the report in a file, with those of its groups in `by_group`."""
    judgments, seen = content["judgments"], content["queries_seen"]
    of_queries: Attributes = {}
    groups: dict[str, NDArray[Any]] = {}
    if "queries" in content:
        of_queries, groups = _queries_from_json(content)
    return {
        **_results_from_json(content["scores"]),
        **of_queries,
        **({"groups": groups} if of_queries else {}),
        "n_queries": content["n_queries"],
        "values": content.get("values"),
        "by_group": _groups_from_json(content["groups"], of_queries, groups),
        "judgments": None if judgments is None else Judgments(**judgments),
        "queries_seen": None if seen is None else _seen_from_json(seen),
        "has_item_weights": content["item_weights"],
        "facts": {each["name"]: _facts_from_json(each) for each in content["scores"]},
    }


def _facts_from_json(score: Mapping[str, Any]) -> Facts:
    options, functions = ReadOnlyDict(score["options"]), tuple(score["functions"])
    return Facts(options, functions, score["greater_is_better"])


def _results_from_json(scores: list[dict[str, Any]]) -> Attributes:
    """Return the attributes with a number for each result."""
    report: Attributes = {
        key: ReadOnlyDict({each["name"]: float_from_json(each[key]) for each in scores})
        if key in scores[0]
        else None
        for key in _OF_RESULT
    }
    counts = {each["name"]: each["n_undefined"] for each in scores}
    return report | {"n_undefined": ReadOnlyDict(counts)}


def _queries_from_json(
    content: Mapping[str, Any],
) -> tuple[Attributes, dict[str, NDArray[Any]]]:
    """Return the attributes with a value for each query, and the groupings."""
    of_query: Attributes = dict.fromkeys(_OF_QUERY)
    per_query: dict[str, NDArray[Any]] = {}
    groups: dict[str, NDArray[Any]] = {}
    heads, columns = content["columns"], zip(*content["queries"], strict=True)
    for head, values in zip(heads, columns, strict=True):
        array = locked(column_from_json(list(values), head["dtype"]))
        if "of" in head:
            of_query[head["of"]] = array
        else:
            (groups if "group" in head else per_query)[head.get("group", head.get("score"))] = (
                array
            )
    return of_query | {"per_query": ReadOnlyDict(per_query)}, groups


def _groups_from_json(
    saved: list[dict[str, Any]], of_queries: Attributes, groups: Mapping[str, NDArray[Any]]
) -> dict[str, dict[Any, Attributes]]:
    """Return the attributes of the report of each group, for each grouping."""
    found: dict[str, dict[Any, Attributes]] = {}
    for each in saved:
        of_group = _results_from_json(each["scores"]) | {"n_queries": each["n_queries"]}
        of_group |= {"by_group": ReadOnlyDict(), "queries_seen": None}
        found.setdefault(each["grouping"], {})[from_json(each["group"])] = of_group
    for grouping, values in groups.items():
        for of_group, (_, queries) in zip(
            found[grouping].values(), queries_by_group(values), strict=True
        ):
            of_group |= {
                name: None if of_queries[name] is None else locked(of_queries[name][queries])
                for name in _OF_QUERY
            }
            per_query = of_queries["per_query"].items()
            of_group["places"] = locked(queries)
            of_group["per_query"] = ReadOnlyDict(
                {name: locked(column[queries]) for name, column in per_query}
            )
    return found


def queries_by_group(values: NDArray[Any]) -> Iterator[tuple[Any, NDArray[np.intp]]]:
    """Yield each group of queries, in sorted order, with the places of its queries."""
    groups, group_of_query = unique_identifiers(values, "by", "ranking_report")
    by_group = np.argsort(group_of_query, kind="stable")
    cuts = np.searchsorted(group_of_query[by_group], np.arange(1, groups.size))
    yield from zip(python_ids(groups), np.split(by_group, cuts), strict=True)
