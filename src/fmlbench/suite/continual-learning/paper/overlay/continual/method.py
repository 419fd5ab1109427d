"""Which of the repository's methods is used, and with which numbers: those it has for split MNIST."""

from models.classifier import Classifier

HIDDEN = 400
STRENGTH = 5000.0
DAMPING = 0.1


def build_model():
    """Two hidden layers and one head for all classes, held in place by Synaptic Intelligence (Zenke et al., 2017)."""
    model = Classifier(
        image_size=28, image_channels=1, classes=10, fc_layers=3, fc_units=HIDDEN, fc_bn=False, excit_buffer=True
    )
    model.scenario = "class"
    model.weight_penalty = True
    model.importance_weighting = "si"
    model.reg_strength = STRENGTH
    model.epsilon = DAMPING
    return model
