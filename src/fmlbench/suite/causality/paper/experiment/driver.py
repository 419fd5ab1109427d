"""Let the candidate fit every realisation with TensorFlow, or ask what it fitted for effects.

Models pass from training to the exam as the candidate's own objects, whatever they are made of: they are loaded in the
same sandbox as the code that made them, so there is nothing to protect.
"""

import os
import pickle
import sys
from importlib import import_module

import numpy as np
from stagekit import Stage

MODELS = "models.pickle"
ENVIRONMENT = {"KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
"""TensorFlow reads these when it is imported: no notices, and no oneDNN kernels, which may round in other ways."""


def main(root):
    """Do the stage that ``root`` says."""
    stage = Stage(root)
    begin_tensorflow(stage)
    {"train": train, "exam": sit_exam}[stage.name](stage)


def begin_tensorflow(stage):
    """Pin threads and seed all dice; candidate code is imported only afterwards."""
    os.environ.update(ENVIRONMENT)
    tensorflow = import_module("tensorflow")
    tensorflow.get_logger().setLevel("ERROR")
    tensorflow.config.threading.set_intra_op_parallelism_threads(stage.threads)
    tensorflow.config.threading.set_inter_op_parallelism_threads(stage.threads)
    tensorflow.keras.utils.set_random_seed(stage.seed % 2**32)


def train(stage):
    """Fit all realisations and leave the models for the exam."""
    data = stage.data("train")
    seen = (np.array(data[name]) for name in ("covariates", "treatment", "outcomes"))
    epochs = {name: stage.settings[name] for name in ("adam_epochs", "epochs")}
    models = import_module("effects.training").train(*seen, **epochs)
    (stage.carry / MODELS).write_bytes(pickle.dumps(models))


def sit_exam(stage):
    """Answer with one effect for each question."""
    predict = import_module("effects.inference").predict
    models = pickle.loads((stage.carry / MODELS).read_bytes())

    def respond(questions):
        effects = predict(models, np.array(questions["realisation"]), np.array(questions["covariates"]))
        return np.asarray(effects, dtype=np.float32)

    stage.answer_all(respond)


if __name__ == "__main__":
    main(sys.argv[1])
