"""Only ``causalml.inference.meta.utils`` can be used here: the learners need XGBoost, statsmodels and more."""
