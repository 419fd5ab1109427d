"""Individual treatment effects on IHDP with CATENets: what is fitted to a realisation, and how it is asked."""
