"""How good are the clusters with few, many and wrong constraints? Defaults only.

    SIDECUT_DATA=... python benchmarks/few_constraints.py [--quick] [--only NAME ...] [--draws N]

Adjusted Rand index against the truth, random pairs drawn uniformly from it, mean over draws.
Beside `ConstrainedSpectralClustering`: the unconstrained cut on the same graph, and the paper's CSP
with one feasible cut. Sections whose data are not in SIDECUT_DATA are left out.
"""

from __future__ import annotations

import argparse
import csv
import os
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from sidecut import (
    CSP,
    Alpha,
    ConstrainedSpectralClustering,
    Constraints,
    InfeasibleThresholdError,
    Mu,
)

DATA = Path(os.environ.get("SIDECUT_DATA", ""))
UCI = ("hepatitis", "iris", "wine", "glass", "ionosphere", "wdbc")
GRAPHS = ("nearest_neighbors", "rbf")


def uci(name):
    """Return a set as the paper uses it: complete rows, two classes, standardised."""
    with (DATA / "uci" / f"{name}.csv").open() as file:
        rows = [row for row in list(csv.reader(file))[1:] if "" not in row]
    y = np.array([row[-1] for row in rows])
    X = np.array([row[:-1] for row in rows], dtype=float)
    left_out = {"iris": "setosa", "wine": "class_2"}.get(name)
    X, y = X[y != left_out], y[y != left_out]
    if name == "glass":
        y = np.isin(y, ["1", "2", "3"])  # window glass or not
    return StandardScaler().fit_transform(X[:, X.std(axis=0) > 0]), y


def usps():
    with np.load(DATA / "digits" / "usps.npz") as file:
        parts = {key: np.concatenate([file[k] for k in file.files if k.lower().startswith(key)])
                 for key in ("x", "y")}  # fmt: skip
    return parts["x"].astype(float), parts["y"]


def facebook():
    with np.load(DATA / "graph" / "facebook.npz") as file:
        edges, y = file["edges"], file["y"]
    half = sparse.coo_array((np.ones(len(edges)), edges.T), shape=(len(y), len(y))).tocsr()
    return ((half + half.T) > 0).astype(float), y


def scores(model, y, n_pairs, draws, wrong=0.0):
    """Return ARI and seconds of each draw, on the basis that the model already has."""
    results = []
    for draw in range(draws):
        known = Constraints.sample(y, n_pairs, wrong=wrong, random_state=50_000 + draw)
        start = perf_counter()
        model.update(constraints=known)
        seconds = perf_counter() - start
        results.append((adjusted_rand_score(y, model.labels_), seconds))
    return np.array(results).T


def curve(name, X, y, counts, draws, **parameters):
    model = ConstrainedSpectralClustering(len(np.unique(y)), random_state=0, **parameters).fit(X)
    plain = adjusted_rand_score(y, model.labels_)
    for count in counts:
        found, seconds = scores(model, y, count, draws)
        print(
            f"{name:<12} {count:>5} pairs  mean {found.mean():.3f}  sd {found.std():.3f}  "
            f"min {found.min():.3f}  plain {plain:.2f}  {seconds.mean():.2f} s an update",
            flush=True,
        )


def run_moons(quick, draws):
    X, y = make_moons(5_000 if quick else 100_000, noise=0.15, random_state=0)
    curve("moons", X, y, (20, 100, 500), draws)


def run_usps(quick, draws):
    X, y = usps()
    stride = 8 if quick else 1
    curve("usps", X[::stride], y[::stride], (500, 2000), draws)


def run_facebook(quick, draws):
    A, y = facebook()
    curve("facebook", A, y, (2000,), 1 if quick else draws, affinity="precomputed")


def paper(X, y, graph, n_pairs, draws):
    """Return the mean ARI of the paper's CSP with one feasible cut."""
    found = []
    for draw in range(draws):
        known = Constraints.sample(y, n_pairs, random_state=50_000 + draw)
        try:
            labels = CSP(affinity=graph).fit_predict(X, constraints=known)
        except InfeasibleThresholdError:
            labels = np.zeros(len(y))
        found.append(adjusted_rand_score(y, labels))
    return float(np.mean(found))


def run_uci(quick, draws):
    table = []
    for name in UCI[:2] if quick else UCI:
        X, y = uci(name)
        for graph in GRAPHS:
            model = ConstrainedSpectralClustering(affinity=graph, random_state=0).fit(X)
            plain = adjusted_rand_score(y, model.labels_)
            for count in (20, 100, 400):
                ours = scores(model, y, count, draws)[0].mean()
                theirs = paper(X, y, graph, count, draws)
                table.append((plain, ours, theirs))
                print(
                    f"{name:<12} {graph:<18} {count:>4} pairs  ours {ours:.3f}  "
                    f"plain {plain:.3f}  paper {theirs:.3f}",
                    flush=True,
                )
    plain, ours, theirs = np.array(table).T
    print(
        f"uci, mean of all: ours {ours.mean():.3f}, plain {plain.mean():.3f}, paper "
        f"{theirs.mean():.3f}; largest shortfall against plain {(plain - ours).max():.3f}"
    )


def run_hurt(quick, draws):
    for name in UCI[:2] if quick else UCI:
        X, y = uci(name)
        for graph in GRAPHS:
            model = ConstrainedSpectralClustering(affinity=graph, random_state=0).fit(X)
            plain = adjusted_rand_score(y, model.labels_)
            found = scores(model, y, 20, 10 if quick else 100)[0]
            share = (found < plain - 0.05).mean()
            print(f"hurt {name:<12} {graph:<18} {share:.0%} of draws of 20 pairs", flush=True)


def run_wrong(quick, draws):
    draws *= 1 if quick else 4  # a difference of two means: five draws leave ± .004
    losses = []
    for name in UCI[:2] if quick else UCI:
        X, y = uci(name)
        for graph in GRAPHS:
            model = ConstrainedSpectralClustering(affinity=graph, random_state=0).fit(X)
            right = scores(model, y, 400, draws)[0].mean()
            wrong = scores(model, y, 400, draws, wrong=0.1)[0].mean()
            losses.append(right - wrong)
    print(f"10 % wrong of 400 pairs: mean loss {np.mean(losses):.3f}, largest {np.max(losses):.3f}")


def run_time(quick, draws):
    """Time `update` on a basis of 40 vectors, without and with cross-validation."""
    X, y = make_moons(5_000 if quick else 100_000, noise=0.15, random_state=0)
    stripes = 5 * y + np.digitize(X[:, 0] - y, [-0.6, -0.2, 0.2, 0.6])  # ten parts of the moons
    model = ConstrainedSpectralClustering(n_vectors=40, random_state=0).fit(X)
    for name, truth, count, parameters in (
        ("fixed μ", y, 100, {"threshold": Mu(1.0)}),
        ("exact α", y, 100, {"threshold": Alpha(150.0)}),
        ("share of 95 %", y, 100, {"threshold": 0.95}),
        ("cross-validated", y, 100, {"threshold": "cv"}),
        ("cross-validated, hard", y, 100, {"threshold": "cv", "hard": True}),
        ("10 clusters", stripes, 500, {"threshold": "cv", "n_clusters": 10}),
        ("10 clusters, hard", stripes, 500, {"threshold": "cv", "n_clusters": 10, "hard": True}),
    ):
        model.set_params(**{"hard": False, "n_clusters": 2} | parameters)
        found, seconds = scores(model, truth, count, draws)
        print(
            f"update of {len(y)} nodes, {name:<22} median {1000 * np.median(seconds):6.1f} ms, "
            f"worst {1000 * seconds.max():6.1f} ms, ARI {found.mean():.2f}",
            flush=True,
        )


def count_clusters(name, X, y, counts, draws, **parameters):
    model = ConstrainedSpectralClustering(None, random_state=0, **parameters).fit(X)
    gap = model.n_clusters_
    for count in counts:
        chosen = []
        start = perf_counter()
        for draw in range(draws):
            model.update(constraints=Constraints.sample(y, count, random_state=50_000 + draw))
            chosen.append(model.n_clusters_)
        print(
            f"{name:<12} {count:>5} pairs, {len(np.unique(y))} classes: "
            f"K = {', '.join(map(str, chosen))} (eigengap {gap}), "
            f"{(perf_counter() - start) / draws:.1f} s a choice",
            flush=True,
        )


def run_count(quick, draws):
    """Choose the number of clusters."""
    X, y = make_moons(500 if quick else 20_000, noise=0.15, random_state=0)
    count_clusters("moons", X, y, (50,) if quick else (50, 200), draws)
    if quick or not (DATA / "digits" / "usps.npz").is_file():
        return
    for name in ("wine", "wdbc"):
        count_clusters(name, *uci(name), (50, 200), draws)
    count_clusters("usps", *usps(), (500, 2000), draws)
    count_clusters("facebook", *facebook(), (2000,), draws, affinity="precomputed")


RUNS = {
    "time": (run_time, None),
    "count": (run_count, None),
    "moons": (run_moons, None),
    "usps": (run_usps, "digits/usps.npz"),
    "facebook": (run_facebook, "graph/facebook.npz"),
    "uci": (run_uci, "uci/wine.csv"),
    "hurt": (run_hurt, "uci/wine.csv"),
    "wrong": (run_wrong, "uci/wine.csv"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, for CI")
    parser.add_argument("--only", nargs="*", choices=RUNS, default=list(RUNS))
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    for name in options.only:
        run, needed = RUNS[name]
        if needed and not (DATA / needed).is_file():
            print(f"{name}: left out, SIDECUT_DATA has no {needed}")
            continue
        run(options.quick, 2 if options.quick else options.draws)


if __name__ == "__main__":
    main()
