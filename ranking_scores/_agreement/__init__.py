"""How far two rankings of the same items agree, without labels."""

from __future__ import annotations

from ranking_scores._agreement._correlations import ap, ap_b, kendall, kendall_b
