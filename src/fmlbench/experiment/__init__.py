"""Judge a candidate: samples, stages, exams, answers and grades."""
