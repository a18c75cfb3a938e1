"""What people have becomes what scores take: tables, joins, batches, files of TREC, ids.

Everything here returns arrays and codes, and computes no score.
"""

from __future__ import annotations

from ranking_scores._tables._aspects_given import (
    GivenAspects,
    aspects_of_columns,
    aspects_of_lists,
)
from ranking_scores._tables._cells import Joined
from ranking_scores._tables._columns import (
    NUMBERS_FIRST,
    Column,
    Ids,
    as_datetime64,
    as_timedelta64,
    check_no_null,
    has_null,
    how_to_cast,
    is_name,
    read_columns,
    read_ids,
    read_numbers,
)
from ranking_scores._tables._exact_search import data_of_searches
from ranking_scores._tables._free_ranks import check_gaps, most_free_in_part, with_fillers
from ranking_scores._tables._groups import check_groups, groupings_of
from ranking_scores._tables._join import (
    BEST_OR_HOLD,
    HIGHEST_LABEL,
    OF_JUDGED,
    OF_UNJUDGED,
    ONE_KIND,
    ONE_OF_AN_ASPECT,
    ColumnNames,
    Side,
    alike,
    check_names_of_columns,
    join_sides,
    names_in_table,
    names_of_columns,
    side_of,
)
from ranking_scores._tables._joined_arrays import (
    DUPLICATES,
    Duplicates,
    to_arrays,
    with_scores,
)
from ranking_scores._tables._json_files import (
    BY_PLACE,
    JsonFile,
    content_of,
    read_file,
)
from ranking_scores._tables._kinds import (
    NotedTable,
    as_table_of_records,
    check_names,
    is_frame,
    is_table,
    with_labels_from_0,
)
from ranking_scores._tables._known_names import (
    ROLES,
    UnclearError,
    find_columns,
    names_of_role,
    projects,
)
from ranking_scores._tables._label_weights import inverse_propensity, weighted_labels
from ranking_scores._tables._lists_of_ids import (
    DICTS_OF_ASPECTS,
    GRADE,
    ORDER_OF_OTHERS,
    SCORE,
    Fields,
    Given,
    Lists,
    lists_given,
    lists_of,
)
from ranking_scores._tables._matched_lists import MatchedLists, match_lists
from ranking_scores._tables._named_items import names_of_queries, numbered_queries, table_of
from ranking_scores._tables._no_label import (
    LEFT_OUT,
    columns_of_numbers,
    read_unlabelled,
    warn_if_named,
)
from ranking_scores._tables._one_run import (
    NO_JUDGMENTS,
    JoinedRuns,
    is_by_id,
    join_runs,
    read_run_of,
    run_of_given,
)
from ranking_scores._tables._own_ids import columns_without_self, note_of_dropped, without_self
from ranking_scores._tables._ranking_data import Arrays, JudgedItems, RankingData, arrays_of
from ranking_scores._tables._ranks_beside import (
    BESIDE,
    named_like_ranks,
    rank_beside,
    without_ranks,
)
from ranking_scores._tables._retrieved_ids import retrieved_from_ids
from ranking_scores._tables._sought_names import seek_in_one, seek_in_two
from ranking_scores._tables._sources import OneTable, TwoSources, data_of
from ranking_scores._tables._trec_dicts import Qrel, Run, arrays_of_dicts, dicts_of
from ranking_scores._tables._trec_files import read_packed, read_table
from ranking_scores._tables._trec_forms import (
    QRELS,
    QRELS_OF_ASPECTS,
    RUN,
    Kind,
    is_without_header,
)
from ranking_scores._tables._trec_runs import write_scores
from ranking_scores._tables._which_queries import (
    NO_QUERIES,
    OF_TWO_RANKINGS,
    QUERIES,
    UNEQUAL,
    Queries,
    QueriesSeen,
    SomeQueries,
    choose_queries,
    likely_same_ids,
    refuse_unjudged,
    see_queries,
    warn_of_none_found,
)
from ranking_scores._tables._whole_queries import (
    Batch,
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
