"""fmlbench doctor: check this machine."""

import typer

from fmlbench.cli.options import JsonOption


def doctor(as_json: JsonOption = False) -> None:
    """Check what works on this machine and what is missing.

    Prints a command that fixes each problem. Exits with 1 if something required is missing.
    """
    from fmlbench.cli.checkup import check_machine
    from fmlbench.cli.console import show, show_json
    from fmlbench.cli.dirs import find_dirs
    from fmlbench.reports.health import health_table, is_healthy

    findings = check_machine(find_dirs())
    if as_json:
        show_json(findings)
    else:
        show(health_table(findings))
    if not is_healthy(findings):
        raise typer.Exit(1)
