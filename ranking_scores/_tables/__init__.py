"""What people have becomes what scores take: tables, joins, batches, files of TREC, ids.

Everything here returns arrays and codes, and computes no score.
"""

from __future__ import annotations

from ranking_scores._tables._aspects_given import (
    GivenAspects,
    aspects_of_columns,
    aspects_of_lists,
)
from ranking_scores._tables._columns import (
    NUMBERS_FIRST,
    Column,
    IdColumn,
    NotedTable,
    as_datetime64,
    as_table_of_records,
    as_timedelta64,
    check_groups,
    check_names,
    check_no_null,
    groupings_of,
    has_null,
    how_to_cast,
    is_frame,
    is_name,
    is_table,
    read_columns,
    read_ids,
    read_numbers,
    with_labels_from_0,
)
from ranking_scores._tables._exact_search import data_of_searches
from ranking_scores._tables._join import (
    BEST_OR_HOLD,
    DUPLICATES,
    HIGHEST_LABEL,
    OF_JUDGED,
    OF_UNJUDGED,
    ONE_KIND,
    ONE_OF_AN_ASPECT,
    Duplicates,
    Joined,
    JoinSide,
    alike,
    check_gaps,
    choose_queries,
    join_sides,
    most_free_in_part,
    side_of,
    to_arrays,
    with_fillers,
    with_scores,
)
from ranking_scores._tables._json_files import BY_PLACE, JsonFile, content_of, read_file
from ranking_scores._tables._known_names import (
    BESIDE,
    LEFT_OUT,
    ROLES,
    ColumnNames,
    UnclearError,
    check_names_of_columns,
    columns_of_numbers,
    find_columns,
    named_like_ranks,
    names_in_table,
    names_of_columns,
    names_of_role,
    projects,
    rank_beside,
    read_unlabelled,
    seek_in_one,
    seek_in_two,
    warn_if_named,
    without_ranks,
)
from ranking_scores._tables._label_weights import inverse_propensity, weighted_labels
from ranking_scores._tables._lists_of_ids import (
    DICTS_OF_ASPECTS,
    GRADE,
    ORDER_OF_OTHERS,
    SCORE,
    JoinInput,
    ListsByQuery,
    RecordFields,
    lists_given,
    lists_of,
)
from ranking_scores._tables._own_ids import columns_without_self, note_of_dropped, without_self
from ranking_scores._tables._ranking_data import (
    NO_QUERIES,
    OF_TWO_RANKINGS,
    QUERIES,
    UNEQUAL,
    CallArrays,
    Judgments,
    Queries,
    QueriesSeen,
    RankingData,
    SomeQueries,
    arrays_of,
    judgments_with_digest,
    likely_same_ids,
    refuse_unjudged,
    see_queries,
    warn_of_none_found,
)
from ranking_scores._tables._retrieved_ids import retrieved_from_ids
from ranking_scores._tables._sources import OneTable, TwoSources, data_of
from ranking_scores._tables._trec_arrays import (
    Qrel,
    Run,
    arrays_of_dicts,
    dicts_of,
    names_of_queries,
    numbered_queries,
    table_of,
    write_scores,
)
from ranking_scores._tables._trec_files import (
    QRELS,
    QRELS_OF_ASPECTS,
    RUN,
    FileKind,
    is_without_header,
    read_packed,
    read_table,
)
from ranking_scores._tables._two_runs import (
    NO_JUDGMENTS,
    JoinedRuns,
    MatchedLists,
    is_by_id,
    join_runs,
    match_lists,
    read_run_of,
    run_of_given,
)
from ranking_scores._tables._whole_queries import (
    QueryBatch,
    SeenIds,
    are_joinable,
    as_set,
    as_table,
    ids_in_rows,
    join,
    join_tables,
    name_id,
    read_batches,
    whole_pieces,
    whole_queries,
)
