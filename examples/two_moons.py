"""The paper's first figure: two moons, dense and under-sampled, without and with constraints.

Run it with `make demo`, or `python examples/two_moons.py --output DIR`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from sidecut import CSP, Constraints
from sidecut.datasets import two_moons
from sidecut.plot import LinkDisplay


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("out"), help="folder for the picture")
    output: Path = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)

    dense, dense_truth = two_moons(600, noise=0.05, random_state=0)
    X, truth = two_moons(100, noise=0.1, random_state=3)
    known = Constraints.sample(truth, 12, random_state=0)

    model = CSP(affinity="nearest_neighbors")
    panels: list[tuple[str, Any, Any, Any, Constraints | None]] = []
    labels = KMeans(2, n_init=10, random_state=0).fit_predict(dense)
    panels.append(("K-means, 600 points", dense, labels, dense_truth, None))
    labels = model.fit_predict(dense)
    panels.append(("Spectral clustering, 600 points", dense, labels, dense_truth, None))

    print("Two moons, 100 points, without constraints")
    labels = model.fit_predict(X)
    panels.append(("Spectral clustering, 100 points", X, labels, truth, None))
    print(f"{model.report_}\nARI against the truth  {adjusted_rand_score(truth, labels):.3f}\n")

    print("The same points with 12 constraints")
    labels = model.fit_predict(X, constraints=known)
    panels.append(("Constrained, 100 points, 12 links", X, labels, truth, known))
    print(f"{model.report_}\nARI against the truth  {adjusted_rand_score(truth, labels):.3f}\n")

    figure, grid = plt.subplots(2, 2, figsize=(9.5, 6.6), layout="constrained")
    for ax, (title, points, labels, y, constraints) in zip(grid.flat, panels, strict=True):
        title = f"{title}: ARI {adjusted_rand_score(y, labels):.2f}"
        LinkDisplay(points, labels, constraints).plot(ax, title=title)
    picture = output / "two_moons.png"
    figure.savefig(picture, dpi=150)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main()
