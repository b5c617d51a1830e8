"""resolve.py SOURCE REVISION: prints the commit of a branch, tag or commit of hf:OWNER/NAME as
its last line.
"""
from hub import Hub
from stage import Failed, run


def main(arguments):
    if len(arguments) != 2:
        raise Failed("usage: resolve.py hf:OWNER/NAME REVISION")
    source, revision = arguments
    print(Hub(source).commit(revision or "main"))


if __name__ == "__main__":
    run(main)
