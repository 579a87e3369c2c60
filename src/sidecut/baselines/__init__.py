"""Published methods for the same task, each in one file and all with the same face.

Every name in `__all__` is a scikit-learn estimator whose `fit` takes `constraints`. They share the
parameters of `Baseline`; `docs/baselines.md` compares them.
"""

from sidecut.baselines.ccsr import CCSR
from sidecut.baselines.e2cp import E2CP
from sidecut.baselines.fast_ge import FastGE
from sidecut.baselines.gp_propagation import GPPropagation
from sidecut.baselines.grouping_with_bias import GroupingWithBias
from sidecut.baselines.inconsistent_advice import InconsistentAdvice
from sidecut.baselines.integrated_kl import IntegratedKL
from sidecut.baselines.landmark_csp import LandmarkCSP
from sidecut.baselines.must_link_penalty import MustLinkPenalty
from sidecut.baselines.ncut import Ncut
from sidecut.baselines.pmf import PMF
from sidecut.baselines.random_walk import RandomWalkLearning
from sidecut.baselines.spectral_kernel import SpectralKernel
from sidecut.baselines.spectral_learning import SpectralLearning
from sidecut.baselines.sponge import SPONGE
from sidecut.baselines.ss_kernel_kmeans import SSKernelKMeans
from sidecut.baselines.subspace_trick import SubspaceTrick

__all__ = [
    "CCSR",
    "E2CP",
    "PMF",
    "SPONGE",
    "FastGE",
    "GPPropagation",
    "GroupingWithBias",
    "InconsistentAdvice",
    "IntegratedKL",
    "LandmarkCSP",
    "MustLinkPenalty",
    "Ncut",
    "RandomWalkLearning",
    "SSKernelKMeans",
    "SpectralKernel",
    "SpectralLearning",
    "SubspaceTrick",
]
