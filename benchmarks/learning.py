# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""Adds programs of statistics and machine learning to those of science.py."""

from typing import Any

from science import PROGRAMS, flat, pairs, points, program, side, square

__all__ = ["PROGRAMS"]


@program(lambda n: [(4, side(n // 4), 32)] * 3, 1 << 24)
def attention(xp: Any, queries: Any, keys: Any, values: Any) -> Any:
    scores = xp.matmul(queries, keys.transpose(0, 2, 1)) * 0.18
    i = xp.arange(scores.shape[-1])
    scores = xp.where(i[:, None] >= i, scores, -1e30)
    e = xp.exp(scores - scores.max(axis=-1, keepdims=True))
    return xp.matmul(e / e.sum(axis=-1, keepdims=True), values)


@program(points(32, (8, 4)), 1 << 23)
def gaussian_mixture(xp: Any, x: Any, mean: Any) -> Any:
    x = x[:, :4].copy()
    variance, share = mean * 0 + 1, mean[:, 0] * 0 + 1 / 8
    for _ in range(3):
        away = x[:, None, :] - mean
        logs = -0.5 * (away * away / variance + xp.log(variance)).sum(axis=2) + xp.log(share)
        logs -= logs.max(axis=1, keepdims=True)
        likely = xp.exp(logs)
        likely /= likely.sum(axis=1, keepdims=True)
        weight = likely.sum(axis=0)
        mean = likely.T @ x / weight[:, None]
        variance = xp.maximum(likely.T @ (x * x) / weight[:, None] - mean * mean, 1e-3)
        share = weight / len(x)
    return mean, variance


@program(points(16), 1 << 20, exact=False)
def k_means(xp: Any, x: Any) -> Any:
    centres = x[:16].copy()
    for _ in range(3):
        nearest = ((x[:, None, :] - centres) ** 2).sum(-1).argmin(1)
        sums = xp.zeros_like(centres)
        xp.add.at(sums, nearest, x)
        counts = xp.bincount(nearest, minlength=16).astype("float32")
        centres = sums / xp.maximum(counts, 1)[:, None]
    return centres


@program(points(32), 1 << 24)
def standardize(xp: Any, x: Any) -> Any:
    x = (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-6)
    return xp.clip(x, -2, 2)


@program(points(32), 1 << 24)
def correlation(xp: Any, x: Any) -> Any:
    x = x - x.mean(axis=0)
    covariance = x.T @ x / (len(x) - 1)
    spread = xp.sqrt(xp.diag(covariance))
    return covariance / (spread[:, None] * spread)


@program(points(32, (32,)), 1 << 24)
def logistic_regression(xp: Any, x: Any, weight: Any) -> Any:
    target = (x[:, 0] > 1).astype("float32")
    for _ in range(5):
        p = 1 / (1 + xp.exp(-(x @ weight - 32)))
        weight = weight - 0.1 * (x.T @ (p - target) / len(x) + 0.01 * weight)
    return weight


@program(points(64, (64, 64), (64,), (64, 64)), 1 << 24)
def perceptron(xp: Any, x: Any, first: Any, bias: Any, second: Any) -> Any:
    h = (x - 1) @ (first - 1) + bias - 1
    h = 0.5 * h * (1 + xp.tanh(0.79788456 * (h + 0.044715 * h * h * h)))
    h = h @ (second - 1)
    h = h - h.max(axis=1, keepdims=True)
    return h - xp.log(xp.exp(h).sum(axis=1, keepdims=True))


@program(flat(3), 1 << 26)
def momentum(xp: Any, weight: Any, gradient: Any, speed: Any) -> Any:
    weight, speed = weight.copy(), speed.copy()
    for _ in range(3):
        speed *= 0.9
        speed += 0.1 * gradient
        weight -= 0.01 * speed
        weight *= 0.9999
    return weight


@program(flat(2), 1 << 26)
def huber(xp: Any, predicted: Any, wanted: Any) -> Any:
    error = predicted - wanted
    size = xp.abs(error)
    loss = xp.where(size < 0.3, 0.5 * error * error, 0.3 * (size - 0.15))
    slope = xp.where(size < 0.3, error, 0.3 * xp.sign(error))
    return loss.mean(), slope


@program(flat(2), 1 << 26)
def divergence(xp: Any, p: Any, q: Any) -> Any:
    p, q = p / p.sum(), q / q.sum()
    middle = 0.5 * (p + q)
    return 0.5 * ((p * xp.log(p / middle)).sum() + (q * xp.log(q / middle)).sum())


@program(points(16, (16, 16)), 1 << 24)
def mahalanobis(xp: Any, x: Any, root: Any) -> Any:
    away = x - x.mean(axis=0)
    return xp.sqrt(((away @ root) ** 2).sum(axis=1))


@program(pairs(1), 1 << 24)
def kernel_matrix(xp: Any, x: Any) -> Any:
    k = xp.exp(-4 * (x[:, None] - x) ** 2)
    means = k.mean(axis=0)
    return k - means - means[:, None] + k.mean()


@program(square(1), 1 << 22)
def sinkhorn(xp: Any, cost: Any) -> Any:
    k = xp.exp(-3 * cost)
    u = k[:, 0] * 0 + 1
    for _ in range(5):
        v = 1 / (k.T @ u)
        u = 1 / (k @ v)
    return u[:, None] * k * v


@program(square(1), 1 << 22)
def page_rank(xp: Any, links: Any) -> Any:
    step = xp.where(links > 1.3, 1.0, 0.0).astype("float32")
    step = step / xp.maximum(step.sum(axis=0), 1)
    rank = step[0] * 0 + 1 / len(step)
    for _ in range(8):
        rank = 0.85 * (step @ rank) + 0.15 / len(step)
        rank = rank / rank.sum()
    return rank


@program(square(1), 1 << 20)
def shortest_paths(xp: Any, distance: Any) -> Any:
    d = distance.copy()
    for k in range(8):
        d = xp.minimum(d, d[:, k : k + 1] + d[k : k + 1])
    return d


@program(flat(1), 1 << 26)
def quantize(xp: Any, x: Any) -> Any:
    scale = xp.abs(x).max() / 127
    small = xp.clip(xp.round(x / scale), -127, 127).astype("int8")
    back = small.astype("float32") * scale
    return small, ((x - back) ** 2).mean()


@program(flat(1), 1 << 22)
def robust_scores(xp: Any, x: Any) -> Any:
    middle = xp.median(x)
    spread = xp.median(xp.abs(x - middle))
    scores = 0.6745 * (x - middle) / spread
    return scores, (xp.abs(scores) > 1.2).sum()
