"""Plots as SVG text: no plotting library, no script, and colours that the page's style sheet decides."""
