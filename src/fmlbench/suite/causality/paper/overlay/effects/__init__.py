"""Individual treatment effects on IHDP with causalml: what is fitted to a realisation, and how it is asked."""
