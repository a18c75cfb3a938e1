"""The rankers of XGBoost, LightGBM and CatBoost: how each takes queries and validation sets."""

from __future__ import annotations

from ranking_scores._rankers._fitting import (
    FIT,
    ROW_PARAMETERS,
    RankerForm,
    check_weight,
    form_of,
    hold_out,
    in_form_of,
    in_order,
    in_rows,
    last_of,
    make_params,
    set_of_part,
    take,
    take_params,
    with_validation_sets,
)
