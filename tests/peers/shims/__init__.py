"""A module for each suite, which answers its package's functions with the numbers of ours.

`REPLACED` of a module has the functions of the other package by their names. A module imports that
package only when a function is called, so that `REPLACED` can be read without it.
"""

from __future__ import annotations

calls_left: list[str] = []
"""What the test that runs has asked, and was left to the other package."""


class LeftToThePeer(Exception):  # noqa: N818 - it reports no error
    """Raised by a shim for a call of which we have no counterpart: the other package answers it.

    Its text says what we lack.
    """


def leave(what: str) -> None:
    """Note that the other package answers a part of a call, since we lack what it asks for."""
    calls_left.append(what)
