"""Reports as JSON, and what is read from it: the attributes of a report by their names."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._ids import python_ids
from ranking_scores._base._results import ReadOnlyDict, read_only
from ranking_scores._base._validation import check_identifiers, unique_identifiers
from ranking_scores._files._json_values import (
    NotSavableError,
    bool_from_json,
    column_from_json,
    column_to_json,
    count_from_json,
    dtype_to_json,
    float_from_json,
    float_to_json,
    from_json,
    list_from_json,
    text_from_json,
    to_json,
)
from ranking_scores._files._saved_files import FileFormat, not_savable
from ranking_scores._metrics._judged import UNJUDGED
from ranking_scores._metrics._sums_of_scores import ResultFacts
from ranking_scores._tables._ranking_data import Judgments, QueriesSeen, SomeQueries

REPORT = FileFormat("ranking_scores report", 1, "`RankingReport.to_json`")
"""The format of the files of reports."""

Attributes = dict[str, Any]
"""The values of a report by the names of its attributes."""

BESIDE = ("worst", "best", "chance", *UNJUDGED)
"""What a report may have beside each mean."""
INPUTS = ("files", "judgments", "run", "version")
"""What a report may know of its inputs."""
LONGEST_HISTORY = 100
"""The most past means that a file has."""
_OF_RESULT = ("mean", "standard_error", *BESIDE)
"""The attributes that have a float for each result."""
_OF_QUERY = ("query_ids", "sample_weight", "clusters")
"""The attributes that may have a value for each query."""
_LONGEST_PATH = 4096
"""The most characters of a path, as in Linux."""
_SOME = ("judged", "predicted", "only_judged", "not_judged")


class PastMeans(NamedTuple):
    """The means that a baseline had when it was written."""

    date: str | None
    """The day, in UTC, such as "2026-11-29". None: it is not known."""
    n_queries: int
    """The number of queries."""
    mean: dict[str, float]
    """The mean of each score."""


def content_of(report: Attributes, *, per_query: bool, function: str) -> dict[str, Any]:
    """Return the content of a file with a report, whose `standard_error` is computed.

    Without `per_query`, it has no values of queries.
    """
    seen, judgments = report["queries_seen"], report["judgments"]
    groups = [
        {
            "grouping": grouping,
            "group": key,
            "n_queries": own["n_queries"],
            "scores": list(_results_to_json(own)),
        }
        for grouping, reports in report["by_group"].items()
        for key, own in reports.items()
    ]
    content = {
        "n_queries": report["n_queries"],
        "judgments": None if judgments is None else judgments._asdict(),
        "queries_seen": None if seen is None else _seen_to_json(seen),
        "item_weights": report["has_item_weights"],
        "scores": [
            row | report["facts"][row["name"]]._asdict() for row in _results_to_json(report)
        ],
        "groups": groups,
    }
    content |= {"inputs": report["inputs"]} if report["inputs"] else {}
    if report["history"]:
        content["history"] = [
            {**past._asdict(), "mean": {key: float_to_json(own) for key, own in past.mean.items()}}
            for past in report["history"]
        ]
    for group in groups:
        group["group"] = _savable(to_json, group["group"], "by", function)
    if not per_query or "per_query" not in report:
        return content
    columns = list(_columns_of(report, function))
    if report["digests"] is not None:
        content["judgments"]["by_query"] = report["digests"].astype(">u8").tobytes().hex()
    rows = zip(*(values for _, values in columns), strict=True)
    return content | {"columns": [head for head, _ in columns], "queries": [*map(list, rows)]}


def relative_path(path: Path, folder: Path) -> str:
    """Return a path as seen from a folder."""
    return Path(os.path.relpath(path.resolve(), folder)).as_posix()


def _results_to_json(report: Attributes) -> Iterator[dict[str, Any]]:
    """Yield the name and the numbers of each result."""
    for name in report["mean"]:
        floats = {
            key: float_to_json(report[key][name]) for key in _OF_RESULT if report[key] is not None
        }
        yield {"name": name, **floats, "n_undefined": report["n_undefined"][name]}


def _columns_of(report: Attributes, function: str) -> Iterator[tuple[dict[str, str], list[Any]]]:
    """Yield the head and the values of each column of the table of queries."""
    named = {
        **{("of", name): report[name] for name in _OF_QUERY if report[name] is not None},
        **{("group", name): values for name, values in report["groups"].items()},
        **{("score", name): values for name, values in report["per_query"].items()},
        **{("human", name): values for name, values in (report["human"] or {}).items()},
    }
    for (role, name), values in named.items():
        parameter = name if role == "of" else "by"
        dtype = _savable(dtype_to_json, values, parameter, function)
        yield {role: name, "dtype": dtype}, _savable(column_to_json, values, parameter, function)


def _savable(convert: Any, value: Any, parameter: str, function: str) -> Any:
    """Return a value as JSON. Raise the error about a parameter if files cannot hold it."""
    try:
        return convert(value)
    except NotSavableError as error:
        raise not_savable(error, parameter, function) from error


def _seen_to_json(seen: QueriesSeen) -> dict[str, Any]:
    some = {
        name: {"count": queries.count, "first": [*map(to_json, queries.first)]}
        for name, queries in ((name, getattr(seen, name)) for name in _SOME)
    }
    counts = {"n_queries": seen.n_queries, "n_both": seen.n_both}
    dropped = {} if seen.n_dropped is None else {"n_dropped": seen.n_dropped}
    return {**counts, **some, "queries": seen.queries, **dropped}


def _seen_from_json(seen: Mapping[str, Any]) -> QueriesSeen:
    some = {
        name: SomeQueries(
            count_from_json(seen[name]["count"]), tuple(map(from_json, seen[name]["first"]))
        )
        for name in _SOME
    }
    n_queries, n_both = (count_from_json(seen[name]) for name in ("n_queries", "n_both"))
    n_dropped = count_from_json(seen["n_dropped"]) if "n_dropped" in seen else None
    queries = text_from_json(seen["queries"])
    return QueriesSeen(n_queries, n_both, queries=queries, n_dropped=n_dropped, **some)


def _digests_from_json(by_query: Any, n_queries: int) -> NDArray[np.uint64] | None:
    """Return the digest of the judgments of each query, of 16 hexadecimal digits each."""
    if by_query is None:
        return None
    if len(text_from_json(by_query)) != 16 * n_queries:
        raise ValueError
    return read_only(np.frombuffer(bytes.fromhex(by_query), ">u8", n_queries).astype(np.uint64))


def _judgments_from_json(judgments: Mapping[str, Any]) -> Judgments:
    digest = judgments["digest"]
    n_items = count_from_json(judgments["n_items"])
    return Judgments(n_items, None if digest is None else text_from_json(digest))


def _history_from_json(history: Any) -> tuple[PastMeans, ...]:
    """Return the past means in a file, which are of real days."""
    if len(list_from_json(history)) > LONGEST_HISTORY:
        raise ValueError
    found = []
    for past in history:
        date, mean = past["date"], past["mean"]
        if date is not None and datetime.date.fromisoformat(date).isoformat() != date:
            raise ValueError
        means = {text_from_json(name): float_from_json(own) for name, own in mean.items()}
        found.append(PastMeans(date, count_from_json(past["n_queries"]), ReadOnlyDict(means)))
    return tuple(found)


def attributes_of(content: Mapping[str, Any]) -> Attributes:
    """Return the attributes of the report in a file, with those of its groups in `by_group`."""
    judgments, seen, values = content["judgments"], content["queries_seen"], content.get("values")
    of, query_attributes = content.get("inputs"), Attributes()
    groups: dict[str, NDArray[Any]] = {}
    results = _results_from_json(content)
    if "queries" in content:
        query_attributes, groups = _queries_from_json(content, results)
    by_query = (judgments or {}).get("by_query")
    return {
        **results,
        "human": None,
        **query_attributes,
        **({"groups": groups} if query_attributes else {}),
        "values": None if values is None else _path_from_json(values),
        "by_group": _groups_from_json(content["groups"], results, query_attributes, groups),
        "judgments": None if judgments is None else _judgments_from_json(judgments),
        "digests": _digests_from_json(by_query, results["n_queries"]),
        "inputs": ReadOnlyDict({name: text_from_json(of[name]) for name in INPUTS if of}),
        "history": _history_from_json(content.get("history", [])),
        "queries_seen": None if seen is None else _seen_from_json(seen),
        "lines": [*map(text_from_json, list_from_json(content.get("notes", [])))],
        "has_item_weights": bool_from_json(content["item_weights"]),
        "facts": {score["name"]: _facts_from_json(score) for score in content["scores"]},
    }


def _path_from_json(path: Any) -> str:
    """Return a path that a system can have, or raise."""
    if "\0" in text_from_json(path) or len(path) > _LONGEST_PATH:
        raise ValueError
    return str(path)


def _facts_from_json(score: Mapping[str, Any]) -> ResultFacts:
    options = {
        text_from_json(name): text_from_json(text) for name, text in score["options"].items()
    }
    functions = tuple(list_from_json(score["functions"]))
    if not {"score", *functions} <= {*options}:
        raise ValueError
    return ResultFacts(
        ReadOnlyDict(options), functions, bool_from_json(score["greater_is_better"])
    )


def _results_from_json(content: Mapping[str, Any]) -> Attributes:
    """Return the number of queries, and the attributes with a number for each result."""
    n_queries, scores = count_from_json(content["n_queries"]), content["scores"]
    names = [text_from_json(score["name"]) for score in scores]
    if len({*names}) < len(names):
        raise ValueError
    report: Attributes = {
        key: ReadOnlyDict({score["name"]: float_from_json(score[key]) for score in scores})
        if key in scores[0]
        else None
        for key in _OF_RESULT
    }
    if None in (report["mean"], report["standard_error"]):
        raise ValueError
    counts = {score["name"]: count_from_json(score["n_undefined"], n_queries) for score in scores}
    return report | {"n_undefined": ReadOnlyDict(counts), "n_queries": n_queries}


def _queries_from_json(
    content: Mapping[str, Any], results: Attributes
) -> tuple[Attributes, dict[str, NDArray[Any]]]:
    """Return the attributes with a value for each query, and the groupings."""
    found: dict[str, dict[str, NDArray[Any]]] = {
        role: {} for role in ("of", "group", "score", "human")
    }
    heads, columns = content["columns"], zip(*content["queries"], strict=True)
    for head, values in zip(heads, columns, strict=True):
        (role, name), *_ = head.items()
        found[role][text_from_json(name)] = read_only(column_from_json([*values], head["dtype"]))
    query_attributes: Attributes = dict.fromkeys(_OF_QUERY) | found["of"]
    per_query, human = found["score"], found["human"]
    weight = query_attributes["sample_weight"]
    float_columns = [*per_query.values(), *human.values(), *([] if weight is None else [weight])]
    shape = (results["n_queries"],)
    if any(column.dtype != np.float64 or column.shape != shape for column in float_columns):
        raise ValueError
    if {*per_query} != {*results["mean"]} or {*human} not in (set(), {*per_query}):
        raise ValueError
    if weight is not None and not (np.all(np.isfinite(weight) & (weight >= 0)) and weight.any()):
        raise ValueError
    for name in ("query_ids", "clusters"):
        if query_attributes[name] is not None:
            ids = check_identifiers(query_attributes[name], name, "read_report")
            if len({*ids.tolist()}) < len(ids) and name == "query_ids":
                raise ValueError
    if sum(map(len, found.values())) < len(heads) or {*query_attributes} != {*_OF_QUERY}:
        raise ValueError
    of_people = ReadOnlyDict(human) if human else None
    score_attributes = {"per_query": ReadOnlyDict(per_query), "human": of_people}
    return query_attributes | score_attributes, found["group"]


def _groups_from_json(
    saved: list[dict[str, Any]],
    results: Attributes,
    query_attributes: Attributes,
    groups: Mapping[str, NDArray[Any]],
) -> dict[str, dict[Any, Attributes]]:
    """Return the attributes of the report of each group, for each grouping."""
    found: dict[str, dict[Any, Attributes]] = {}
    for row in saved:
        group_attributes = _results_from_json(row)
        if [*group_attributes["mean"]] != [*results["mean"]]:
            raise ValueError
        group_attributes |= {"by_group": ReadOnlyDict(), "human": None, "queries_seen": None}
        of_grouping = found.setdefault(text_from_json(row["grouping"]), {})
        of_grouping[from_json(row["group"])] = group_attributes
    if query_attributes and {*found} != {*groups}:
        raise ValueError
    for grouping, values in groups.items():
        check_identifiers(values, "by", "read_report")
        for (key, group_attributes), (group, queries) in zip(
            found[grouping].items(), queries_by_group(values), strict=True
        ):
            is_same = type(key) is type(group) and key == group
            if not is_same or group_attributes["n_queries"] != queries.size:
                raise ValueError
            for name in _OF_QUERY:
                each = query_attributes[name]
                group_attributes[name] = None if each is None else read_only(each[queries])
            group_attributes["places"] = read_only(queries)
            for name in ("per_query", "human"):
                named = query_attributes[name] or {}
                own = ReadOnlyDict({key: read_only(each[queries]) for key, each in named.items()})
                group_attributes[name] = None if query_attributes[name] is None else own
    return found


def queries_by_group(values: NDArray[Any]) -> Iterator[tuple[Any, NDArray[np.intp]]]:
    """Yield each group of queries, in sorted order, with the places of its queries."""
    groups, group_of_query = unique_identifiers(values, "by", "ranking_report")
    order = np.argsort(group_of_query, kind="stable")
    cuts = np.searchsorted(group_of_query[order], np.arange(1, groups.size))
    yield from zip(python_ids(groups), np.split(order, cuts), strict=True)
