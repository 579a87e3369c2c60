"""Which cut the constraints ask for: a start on the path, a refinement, held-out evidence."""

from sidecut.selection.beliefs import Beliefs
from sidecut.selection.crossval import Candidate, CrossValidation, cross_validate
from sidecut.selection.refine import memberships

__all__ = ["Beliefs", "Candidate", "CrossValidation", "cross_validate", "memberships"]
