"""The APIs that programs speak to models in."""
