"""The rankers of XGBoost, LightGBM and CatBoost: how each takes queries and validation sets."""

from __future__ import annotations

from ranking_scores._rankers._forms import (
    FIT,
    Wanted,
    check_weight,
    in_rows,
    last_of,
    make_params,
    wanted_by,
)
from ranking_scores._rankers._rows import OF_ROWS, hold_out, in_order, take, take_params
from ranking_scores._rankers._validation import in_form_of, set_of_part, with_validation_sets
