"""Models on this machine: any GGUF file, served on the loopback interface by llama.cpp."""
