"""The rankers of XGBoost, LightGBM and CatBoost: how each takes queries and validation sets."""

from __future__ import annotations

from ranking_scores._rankers._fitting import (
    FIT,
    OF_ROWS,
    Wanted,
    check_weight,
    hold_out,
    in_form_of,
    in_order,
    in_rows,
    last_of,
    make_params,
    set_of_part,
    take,
    take_params,
    wanted_by,
    with_validation_sets,
)
