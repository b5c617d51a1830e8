"""checkout.py URL REVISION OUT: checks out a git repository at a commit, tag or branch into OUT.

commit.json beside OUT names the commit. It does not know what the repository is for.
"""
import json
import re
import shutil
from pathlib import Path

from git_source import check_out, commit_of
from stage import Failed, run


def main(arguments):
    if len(arguments) != 3:
        raise Failed("usage: checkout.py URL REVISION OUT")
    url, revision, out = arguments[0], arguments[1], Path(arguments[2])
    commit = revision if re.fullmatch("[0-9a-f]{40}", revision) else commit_of(url, revision)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    check_out(url, commit, out)
    shutil.rmtree(out / ".git")
    text = json.dumps({"url": url, "revision": revision, "commit": commit}, indent=1)
    (out.parent / "commit.json").write_text(text + "\n", "utf-8")
    print(f"{url} {revision} is {commit}")


if __name__ == "__main__":
    run(main)
