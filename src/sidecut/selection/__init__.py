"""Which cut the constraints ask for: a start on the path, a refinement, held-out evidence."""

from sidecut.selection.beliefs import Beliefs
from sidecut.selection.crossval import cross_validate
from sidecut.selection.evidence import Candidate, CrossValidation, Trial
from sidecut.selection.n_clusters import ClusterCount, choose_n_clusters
from sidecut.selection.refine import memberships
from sidecut.selection.weighing import Weighed, weigh

__all__ = [
    "Beliefs",
    "Candidate",
    "ClusterCount",
    "CrossValidation",
    "Trial",
    "Weighed",
    "choose_n_clusters",
    "cross_validate",
    "memberships",
    "weigh",
]
