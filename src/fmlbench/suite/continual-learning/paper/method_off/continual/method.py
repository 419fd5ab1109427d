"""Fine-tuning: the same network and training, and no penalty on moving important weights."""

from models.classifier import Classifier

HIDDEN = 400


def build_model():
    """Two hidden layers and one head for all classes; nothing holds them in place."""
    model = Classifier(
        image_size=28, image_channels=1, classes=10, fc_layers=3, fc_units=HIDDEN, fc_bn=False, excit_buffer=True
    )
    model.scenario = "class"
    return model
