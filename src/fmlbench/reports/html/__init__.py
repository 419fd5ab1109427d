"""Runs as one HTML file that opens offline, on a phone and on paper.

reading.py    runs, each read once
leagues.py    runs that may be compared, in groups
run_page.py   what is shown of one run
plots/        SVG, drawn by hand
templates/    the page, its one style sheet and its one script
page.py       all of it in one file

Everything that an agent or a candidate wrote is cleaned and escaped on the way; nothing in the file asks for anything
outside of it.
"""
