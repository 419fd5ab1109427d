"""The HTML report: one file that works offline, on a phone and in print.

run_records.py          read runs, each log once
comparison_groups.py    groups of comparable runs: leaderboard, tasks and correlations
task_table.py           all runs of a task
run_page.py             the content of one run
step_view.py            its steps
plots/                  SVG plots without a plotting library
templates/              the page, its style sheet and its script
page.py                 the whole page

Text from agents and candidates is sanitised and escaped. The file loads no external resource.
"""
