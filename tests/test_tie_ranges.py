"""The ranges of the values of programs that do not define their order of equal scores."""

import json
import math
import warnings
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import by_convention
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from raising import raises
from test_conventions import as_data
from test_programs import (
    CASES,
    FLOAT64,
    MEASURES,
    TOLERANCE,
    answers,
    convention_of,
    number,
)
from test_programs import given as case_data

from ranking_scores._conventions._search import Search, Target
from ranking_scores._metrics import (
    LEFT_OUT,
    Convention,
    ConventionBlock,
    ItemKeys,
    ProgramScore,
    RankedBlock,
    TieRange,
    default_convention,
    has_undefined_orders,
    programs,
    range_of_block,
    range_of_mean,
)
