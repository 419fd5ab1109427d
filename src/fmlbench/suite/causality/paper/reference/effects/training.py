"""Fit a Gaussian process to every realisation: what the arms share, what each has of its own, which covariates matter.

Alaa and van der Schaar (2017), "Bayesian inference of individualized treatment effects using multi-task Gaussian
processes", put one prior over both potential outcomes and choose it by the evidence; Hahn, Murray and Carvalho (2020),
"Bayesian regression tree models for causal inference", give the effect a prior of its own; relevance of covariates is
determined as in Neal (1996), "Bayesian learning for neural networks".
"""

import numpy as np
import tensorflow as tf

STEPS = 25
STEP_SIZE = 0.15
LENGTH = 5.0
"""The length scale that a covariate has before the data say otherwise."""
LEAST_NOISE = 0.01
"""Keeps the covariance well conditioned."""


def train(covariates, treatment, outcomes, adam_epochs, epochs):
    """Return a fitted process for each realisation; the networks' schedule means nothing to it."""
    return [Process(x, w, y) for x, w, y in zip(covariates, treatment, outcomes, strict=True)]


class Process:
    """Outcomes = a common function + a function for each arm + noise."""

    def __init__(self, covariates, treatment, outcomes):
        self.scale = covariates.mean(axis=0), covariates.std(axis=0).clip(min=0.3)
        self.inputs = self.scaled(covariates)
        self.arms = np.stack([treatment == 0, treatment == 1]).astype(np.float64)
        self.lengths = tf.Variable(np.full((2, covariates.shape[1]), np.log(LENGTH)))
        # Linear and smooth parts of the common function and of the two arms' own, on a log scale.
        self.heights = tf.Variable(np.array([[-1.0, 0.0], [-1.5, -1.5], [-1.5, -1.5]]))
        self.noise = tf.Variable(np.array(-2.0))
        self.maximise_evidence(outcomes.astype(np.float64))

    def scaled(self, covariates):
        """Covariates of a comparable spread, in double precision."""
        return ((covariates - self.scale[0]) / self.scale[1]).astype(np.float64)

    def maximise_evidence(self, outcomes):
        """Choose length scales, heights and noise by gradient ascent, then weigh the units."""
        parameters = [self.lengths, self.heights, self.noise]
        optimizer = tf.keras.optimizers.Adam(learning_rate=STEP_SIZE)
        for _ in range(STEPS):
            with tf.GradientTape() as tape:
                covariance = self.covariance()
            _, slope = solve(covariance.numpy(), outcomes)
            slopes = tape.gradient(covariance, parameters, output_gradients=tf.constant(slope))
            # A prior on length scales: a factor of e costs a quarter of a nat.
            slopes[0] += 0.5 * (self.lengths - np.log(LENGTH))
            optimizer.apply_gradients(zip(slopes, parameters, strict=True))
        self.weights, _ = solve(self.covariance().numpy(), outcomes)
        self.lengths, self.heights, self.noise = (parameter.numpy() for parameter in parameters)

    def covariance(self):
        """The covariance of all outcomes, noise included."""
        common = self.kernel(self.inputs, 0, 0)
        own = sum(self.kernel(self.inputs, 1, 1 + arm) * np.outer(here, here) for arm, here in enumerate(self.arms))
        return common + own + (LEAST_NOISE + tf.exp(self.noise)) * np.eye(len(self.inputs))

    def kernel(self, inputs, lengths, heights):
        """A constant, a linear and a Gaussian kernel between ``inputs`` and the training units."""
        left, right = (rows / tf.exp(self.lengths[lengths]) for rows in (inputs, self.inputs))
        products = left @ tf.transpose(right)
        squares = [tf.reduce_sum(tf.square(rows), axis=1) for rows in (left, right)]
        distances = squares[0][:, None] + squares[1][None] - 2 * products
        linear, smooth = tf.unstack(tf.exp(self.heights[heights]))
        return 1.0 + linear * products + smooth * tf.exp(-tf.maximum(distances, 0.0) / 2)

    def predict(self, covariates):
        """The expected difference between the arms."""
        inputs = self.scaled(covariates)
        untreated, treated = (
            self.kernel(inputs, 1, 1 + arm).numpy() @ (here * self.weights) for arm, here in enumerate(self.arms)
        )
        return treated - untreated


def solve(covariance, outcomes):
    """The weights of the training units, and the slope of minus the log evidence in the covariance."""
    inverse = np.linalg.inv(covariance)
    weights = inverse @ outcomes
    return weights, (inverse - np.outer(weights, weights)) / 2
