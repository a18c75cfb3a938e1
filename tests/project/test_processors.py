"""The bits that depend on the processor, by the script `processors`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import processors
import pytest

SCRIPT = str(Path(processors.__file__))
TOLERANCE = 1e-15
"""Relative: what a power that is rounded in another way does to a mean of 1 and less."""


def test_what_is_named_exists():
    assert {name for name, _ in processors.SCORES.items()} >= processors.MAY_DIFFER
    assert all((processors.TESTS / f"{name}.py").exists() for name in processors.EXACT)


def test_the_tests_run_in_each_setting(monkeypatch):
    called = []

    def in_setting(left_out, arguments):
        called.append((left_out, arguments))
        return len(called) - 1

    monkeypatch.setattr(processors, "settings", lambda: {"one": "A B", "other": "C"})
    monkeypatch.setattr(processors, "in_setting", in_setting)
    assert processors.main(["-n", "auto"]) == 1
    assert [left_out for left_out, _ in called] == ["A B", "C"]
    assert called[0][1][:5] == ["-m", "pytest", "-q", "-n", "auto"]
    assert len(called[0][1]) == 5 + len(processors.EXACT)
    assert processors.main(["--sample"]) == 2
    assert len(called) == 3


@pytest.mark.slow
def test_which_bits_depend_on_the_processor(tmp_path):
    here = processors.values()
    for number, left_out in enumerate(processors.settings().values()):
        path = tmp_path / f"{number}.npz"
        assert processors.in_setting(left_out, [SCRIPT, "--write", str(path)]) == 0
        there = np.load(path)
        assert {*there} == {*here}
        for name, values in here.items():
            if name.partition(",")[0] in processors.MAY_DIFFER:
                np.testing.assert_allclose(there[name], values, rtol=TOLERANCE, atol=0)
            else:
                assert there[name].tobytes() == values.tobytes(), name
