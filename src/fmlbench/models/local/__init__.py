"""Models that run on the user's own machine, without a key: any GGUF file, served on loopback by llama.cpp."""
