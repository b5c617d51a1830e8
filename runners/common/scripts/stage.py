"""Shared by the scripts of all runners: runs main and reports an expected failure in one line with
its reason.
"""
import sys


class Failed(Exception):
    """An expected failure; its message is for the user and is the last line of the log."""


def run(main, *expected):
    """Calls MAIN with the arguments. Exits with 0, or with 1 and the reason as the last line on
    stderr; an unexpected exception keeps its traceback.
    """
    try:
        main(sys.argv[1:])
    except (Failed, *expected, OSError) as error:
        sys.stdout.flush()
        print(f"{sys.argv[0].rsplit('/', 1)[-1]}: {error}", file=sys.stderr)
        sys.exit(1)
