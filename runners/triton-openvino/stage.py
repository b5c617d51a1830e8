"""What every stage script shares: run main, and on an expected failure end with one line that says why.

Knows no stage.
"""
import sys


def run(main, *expected):
    """Exit 0, or 1 with the reason as the last line on stderr."""
    try:
        main()
    except (*expected, OSError) as error:
        sys.stdout.flush()
        print(f"{sys.argv[0].rsplit('/', 1)[-1]}: {error}", file=sys.stderr)
        sys.exit(1)
