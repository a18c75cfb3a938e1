"""Ids of passages as those of their documents: cut at a text, or as a dict or a function says.

Judged ids are mostly those of documents already, and cut only if the caller asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ranking_scores._base._errors import invalid, show_id
from ranking_scores._base._ids import as_objects
from ranking_scores._base._validation import check_bool, check_option, describe
from ranking_scores._tables._columns import Column, IdColumn, read_ids
from ranking_scores.exceptions import InvalidParameterError

LONGER_TEXT = "Pass a longer text, a dict or a function from each id to its document"
"""The beginning of the advice if documents have the text, too."""


class IdCut(NamedTuple):
    """How ids of passages become those of documents."""

    split: Any
    """The text at which ids are cut, or a dict or a function from passages to documents."""
    at: str
    """Whether they are cut at the "first" place of the text, or at the "last" one."""
    cuts_judged: bool
    """Whether judged ids are cut, too."""
    function: str
    are_judged_cut: bool = False
    """Whether they were cut before."""

    def invalid(self, expected: str, got: str, code: str = "") -> InvalidParameterError:
        """Return the error about a text, a dict or a function that does not fit the ids."""
        return invalid("split", self.function, expected, got, code=code)

    def without_judged(self) -> IdCut:
        """Return the same for judged ids of aspects, which are read before those of retrieval."""
        return self._replace(cuts_judged=False, are_judged_cut=self.cuts_judged)

    def documents_of(self, ids: list[Any]) -> list[Any]:
        """Return the documents of passages."""
        if isinstance(self.split, str):
            cut = str.split if self.at == "first" else str.rsplit
            return [cut(text, self.split, 1)[0] for text in ids]
        find = self.split.get if isinstance(self.split, Mapping) else self.split
        documents = list(map(find, ids))
        if None in documents:
            expected = "a dict or a function that has a document for each id"
            raise self.invalid(expected, f"none for {show_id(ids[documents.index(None)])}")
        return documents

    def cut(self, ids: IdColumn, column: Column) -> IdColumn:
        """Return the ids of documents."""
        if isinstance(self.split, str) and ids.kind not in ("text", ""):
            raise column.invalid(f"text, which can be cut at {show_id(self.split)}", ids.kind)
        documents = as_objects(self.documents_of(ids.values.tolist()))
        read = read_ids(column._replace(values=documents))
        return read._replace(code=read.code[ids.code])

    def is_in(self, ids: IdColumn) -> bool:
        """Return whether an id has the text, or there is none."""
        texts = ids.values.tolist() if isinstance(self.split, str) and ids.kind == "text" else []
        return not texts or any(self.split in text for text in texts)

    def check_has_text(self, ids: IdColumn) -> None:
        """Raise if no retrieved id has the text."""
        if not self.is_in(ids):
            expected = "a text that retrieved ids have"
            got = f"{show_id(self.split)}, which {show_id(ids.values[0])} and the others lack,"
            raise self.invalid(expected, got)

    def of_judged(self, ids: IdColumn, column: Column) -> IdColumn:
        """Return judged ids, of which no two become one, cut if the caller asks for it."""
        if not self.cuts_judged:
            return ids
        cut = self.cut(ids, column)
        first: dict[Any, Any] = {}
        pairs = zip(ids.values.tolist(), self.documents_of(ids.values.tolist()), strict=True)
        for own, document in pairs if isinstance(self.split, str) else ():
            if first.setdefault(document, own) != own:
                both = f"{show_id(first[document])} and {show_id(own)}"
                got = f"{show_id(self.split)}, by which {both} become {show_id(document)},"
                code = "Pass a dict or a function from each id to its document."
                raise self.invalid("a text by which judged ids stay different", got, code)
        return cut

    def check_whole(self, judged: IdColumn, retrieved: IdColumn) -> None:
        """Raise if a judged id, which is not cut, has the text, as no document can."""
        if self.cuts_judged or self.are_judged_cut or not isinstance(self.split, str):
            return
        texts = judged.values.tolist() if judged.kind == "text" else []
        whole = next((text for text in texts if self.split in text), None)
        if whole is not None and retrieved.kind == "text":
            found = next(text for text in retrieved.values.tolist() if self.split in text)
            [document] = self.documents_of([found])
            expected = "a text that no judged id has, since these are not cut"
            got = f"{show_id(self.split)}, which {show_id(whole)} has: it would be compared with "
            got += f"{show_id(document)} of {show_id(found)},"
            raise self.invalid(expected, got, f"{LONGER_TEXT}, or split_relevant=True.")


def check_split(split: Any, at: Any, cuts_judged: Any, function: str) -> IdCut | None:
    """Return how ids are cut; None: they are whole."""
    check_option(at, "split_at", function, ("last", "first"))
    check_bool(cuts_judged, "split_relevant", function)
    is_text = isinstance(split, str)
    if at != "last" and not is_text:
        raise invalid("split_at", function, "left out unless `split` is a text", describe(at))
    if cuts_judged and split is None:
        raise invalid("split_relevant", function, "False unless `split` is given", "True")
    if split is None:
        return None
    if not (split if is_text else isinstance(split, Mapping) or callable(split)):
        expected = "a text that is not empty, a dict or a function from ids to documents, or None"
        raise invalid("split", function, expected, describe(split))
    return IdCut(split, at, cuts_judged, function)
