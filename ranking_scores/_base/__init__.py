"""What knows nothing of rankings: parameters and errors, ids, sorting, sums, threads, files.

The other wings import from here what they share with programs that do not score anything.
"""

from __future__ import annotations

from ranking_scores._base._by_id import ById, are_same_ids, by_id, match_ids
from ranking_scores._base._compressed import SUFFIXES, UnpackError, opened
from ranking_scores._base._errors import (
    NOWHERE,
    More,
    Place,
    errors_name,
    invalid,
    with_parts,
)
from ranking_scores._base._exact import (
    ClusterSum,
    Moments,
    Sums,
    WeightedSum,
    clustered_error,
    exact_sum,
    moments_of,
    standard_error,
    sums_by_cluster,
    weighted_sum,
)
from ranking_scores._base._extras import import_extra
from ranking_scores._base._ids import (
    LIBRARIES,
    Runs,
    UnusableError,
    as_objects,
    cut_runs,
    decoded,
    factorize,
    ids_as_objects,
    library_of,
    pack_text,
    packed_column,
    python_ids,
    runs_of_column,
    runs_of_text,
    text_as_objects,
    without_view,
)
from ranking_scores._base._index import (
    ROWS,
    Difference,
    Indexes,
    column_names,
    first_descent,
    first_difference,
    first_out_of_order,
    is_indexed,
    is_labelled,
    name_at,
    not_alike,
    row_names,
)
from ranking_scores._base._json_values import (
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
    whole_from_json,
)
from ranking_scores._base._once import once
from ranking_scores._base._packed_text import (
    PackedText,
    concatenated,
    mixed,
    packed_iterable,
    packed_lines,
    packed_objects,
)
from ranking_scores._base._renamed import renamed
from ranking_scores._base._results import (
    ReadOnlyDict,
    Result,
    are_equal,
    lock,
    locked,
    show_values,
    with_types,
)
from ranking_scores._base._saved_files import Format, has_format, load, not_savable, save
from ranking_scores._base._shown import shorten, show_id, show_names, show_some, show_text, visible
from ranking_scores._base._sorting import (
    are_in,
    as_small_ints,
    as_sortable,
    blocks_of_rows,
    number_rows,
    order_in_rows,
    order_of_cells,
    possible_ranks,
    sort_ints,
    sort_rows,
    stable_order,
    start_runs,
    unique_inverse,
)
from ranking_scores._base._text import (
    as_cell,
    as_code,
    as_html,
    as_markdown,
    as_percent,
    as_text,
    as_title,
    count_clusters,
    count_queries,
    in_html,
    in_markdown,
    pandas_for,
    with_error,
)
from ranking_scores._base._threads import callers_turn, n_threads_of, share
from ranking_scores._base._utf8 import (
    LONE_SURROGATE,
    TEXT_IN_UTF8,
    WITH_ESCAPES,
    check_utf8,
    has_surrogates,
    names_in,
    not_encodable,
    wrong_name,
)
from ranking_scores._base._validation import (
    SWAPPED,
    WHOLE_LIST,
    Cutoffs,
    SeveralCutoffs,
    SeveralRanks,
    SingleCutoff,
    advise_on_keyword,
    advise_on_sizes,
    advises_on_keywords,
    are_missing,
    as_identifiers,
    as_ndarray,
    check_alpha,
    check_average,
    check_beta,
    check_bool,
    check_cutoffs,
    check_exact,
    check_finite_weights,
    check_identifiers,
    check_log_base,
    check_max_grade,
    check_n_jobs,
    check_option,
    check_persistence,
    check_real,
    check_real_array,
    check_relevance_threshold,
    check_sparse,
    check_stored,
    describe,
    is_sparse,
    supported_by_scipy,
    unique_identifiers,
    unknown_parameter,
    unsortable,
    without_last_axis,
)
from ranking_scores._base._warnings import warn_caller
from ranking_scores._base._whole_files import whole_file
