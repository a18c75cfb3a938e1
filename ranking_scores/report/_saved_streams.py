"""Streams as JSON: their scores, their exact sums and the ids of their queries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ranking_scores._base._exact import ClusterSum, Moments, Sums, WeightedSum
from ranking_scores._base._validation import check_max_grade
from ranking_scores._files._json_values import (
    NotSavableError,
    bool_from_json,
    count_from_json,
    float_from_json,
    float_to_json,
    from_json,
    list_from_json,
    text_from_json,
    to_json,
    whole_from_json,
)
from ranking_scores._files._saved_files import FileFormat, not_savable
from ranking_scores._metrics._named import NamedScore, function_of, name_of, parameters_of
from ranking_scores._metrics._sums_of_scores import (
    BoundScores,
    NamedFunction,
    ScoreSums,
    SumsAtCutoff,
    SumsOfClusters,
    text_of_option,
)

STREAM = FileFormat("ranking_scores stream", 1, "`StreamingScore.to_json`")
"""The format of the files of streams."""

_FUNCTION = "StreamingScore.to_json"
_COUNTS = ("n_queries", "n_weighted", "n_weighed_by_items", "are_single")
"""What sums have besides those at each cutoff."""


def content_of_stream(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a file with the state of a stream."""
    rows = (
        [_id_to_json(name, "clusters"), [[*map(hex, cluster_sum)] for cluster_sum in sums]]
        for name, sums in state["_clusters"].items()
    )
    return {
        "parts": sorted(state["_parts"]),
        "is_saved": state["_is_saved"],
        "check_qid": state["_check_qid"],
        **_scores_to_json(state["_scores"]),
        **_sums_to_json(state["_totals"]),
        "clusters": sorted(rows, key=json.dumps),
        "origins": sorted(map(hex, state["_origins"])),
        "ids": sorted((_id_to_json(query, "qid") for query in state["_ids"]), key=json.dumps),
    }


def state_of_stream(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of the stream in a file."""
    named = []
    for saved in content["scores"]:
        options = {name: _option_from_json(value) for name, value in saved["options"].items()}
        score = NamedScore(text_from_json(saved["name"]), function_of(saved["score"]), options)
        if "k" in saved:
            options["k"] = saved["k"]
        named.append(score)
    are_several, grade = bool_from_json(content["are_several"]), content.get("highest_grade")
    if not are_several and len(named) > 1:
        raise ValueError
    if grade is not None:
        check_max_grade(grade, "read_stream")
    scores = BoundScores.of_saved(named, "StreamingScore", grade, are_several=are_several)
    return {
        "_parts": {*map(text_from_json, list_from_json(content["parts"]))},
        "_is_saved": bool_from_json(content["is_saved"]),
        "_check_qid": bool_from_json(content["check_qid"]),
        "_scores": scores,
        "_totals": _sums_from_json(content, scores.nothing),
        "_clusters": _clusters_from_json(content["clusters"], len(scores.nothing.at_cutoff)),
        "_origins": {*map(_whole, content["origins"])},
        "_ids": {*map(from_json, list_from_json(content["ids"]))},
    }


def _scores_to_json(bound: BoundScores) -> dict[str, Any]:
    """Return some scores with their options as JSON. Of functions it has the names."""
    scores = [
        {
            "name": score.name,
            "score": name_of(score.function),
            **({"k": k} if "k" in parameters_of(score.function) else {}),
            "options": {
                name: _option_to_json(name, value)
                for name, value in score.options.items()
                if name != "k"
            },
        }
        for score, k in zip(bound.scores, bound.cutoffs, strict=True)
    ]
    several = {"are_several": bound.results is not None}
    grade = {} if bound.highest_grade is None else {"highest_grade": bound.highest_grade}
    return {**several, **grade, "scores": scores}


def _option_to_json(name: str, value: Any) -> Any:
    if callable(value):
        return {"function": text_of_option(value)}
    try:
        return to_json(value)
    except NotSavableError as error:
        raise not_savable(error, name, _FUNCTION) from error


def _option_from_json(value: Any) -> Any:
    if isinstance(value, dict) and "function" in value:
        return NamedFunction(text_from_json(value["function"]))
    return from_json(value)


def _sums_to_json(sums: ScoreSums) -> dict[str, Any]:
    """Return sums as JSON. Their whole numbers have thousands of bits, and are hexadecimal."""
    counts = {name: getattr(sums, name) for name in _COUNTS}
    beside = {"beside": [*map(_at_cutoff_to_json, sums.beside)]} if sums.beside else {}
    return {**counts, "sums": _at_cutoff_to_json(sums.at_cutoff), **beside}


def _at_cutoff_to_json(sums: tuple[SumsAtCutoff, ...]) -> list[dict[str, Any]]:
    return [
        {
            "n_undefined": at.n_undefined,
            "known": _weighted_to_json(at.sums.known),
            "without_gain": _weighted_to_json(at.sums.without_gain),
            "with_gain": [hex(at.sums.weight_with_gain), hex(at.sums.sample_weight_with_gain)],
            "moments": [[*map(hex, vars(own).values())] for own in (at.known, at.without_gain)],
        }
        for at in sums
    ]


def _weighted_to_json(sums: WeightedSum) -> list[Any]:
    return [hex(sums.weighted), hex(sums.weight), float_to_json(sums.infinite)]


def _sums_from_json(content: Mapping[str, Any], nothing: ScoreSums) -> ScoreSums:
    """Return the sums of a file, of as many scores and cutoffs as the sums over no query have."""
    n_queries = count_from_json(content["n_queries"])
    sums = ScoreSums(
        n_queries,
        count_from_json(content["n_weighted"], n_queries),
        count_from_json(content["n_weighed_by_items"], n_queries),
        bool_from_json(content["are_single"]),
        _at_cutoff_from_json(content["sums"], n_queries),
        tuple(_at_cutoff_from_json(rows, n_queries) for rows in content.get("beside", [])),
    )
    n_cutoffs = [len(scores) for scores in (sums.at_cutoff, *sums.beside)]
    if n_cutoffs != [len(scores) for scores in (nothing.at_cutoff, *nothing.beside)]:
        raise ValueError
    if sums.is_partly_weighed_by_items():
        raise ValueError
    return sums


def _at_cutoff_from_json(
    content: list[dict[str, Any]], n_queries: int
) -> tuple[SumsAtCutoff, ...]:
    at_cutoff = []
    for saved in content:
        known, without_gain = (
            WeightedSum(_whole(weighted), _whole(weight), float_from_json(infinite))
            for weighted, weight, infinite in (saved["known"], saved["without_gain"])
        )
        sums = Sums(known, without_gain, *map(_whole, saved["with_gain"]))
        moments = (Moments(*map(_whole, numbers)) for numbers in saved["moments"])
        n_undefined = count_from_json(saved["n_undefined"], n_queries)
        at_cutoff.append(SumsAtCutoff(n_undefined, sums, *moments))
        if not at_cutoff[-1].is_possible():
            raise ValueError
    return tuple(at_cutoff)


_MOST_DIGITS = 2400
"""The most hexadecimal digits of a sum: those of 2**63 products of four floats."""


def _whole(text: str) -> int:
    return whole_from_json(text, _MOST_DIGITS)


def _clusters_from_json(content: list[Any], n_cutoffs: int) -> SumsOfClusters:
    """Return the sums of the clusters of a file."""
    clusters = {
        from_json(name): tuple(ClusterSum(*map(_whole, numbers)) for numbers in sums)
        for name, sums in content
    }
    for sums in clusters.values():
        if len(sums) != n_cutoffs or any(cluster_sum.weight < 0 for cluster_sum in sums):
            raise ValueError
    return clusters


def _id_to_json(value: Any, parameter: str) -> Any:
    try:
        return to_json(value)
    except NotSavableError as error:
        raise not_savable(error, parameter, _FUNCTION) from error
