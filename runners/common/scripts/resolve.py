"""resolve.py SOURCE REVISION: prints, as its last line, the commit of a branch, tag or commit of
hf:OWNER/NAME or git:URL.
"""
from git_source import commit_of
from hub import Hub
from stage import Failed, run


def main(arguments):
    if len(arguments) != 2:
        raise Failed("usage: resolve.py hf:OWNER/NAME|git:URL REVISION")
    source, revision = arguments
    kind, _, place = source.partition(":")
    if kind == "url":
        raise Failed(f"{source}: what is there may change; write its sha256 as the revision")
    if kind == "git":
        print(commit_of(place, revision or "HEAD"))
    else:
        print(Hub(source).commit(revision or "main"))


if __name__ == "__main__":
    run(main)
