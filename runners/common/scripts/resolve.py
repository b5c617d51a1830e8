"""resolve.py SOURCE REVISION: prints, as its last line, the commit of a branch, tag or commit of
hf:OWNER/NAME, hf:datasets/OWNER/NAME or git:URL.
"""
import os

from git_source import commit_of
from hub import Hub
from stage import Failed, run


HUB_DATASETS = "hf:datasets/"


class DatasetHub(Hub):
    """One repository of datasets on a hub; SOURCE is hf:datasets/OWNER/NAME."""

    def __init__(self, source, environment=os.environ):
        super().__init__("hf:" + source[len(HUB_DATASETS) :], environment)
        self.source = source
        self.repo = "datasets/" + self.repo

    def api(self, path):
        return f"{self.endpoint}/api/{self.repo}/{path}"


def hub_of(source):
    return DatasetHub(source) if source.startswith(HUB_DATASETS) else Hub(source)


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
        print(hub_of(source).commit(revision or "main"))


if __name__ == "__main__":
    run(main)
