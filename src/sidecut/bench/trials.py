"""One trial: a method fits a case with one draw of random pairs, and is scored."""

from __future__ import annotations

import warnings
import zlib
from dataclasses import dataclass
from time import process_time
from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from sidecut.bench.cases import Case
from sidecut.bench.methods import Method
from sidecut.constraints import Constraints

OK, REFUSED, FAILED, TIMED_OUT = "ok", "refused", "failed", "timed out"


class Trial(NamedTuple):
    """What to run: the key of a result."""

    dataset: str
    graph: str
    method: str
    pairs: int
    draw: int


@dataclass(frozen=True)
class Result:
    """What came of a trial.

    Attributes
    ----------
    dataset, graph, method, pairs, draw
        The trial.
    status : {"ok", "refused", "failed", "timed out"}
        Refused: the method says that it does not take this problem (a ValueError). Failed: any
        other error, or its process died.
    ari, nmi, satisfied : float
        Adjusted Rand index and normalised mutual information with the truth; share of the pairs
        that the labels satisfy. nan unless ok.
    seconds : float
        Computing time of `fit` alone, on one thread; the graph is given. Unlike the clock it
        does not depend on what else the machine does.
    message : str
        Why not ok.
    """

    dataset: str
    graph: str
    method: str
    pairs: int
    draw: int
    status: str = OK
    ari: float = float("nan")
    nmi: float = float("nan")
    satisfied: float = float("nan")
    seconds: float = float("nan")
    message: str = ""

    @property
    def trial(self) -> Trial:
        """The key."""
        return Trial(self.dataset, self.graph, self.method, self.pairs, self.draw)


def draw_seed(seed: int, trial: Trial) -> int:
    """Return the seed of a draw; equal for all methods and graphs of a data set."""
    return zlib.crc32(f"{seed} {trial.dataset} {trial.pairs} {trial.draw}".encode())


def run_trial(case: Case, method: Method, trial: Trial, *, seed: int = 0) -> Result:
    """Fit and score once; an error of the method becomes a result that says so.

    Examples
    --------
    >>> from sidecut.bench.cases import load_case
    >>> from sidecut.bench.methods import select
    >>> from sidecut.bench.trials import Trial, run_trial
    >>> case = load_case("moons-0.1", "knn", None, quick=True)
    >>> trial = Trial("moons-0.1", "knn", "CSP", 100, 0)
    >>> run_trial(case, select(["CSP"])[0], trial).status
    'ok'
    """
    random_state = draw_seed(seed, trial)
    try:
        known = Constraints.sample(case.truth, trial.pairs, random_state=random_state)
        model = method.make(case.n_clusters, random_state)
        with warnings.catch_warnings():
            # An empty cluster or a slow convergence shows in the score.
            warnings.simplefilter("ignore")
            start = process_time()
            model.fit(case.affinity, constraints=known)
            seconds = process_time() - start
        labels = np.asarray(model.labels_)
        return Result(
            *trial,
            status=OK,
            ari=float(adjusted_rand_score(case.truth, labels)),
            nmi=float(normalized_mutual_info_score(case.truth, labels)),
            satisfied=known.satisfaction(labels).share,
            seconds=seconds,
        )
    except ValueError as error:
        return Result(*trial, status=REFUSED, message=one_line(error))
    except Exception as error:  # whatever a method does, the run goes on and the result shows it
        return Result(*trial, status=FAILED, message=f"{type(error).__name__}: {one_line(error)}")


def one_line(error: BaseException) -> str:
    """Return the message of an error without line breaks."""
    return " ".join(str(error).split()) or type(error).__name__
