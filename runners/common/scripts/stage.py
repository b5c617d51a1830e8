"""What the scripts of all runners share: run main, and on an expected failure end with one line
that says why.

Knows no stage.
"""
import sys


class Failed(Exception):
    """What it says is for the user, as the last line of the log."""


def run(main, *expected):
    """Calls MAIN with the arguments. Exits 0, or 1 with the reason as the last line on stderr; what
    is not expected keeps its trace."""
    try:
        main(sys.argv[1:])
    except (Failed, *expected, OSError) as error:
        sys.stdout.flush()
        print(f"{sys.argv[0].rsplit('/', 1)[-1]}: {error}", file=sys.stderr)
        sys.exit(1)
