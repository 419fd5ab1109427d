"""``python -m fmlbench`` is ``fmlbench``."""

from fmlbench.cli.app import main

if __name__ == "__main__":
    main()
