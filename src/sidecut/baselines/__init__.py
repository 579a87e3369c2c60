"""Published methods for the same task, each in one file and all with the same face.

Every name in `__all__` is a scikit-learn estimator whose `fit` takes `constraints`. They share the
parameters of `Baseline`; `docs/baselines.md` compares them.
"""

from sidecut.baselines.e2cp import E2CP
from sidecut.baselines.fast_ge import FastGE
from sidecut.baselines.ncut import Ncut
from sidecut.baselines.random_walk import RandomWalkLearning
from sidecut.baselines.spectral_learning import SpectralLearning
from sidecut.baselines.ss_kernel_kmeans import SSKernelKMeans

__all__ = [
    "E2CP",
    "FastGE",
    "Ncut",
    "RandomWalkLearning",
    "SSKernelKMeans",
    "SpectralLearning",
]
