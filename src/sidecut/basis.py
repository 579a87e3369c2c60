"""The spectral basis of a graph: computed once, then reused for every set of constraints."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
from scipy import sparse

from sidecut._progress import Callback
from sidecut._validation import Float, check_count
from sidecut.eigen import EigenResult, lowest
from sidecut.laplacian import Laplacian, normalized_laplacian

FORMAT, VERSION = "sidecut spectral basis", 1
_ARRAYS = ("values", "vectors", "degrees", "residuals")


@dataclass(frozen=True, eq=False)
class SpectralBasis:
    """The p lowest non-trivial eigenvectors of a graph's normalised Laplacian.

    Make one with `from_affinity` or `from_laplacian`. The trivial vector `d0`, which says that all
    nodes are one cluster, is left out, and every column is orthogonal to it: `d' U = 0`.

    Attributes
    ----------
    values : array of shape (p,)
        Eigenvalues of L̄, ascending. A graph of c components begins with c − 1 zeros.
    vectors : array of shape (n_samples, p)
        `U = D^-1/2 V`, V orthonormal: smooth functions on the graph.
    degrees : array of shape (n_samples,)
        Degrees of the nodes, regularisation included.
    residuals : array of shape (p,)
        `‖L̄v − λv‖` of each pair.
    solver, status, advice : str
        Which solver ran, why it stopped, and what to do if it did not converge.
    iterations : int
        Its iterations.
    laplacian : Laplacian or None
        The graph; None after `load`.

    Examples
    --------
    >>> from sidecut import SpectralBasis
    >>> from sidecut.affinity import knn_affinity
    >>> from sidecut.datasets import two_moons
    >>> basis = SpectralBasis.from_affinity(knn_affinity(two_moons(500, random_state=0)[0]), 8)
    >>> basis.vectors.shape, basis.status
    ((500, 8), 'converged')
    """

    values: Float
    vectors: Float
    degrees: Float
    residuals: Float
    solver: str
    status: str
    advice: str = ""
    iterations: int = 0
    laplacian: Laplacian | None = field(default=None, repr=False)

    # -- making one -----------------------------------------------------------------------------

    @classmethod
    def from_affinity(
        cls,
        affinity: Any,
        p: int,
        *,
        regularization: float = 0.0,
        solver: str = "auto",
        tol: float = 1e-3,
        maxiter: int | None = None,
        random_state: Any = None,
        callback: Callback | None = None,
    ) -> SpectralBasis:
        """Compute the basis of a graph.

        Parameters
        ----------
        affinity : array or sparse array of shape (n_samples, n_samples)
            Symmetric and not negative.
        p : int
            Number of vectors, below n_samples.
        regularization : float
            See `sidecut.laplacian.normalized_laplacian`.
        solver, tol, maxiter, random_state, callback
            See `sidecut.eigen.lowest`.
        """
        laplacian = normalized_laplacian(affinity, regularization=regularization)
        return cls.from_laplacian(
            laplacian,
            p,
            solver=solver,
            tol=tol,
            maxiter=maxiter,
            random_state=random_state,
            callback=callback,
        )

    @classmethod
    def from_laplacian(
        cls,
        laplacian: Laplacian,
        p: int,
        *,
        initial: Float | None = None,
        **options: Any,
    ) -> SpectralBasis:
        """Compute the basis of a Laplacian; `initial` holds columns V to start from."""
        p = check_count(p, "p", least=1)
        if p >= laplacian.n_samples:
            raise ValueError(f"p must be below n_samples = {laplacian.n_samples}, got {p}")
        free = zero_cost_vectors(laplacian, p)
        if free.shape[1] == p:
            # More components than vectors: all of them are known without a solver.
            result = EigenResult(
                np.zeros(p), free, np.zeros(p), "converged", 0, "components", options.get("tol", 0)
            )
            return cls._from_result(laplacian, result)
        nulls = np.column_stack([laplacian.trivial, free])
        found = lowest(laplacian.matrix, p + 1, null_vectors=nulls, initial=initial, **options)
        # The null space comes out as any basis of itself; ours has d0 apart, which is dropped.
        rest = slice(nulls.shape[1], None)
        result = replace(
            found,
            values=np.concatenate([np.zeros(free.shape[1]), found.values[rest]]),
            vectors=np.hstack([free, found.vectors[:, rest]]),
            residuals=np.concatenate([np.zeros(free.shape[1]), found.residuals[rest]]),
        )
        return cls._from_result(laplacian, result)

    @classmethod
    def _from_result(cls, laplacian: Laplacian, result: EigenResult) -> SpectralBasis:
        return cls(
            values=result.values,
            vectors=laplacian.indicator(result.vectors),
            degrees=laplacian.degrees,
            residuals=result.residuals,
            solver=result.solver,
            status=result.status,
            advice=result.advice,
            iterations=result.iterations,
            laplacian=laplacian,
        )

    # -- what it is -----------------------------------------------------------------------------

    @property
    def n_samples(self) -> int:
        """Number of nodes."""
        return len(self.degrees)

    @property
    def p(self) -> int:
        """Number of vectors."""
        return len(self.values)

    @property
    def volume(self) -> float:
        """Volume of the graph."""
        return float(self.degrees.sum())

    @property
    def converged(self) -> bool:
        """Whether every pair met the tolerance."""
        return self.status == "converged"

    # -- using it -------------------------------------------------------------------------------

    def truncate(self, p: int) -> SpectralBasis:
        """Return the basis of the first p vectors, without a copy."""
        if check_count(p, "p", least=1) > self.p:
            raise ValueError(f"p must be at most {self.p}, got {p}; use extend for more")
        return replace(
            self,
            values=self.values[:p],
            vectors=self.vectors[:, :p],
            residuals=self.residuals[:p],
        )

    def extend(
        self, p: int, *, laplacian: Laplacian | None = None, **options: Any
    ) -> SpectralBasis:
        """Return a basis of p vectors that continues this one.

        Parameters
        ----------
        p : int
            New number of vectors; with fewer than now this is `truncate`.
        laplacian : Laplacian, optional
            The graph, needed after `load`, which does not bring it back.
        **options
            As in `from_affinity`.
        """
        laplacian = laplacian or self.laplacian
        if p <= self.p:
            return self.truncate(p)
        if laplacian is None:
            raise ValueError("a loaded basis does not know its graph; pass laplacian=")
        if not np.array_equal(laplacian.degrees, self.degrees):
            raise ValueError("laplacian is of another graph: its degrees differ from the basis'")
        initial = self.vectors * np.sqrt(self.degrees)[:, None]
        return SpectralBasis.from_laplacian(laplacian, p, initial=initial, **options)

    def embed(self, affinity: Any) -> Float:
        """Extend the vectors to new points (Nyström).

        An eigenvector is `1/(1 − λ)` times the weighted mean of itself over the neighbours; that
        mean exists for new points too.

        Parameters
        ----------
        affinity : array or sparse array of shape (n_new, n_samples)
            Weights between the new points and the nodes, each row with at least one; for instance
            from `sidecut.affinity.knn_affinity_to`.

        Returns
        -------
        array of shape (n_new, p)
            The rows of U of the new points. Columns of λ ≥ 1 oscillate from node to node and have
            no extension; they are 0.
        """
        A = sparse.csr_array(affinity)
        if A.shape[1] != self.n_samples:
            raise ValueError(f"affinity must have {self.n_samples} columns, got shape {A.shape}")
        if not np.isfinite(A.data).all() or A.data.min(initial=0.0) < 0:
            raise ValueError("affinity must be finite and not negative")
        totals = np.asarray(A.sum(axis=1)).ravel()
        if (totals <= 0).any():
            raise ValueError(f"affinity joins row {int(np.argmin(totals))} with no node")
        smooth = self.values < 1.0
        gain = np.where(smooth, 1.0 / np.where(smooth, 1.0 - self.values, 1.0), 0.0)
        result: Float = (A @ self.vectors) / totals[:, None] * gain
        return result

    # -- files ----------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the basis to an uncompressed npz file; whole or not at all.

        Its entries are `format` and `version` (text and int), the arrays `values`, `vectors`,
        `degrees` and `residuals`, and `solver`, `status`, `advice`, `iterations`. No pickle.
        """
        path = Path(path)
        with NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
            temporary = Path(file.name)
            try:
                np.savez(
                    file,
                    format=np.array(FORMAT),
                    version=np.array(VERSION),
                    **{name: getattr(self, name) for name in _ARRAYS},
                    solver=np.array(self.solver),
                    status=np.array(self.status),
                    advice=np.array(self.advice),
                    iterations=np.array(self.iterations),
                )
            except BaseException:
                temporary.unlink()
                raise
        temporary.replace(path)

    @classmethod
    def load(cls, path: str | PathLike[str], *, mmap: bool = False) -> SpectralBasis:
        """Read a basis that `save` wrote.

        Parameters
        ----------
        path : path
            The file.
        mmap : bool
            Leave the vectors on disk and read the rows that are used.
        """
        try:
            with Path(path).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                kept = [name for name in file.files if not (mmap and name == "vectors")]
                fields = {name: file[name] for name in kept}
        except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"{path} is no spectral basis: {error}") from error
        if str(fields.get("format")) != FORMAT:
            raise ValueError(f"{path} is no spectral basis")
        if int(fields["version"]) != VERSION:
            raise ValueError(
                f"{path} has version {int(fields['version'])} of the format, expected {VERSION}"
            )
        if mmap:
            fields["vectors"] = _member(Path(path), "vectors.npy")
        missing = {*_ARRAYS, "solver", "status", "advice", "iterations"} - fields.keys()
        if missing:
            raise ValueError(f"{path} lacks {', '.join(sorted(missing))}")
        values, degrees = fields["values"], fields["degrees"]
        if fields["vectors"].shape != (len(degrees), len(values)):
            raise ValueError(f"{path} has vectors of shape {fields['vectors'].shape}")
        return cls(
            **{name: fields[name] for name in _ARRAYS},
            solver=str(fields["solver"]),
            status=str(fields["status"]),
            advice=str(fields["advice"]),
            iterations=int(fields["iterations"]),
        )


def zero_cost_vectors(laplacian: Laplacian, limit: int) -> Float:
    """Return up to `limit` orthonormal null vectors of L̄ that are orthogonal to d0.

    With more components than that, the largest by volume are told apart and the rest taken as one.
    """
    volumes = np.bincount(laplacian.component, weights=laplacian.degrees)
    if len(volumes) == 1:
        return np.empty((laplacian.n_samples, 0))
    rank = np.empty(len(volumes), np.intp)
    rank[np.argsort(-volumes, kind="stable")] = np.arange(len(volumes))
    group = np.minimum(rank, limit)[laplacian.component]
    sizes = np.bincount(group, weights=laplacian.degrees)
    # Columns 2, 3, ... of the reflection that maps the first axis to the share of each group are
    # orthonormal and orthogonal to it.
    share = np.sqrt(sizes / sizes.sum())
    normal = share - np.eye(len(share))[0]
    normal /= np.linalg.norm(normal)
    contrasts = (np.eye(len(share)) - 2 * np.outer(normal, normal))[:, 1:]
    unit = np.sqrt(laplacian.degrees / sizes[group])
    result: Float = unit[:, None] * contrasts[group]
    return result


def _member(path: Path, name: str) -> Any:
    """Map an array that lies uncompressed inside an npz file."""
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo(name)
        if info.compress_type != zipfile.ZIP_STORED:
            raise ValueError(f"{path} is compressed and cannot be mapped; load it with mmap=False")
    with path.open("rb") as file:
        # The local header repeats the name and may have other extra bytes than the directory.
        file.seek(info.header_offset + 26)
        name_length = int.from_bytes(file.read(2), "little")
        extra_length = int.from_bytes(file.read(2), "little")
        file.seek(name_length + extra_length, 1)
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0
        if version != (1, 0):
            read = np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(file)
        if dtype.hasobject:
            raise ValueError(f"{path} holds objects in {name}")
        start = file.tell()
    return np.memmap(path, dtype, "r", start, shape, "F" if fortran else "C")
