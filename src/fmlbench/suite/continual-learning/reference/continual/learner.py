"""Quadratic discriminant analysis from class covariances that are kept at four bits a number.

Class covariances beat a shared one (Goswami et al., 2023, "FeCAM"), but in float32 they take 16 kB a class. Here each
covariance is drawn towards the identity, which is what the sensor's vectors have as a whole, and its Cholesky factor is
kept: any rounding of a factor still gives a covariance.
"""

import torch

SIZE = 64
SHRINKAGE = 0.15
LEVELS = 15
ROWS, COLUMNS = torch.tril_indices(SIZE, SIZE, -1)


def learn(vectors, labels, state):
    """Return the state with the classes of this context added: label and packed statistics of each."""
    kept = dict(state or {})
    for label in labels.unique().tolist():
        kept[label] = pack(vectors[labels == label])
    return kept


def pack(vectors):
    """Mean and diagonal as a byte a number, the rest of the factor as half a byte, and their three scales."""
    covariance = (1 - SHRINKAGE) * torch.cov(vectors.T) + SHRINKAGE * torch.eye(SIZE)
    factor = torch.linalg.cholesky(covariance)
    parts = [(vectors.mean(dim=0), 127), (factor.diagonal(), 127), (factor[ROWS, COLUMNS], LEVELS / 2 - 0.5)]
    scales = [float(part.abs().max()) / top for part, top in parts]
    mean, diagonal, rest = (
        torch.round(part / scale).to(torch.int8) for (part, _), scale in zip(parts, scales, strict=True)
    )
    halves = (rest + LEVELS // 2).to(torch.uint8)
    packed = torch.cat([mean.view(torch.uint8), diagonal.view(torch.uint8), halves[::2] * 16 + halves[1::2]])
    return packed.numpy().tobytes(), scales


def unpack(kept):
    """Mean and Cholesky factor of the covariance of one class."""
    packed, scales = torch.frombuffer(bytearray(kept[0]), dtype=torch.uint8), kept[1]
    mean, diagonal = packed[:SIZE].view(torch.int8), packed[SIZE : 2 * SIZE].view(torch.int8)
    halves = torch.stack([packed[2 * SIZE :] // 16, packed[2 * SIZE :] % 16], dim=1).flatten()
    factor = torch.diag(diagonal * scales[1])
    factor[ROWS, COLUMNS] = (halves.float() - LEVELS // 2) * scales[2]
    return mean * scales[0], factor


def predict(state, vectors):
    """Return the class whose Gaussian is the likeliest for each vector."""
    scores = []
    for label in sorted(state):
        mean, factor = unpack(state[label])
        standard = torch.linalg.solve_triangular(factor, (vectors - mean).T, upper=False)
        scores.append(-0.5 * standard.square().sum(dim=0) - factor.diagonal().log().sum())
    return torch.tensor(sorted(state))[torch.stack(scores, dim=1).argmax(dim=1)]
