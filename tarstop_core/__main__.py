"""`python -m tarstop_core` is the `tarstop` command."""

from tarstop_core.cli import main

if __name__ == "__main__":
    main()
