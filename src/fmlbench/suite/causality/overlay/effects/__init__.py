"""Individual treatment effects in many studies of one population, with CATENets."""
