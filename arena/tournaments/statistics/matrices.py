"""The linear algebra that ratings need; a matrix is a list of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Matrix: TypeAlias = list[list[float]]


def zeros(size: int) -> Matrix:
    """Make a square matrix of zeros."""
    return [[0.0] * size for _ in range(size)]


def inverse(matrix: Matrix) -> Matrix:
    """Invert a positive definite matrix by Gauss-Jordan elimination, which then needs no pivoting.

    Raises ZeroDivisionError if it is singular. n = 100 takes about 0.1 s.
    """
    size = len(matrix)
    work = [row + [float(i == j) for j in range(size)] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = work[column]
        scale = 1 / pivot[column]
        work[column] = pivot = [scale * cell for cell in pivot]
        for number, row in enumerate(work):
            factor = row[column]
            if number != column and factor:
                work[number] = [cell - factor * above for cell, above in zip(row, pivot, strict=True)]
    return [row[size:] for row in work]


def centred_inverse(laplacian: Matrix) -> Matrix:
    """Invert a matrix whose rows add up to 0 among the vectors that add up to 0 (its Moore-Penrose inverse)."""
    size = len(laplacian)
    full = inverse([[cell + 1 / size for cell in row] for row in laplacian])
    return [[cell - 1 / size for cell in row] for row in full]


def times(matrix: Matrix, vector: Sequence[float]) -> list[float]:
    """Multiply a matrix by a vector."""
    return [sum(cell * each for cell, each in zip(row, vector, strict=True)) for row in matrix]


def sandwich(bread: Matrix, meat: Matrix) -> Matrix:
    """Compute bread x meat x bread; both are symmetric."""
    inner = [times(meat, row) for row in bread]
    return [times(inner, row) for row in bread]


def add_difference(matrix: Matrix, first: int, second: int, weight: float) -> None:
    """Add `weight` times the square of the difference of two coordinates to a quadratic form."""
    matrix[first][first] += weight
    matrix[second][second] += weight
    matrix[first][second] -= weight
    matrix[second][first] -= weight


def difference_variance(covariance: Matrix, first: int, second: int) -> float:
    """Read the variance of the difference of two coordinates from their covariance."""
    return covariance[first][first] + covariance[second][second] - 2 * covariance[first][second]
