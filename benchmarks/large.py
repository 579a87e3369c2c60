"""Large graphs: our basis, neighbours and full-space cuts beside scikit-learn's, in one run.

    python benchmarks/large.py [--quick] [--only NAME ...] [--output FILE]

Every row times both sides on the same data in one process of its own, which also gives the peak
memory. The two take turns, three times, and the best of each counts. Both may use every core
unless --threads says otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
from pathlib import Path
from time import perf_counter

LIMITS = {
    "moons": "ratio ≤ 1",
    "blobs": "ratio ≤ 0.3",
    "photograph": "ratio ≤ 1",
    "neighbors": "ratio ≤ 0.2, recall ≥ .99",
    "full-space CSP": "ratio ≤ 5",
    "scaling": "1e6 / 1e5 ≤ 15, exponent ≤ 1.2, peak < 6 GiB",
}


def timed(work, *arguments):
    start = perf_counter()
    result = work(*arguments)
    return perf_counter() - start, result


def race(ours, peer, quick):
    """Let two jobs take turns; return the best time of each and what each made."""
    times = []
    for _ in range(1 if quick else 3):
        (first, mine), (second, theirs) = timed(ours), timed(peer)
        times.append((first, second))
    return *(min(column) for column in zip(*times, strict=True)), mine, theirs


def against(ours, peer, note):
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"ours": ours, "peer": peer, "ratio": ours / peer, "peak_gib": peak, "note": note}


def vectors_note(found):
    return (
        f"{found.p} vectors by {found.solver}, {found.status}, "
        f"largest residual {found.residuals.max():.0e}"
    )


def race_for_vectors(graph, peer_clusters, peer_solver, quick):
    """Time 40 vectors of ours beside scikit-learn's clustering of the same graph."""
    import cases

    theirs = cases.peer_graph(graph)
    ours, peer, found, _ = race(
        lambda: cases.basis(graph, 40),
        lambda: cases.peer_clustering(theirs, peer_clusters, peer_solver),
        quick,
    )
    note = f"{vectors_note(found)}; peer: {peer_solver}, {peer_clusters} clusters"
    return against(ours, peer, note)


def run_moons(quick):
    import cases

    X, _ = cases.moons(5_000 if quick else 100_000)
    return race_for_vectors(cases.neighbors(X), 2, "arpack", quick)


def run_blobs(quick):
    import cases

    X, _ = cases.blobs(5_000 if quick else 100_000)
    return race_for_vectors(cases.neighbors(X), 10, "amg", quick)


def run_photograph(quick):
    import cases

    return race_for_vectors(cases.image_graph(cases.photograph(quick)), 2, "arpack", quick)


def run_neighbors(quick):
    import cases
    import numpy as np

    from sidecut.neighbors import nearest_neighbors

    X, _ = cases.blobs(5_000 if quick else 100_000)
    ours, peer, _, truth = race(lambda: cases.neighbors(X), lambda: cases.peer_neighbors(X), True)
    found = nearest_neighbors(X, 10)
    true = truth.indices.reshape(-1, 10)
    recall = float((found.indices[:, :, None] == true[:, None, :]).any(axis=2).mean())
    assert np.all(truth.indptr == np.arange(0, 10 * len(X) + 1, 10))
    return against(ours, peer, f"{found.method}, recall {recall:.4f}; peer: kneighbors_graph")


def run_csp(quick):
    import cases
    from sklearn.metrics import adjusted_rand_score

    X, y = cases.moons(5_000 if quick else 100_000)
    graph = cases.neighbors(X)
    theirs, pairs = cases.peer_graph(graph), 100 if quick else 1000
    ours, peer, cuts, _ = race(
        lambda: cases.full_space_cut(graph, y, pairs),
        lambda: cases.peer_clustering(theirs, 2, "arpack"),
        quick,
    )
    score = adjusted_rand_score(y, cuts.indicators[:, 0] > 0)
    note = f"{cuts.n_feasible} feasible, residual {cuts.residuals[0]:.0e}, ARI {score:.2f}"
    return against(ours, peer, note + "; peer: arpack, unconstrained")


def run_scaling(quick, n=None):
    """Time the whole job at one size; called once per size, each in a process of its own."""
    import cases

    seconds, (found, _, _) = timed(cases.whole_job, n)
    return against(seconds, seconds, vectors_note(found))


RUNS = {
    "moons": run_moons,
    "blobs": run_blobs,
    "photograph": run_photograph,
    "neighbors": run_neighbors,
    "full-space CSP": run_csp,
    "scaling": run_scaling,
}


def in_a_process(name, quick, threads, n=None):
    """Run one case in a fresh interpreter, so that its peak memory is its own."""
    variables = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(variables, str(threads))}
    request = json.dumps({"name": name, "quick": quick, "n": n})
    command = [sys.executable, "-W", "ignore", __file__, "--case", request]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode:
        raise SystemExit(f"{name} failed:\n{run.stderr}")
    return json.loads(run.stdout.splitlines()[-1])


def scaling_rows(quick, threads):
    import numpy as np

    sizes = [1_000, 10_000] if quick else [10_000, 100_000, 1_000_000]
    rows = [in_a_process("scaling", quick, threads, n) for n in sizes]
    seconds = [row["ours"] for row in rows]
    exponent = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    for n, row in zip(sizes, rows, strict=True):
        row["case"] = f"moons N = {n}: graph, 20 vectors, labels"
        row["peer"] = row["ratio"] = None
    last = seconds[-1] / seconds[-2]
    rows[-1]["note"] += f"; {last:.1f} × the size before, fitted exponent {exponent:.2f}"
    return rows


def as_markdown(rows):
    lines = ["| case | ours s | peer s | ratio | peak GiB | |", "|---|---|---|---|---|---|"]
    for row in rows:
        peer, ratio = (f"{row[k]:.2f}" if row[k] else "" for k in ("peer", "ratio"))
        lines.append(
            f"| {row['case']} | {row['ours']:.2f} | {peer} | {ratio} | {row['peak_gib']:.2f} "
            f"| {row['note']} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, for CI")
    parser.add_argument("--only", nargs="*", choices=RUNS, default=list(RUNS))
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--output", type=Path, help="write the table there as markdown")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        request = json.loads(options.case)
        extra = {"n": request["n"]} if request["n"] else {}
        print(json.dumps(RUNS[request["name"]](request["quick"], **extra)))
        return

    rows = []
    for name in options.only:
        if name == "scaling":
            rows += scaling_rows(options.quick, options.threads)
        else:
            row = in_a_process(name, options.quick, options.threads)
            rows.append({"case": f"{name} ({LIMITS[name]})", **row})
        print(as_markdown(rows[-1:]).splitlines()[-1], flush=True)
    if options.output:
        import scipy
        import sklearn

        head = (
            f"Python {platform.python_version()}, scipy {scipy.__version__}, scikit-learn "
            f"{sklearn.__version__}, {os.cpu_count()} cores, {options.threads} thread(s)."
        )
        options.output.write_text(f"{head}\n\n{as_markdown(rows)}\n")


if __name__ == "__main__":
    main()
