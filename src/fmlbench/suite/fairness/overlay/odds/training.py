"""Adversarial debiasing for equalized odds (Zhang et al., 2018), with fairlearn's implementation."""

from fairlearn.adversarial import AdversarialFairnessClassifier
from odds.predictor import Predictor

STEPS = 150
BATCH = 128
LEARNING_RATE = 0.03
ALPHA = 4.0
ADVERSARY = [16, "relu"]


def train(features, labels, groups):
    """Return a predictor trained on [n, d] features, [n] labels and [n] groups, all tensors.

    An adversary guesses the group from the predicted probability and the label; the predictor learns to predict the
    label and to leave the adversary guessing. Rows whose group is unknown (-1) form a group of their own.
    """
    predictor = Predictor(features.shape[1])
    mitigation = AdversarialFairnessClassifier(
        backend="torch",
        predictor_model=predictor,
        adversary_model=ADVERSARY,
        constraints="equalized_odds",
        learning_rate=LEARNING_RATE,
        alpha=ALPHA,
        epochs=max(1, round(STEPS * BATCH / len(features))),
        batch_size=BATCH,
        shuffle=True,
    )
    mitigation.fit(features.numpy(), labels.numpy(), sensitive_features=groups.numpy().astype(str))
    return predictor
