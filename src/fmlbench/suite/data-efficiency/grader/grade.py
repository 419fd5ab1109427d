"""Grade the answers to few-shot episodes: the share of query drawings that got the right class."""

import numpy as np
from gradekit import main


def grade(answers, query_labels):
    """Return score, metrics and standard errors; both arrays are [episodes, queries]."""
    if answers.shape != query_labels.shape:
        raise ValueError(f"answers have the shape {answers.shape}, not {query_labels.shape}")
    per_episode = (answers == query_labels).mean(axis=1)
    accuracy = float(per_episode.mean())
    return {
        "score": accuracy,
        "metrics": {"accuracy": accuracy, "worst_tenth": worst_tenth(per_episode)},
        "standard_errors": {"accuracy": standard_error(per_episode)},
    }


def standard_error(per_episode):
    """The standard error of the mean over episodes: queries of one episode share their support set."""
    if len(per_episode) < 2:
        return 0.0
    return float(per_episode.std(ddof=1) / np.sqrt(len(per_episode)))


def worst_tenth(per_episode):
    """The mean accuracy of the hardest tenth of the episodes."""
    count = -(-len(per_episode) // 10)
    return float(np.sort(per_episode)[:count].mean())


if __name__ == "__main__":
    main(grade)
