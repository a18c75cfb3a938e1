"""What the tests of streams run in other processes, which import it by its name."""

from __future__ import annotations


def updated(stream, batches):
    """Return a stream that has seen some more batches, a dict of arguments each."""
    for batch in batches:
        stream.update(**batch)
    return stream


def steep(label):
    """Return a gain; a function of a module, so that it can be pickled."""
    return label**3


def shallow(rank, power):
    """Return a discount that needs a parameter."""
    return rank**-power
