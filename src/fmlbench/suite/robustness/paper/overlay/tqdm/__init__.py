"""A silent stand-in for tqdm, which the toolbox imports everywhere and the environment does not have."""
