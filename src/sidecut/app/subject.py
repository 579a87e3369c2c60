"""What is clustered on the page: a photograph, points or a graph, and how each becomes a graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.ndimage import median_filter
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from sidecut._progress import Callback
from sidecut._validation import Float, Int
from sidecut.affinity import image_affinity
from sidecut.basis import SpectralBasis
from sidecut.estimators import ConstrainedSpectralClustering

# A photograph is worked on at this size at most; its mask is exported at its own.
WORK_PIXELS = 200_000
MAX_POINTS = 200_000
# More lines than this are a blot.
MAX_EDGES = 5000
# The graph of a photograph. With strokes of other people on six photographs of the Berkeley set
# the mean IoU was .78 so; .76 with a median of 3 × 3 and a scale of 0.03, .75 with Gaussian
# smoothing, which also makes thin clusters of the edges it blurs. The scale is a share of the
# range of colours; a least weight keeps single pixels from becoming clusters.
MEDIAN, RADIUS, COLOUR_SCALE, LEAST_WEIGHT = 5, 1.5, 0.02, 1e-4
IMAGE_VECTORS = 48


# Takes what is being done, and about how much of all is behind.
Tell = Callable[[str, float], None]


@dataclass(frozen=True, eq=False)
class Subject:
    """What is clustered.

    Attributes
    ----------
    kind : {"image", "points", "graph"}
        What `data` is: colours (height, width, 3) as bytes, points, or an affinity.
    name : str
        What the person calls it.
    data : array or sparse array
        The thing itself.
    names : tuple of str
        What the file calls its rows; empty: their numbers.
    full_size : tuple of int
        Width and height of the photograph as it came; (0, 0) otherwise.
    shared : bool
        Whether it is a sample, the same for everyone; what is computed for it is kept.
    """

    kind: str
    name: str
    data: Any
    names: tuple[str, ...] = ()
    full_size: tuple[int, int] = (0, 0)
    shared: bool = False

    def __post_init__(self) -> None:
        if self.n_samples < 3:
            raise ValueError(f"{self.name} has {self.n_samples} rows; there is nothing to cluster")
        limit = WORK_PIXELS if self.kind == "image" else MAX_POINTS
        if self.n_samples > limit:
            what = "pixels" if self.kind == "image" else "rows"
            raise ValueError(
                f"{self.name} has {self.n_samples} {what}; the page takes at most {limit}"
            )

    @property
    def n_samples(self) -> int:
        """Number of pixels, points or nodes."""
        shape = self.data.shape
        return int(shape[0] * shape[1] if self.kind == "image" else shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of a photograph."""
        return int(self.data.shape[0]), int(self.data.shape[1])

    @property
    def picture(self) -> NDArray[np.uint8]:
        """The colours of a photograph."""
        return np.asarray(self.data, dtype=np.uint8)

    def row_name(self, row: int) -> str:
        """Return what a message calls a row."""
        return self.names[row] if self.names else str(row)

    @cached_property
    def standardized(self) -> Subject:
        """The points with mean 0 and variance 1 in every column."""
        return replace(self, data=StandardScaler().fit_transform(self.data), shared=False)

    def edges(self) -> Int:
        """Return the edges of a graph that are drawn: all, or none where nobody could see them."""
        if self.kind != "graph":
            return np.empty((0, 2), np.intp)
        upper = sparse.triu(sparse.coo_array(self.data), k=1)
        few = upper.nnz <= MAX_EDGES
        result: Int = np.column_stack([upper.row, upper.col])[: upper.nnz if few else 0]
        return result

    # -- graph ----------------------------------------------------------------------------------

    def basis(self, tell: Tell) -> SpectralBasis:
        """Compute the basis of a photograph, telling where it is.

        It is kept in single precision and without its graph: labels of pixels do not hang on the
        eighth digit, and a page open for hours should be light.
        """
        tell("Building the graph", 0.02)
        colours = median_filter(self.picture, (MEDIAN, MEDIAN, 1)).astype(np.float64)
        scale = COLOUR_SCALE * (float(np.ptp(colours)) or 1.0)
        graph = image_affinity(colours, radius=RADIUS, sigma_intensity=scale)
        graph.data = np.maximum(graph.data, LEAST_WEIGHT)
        tell("Computing the eigenvectors", 0.05)
        found = SpectralBasis.from_affinity(
            graph,
            min(IMAGE_VECTORS, self.n_samples - 1),
            callback=_in_words(tell),
            random_state=0,
        )
        return replace(found, vectors=found.vectors.astype(np.float32), laplacian=None)

    def model(self, tell: Tell) -> ConstrainedSpectralClustering:
        """Fit points or a graph without constraints; the basis serves whatever is said later."""
        tell("Building the graph", 0.02)
        kind = "precomputed" if self.kind == "graph" else "nearest_neighbors"
        model = ConstrainedSpectralClustering(affinity=kind, random_state=0)
        return model.fit(self.data, callback=_in_words(tell))

    def plane(self, basis: SpectralBasis) -> tuple[Float, tuple[str, str]]:
        """Return where points are drawn, and what the axes are."""
        if self.kind == "points" and not sparse.issparse(self.data):
            if self.data.shape[1] == 2:
                return np.asarray(self.data, dtype=np.float64), ("x", "y")
            n_axes = min(2, *self.data.shape)
            plane = PCA(n_axes, random_state=0).fit_transform(self.data)
            axes = ("first principal component", "second principal component")
        else:
            plane = basis.vectors[:, :2].astype(np.float64) * np.sqrt(basis.volume)
            axes = ("first eigenvector of the graph", "second eigenvector of the graph")
        if plane.shape[1] == 1:
            plane = np.column_stack([plane, np.zeros(len(plane))])
        return plane, axes


def _in_words(tell: Tell) -> Callback:
    def callback(stage: str, iteration: int, residual: float) -> None:
        if stage == "factorize":
            tell("Factorising the graph", 0.08)
        else:
            # How many steps it takes is not known beforehand; photographs take about 20.
            share = 0.3 + 0.65 * (1 - float(np.exp(-iteration / 10)))
            tell(f"Computing the eigenvectors, step {iteration}", share)

    return callback
