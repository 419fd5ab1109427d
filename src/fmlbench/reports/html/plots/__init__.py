"""Plots as SVG text, without a plotting library or script; the page's style sheet sets the colours."""
