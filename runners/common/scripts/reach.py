"""reach.py SOURCE REVISION: whether the files of hf:OWNER/NAME, hf:datasets/OWNER/NAME, git:URL or
url:URL can be fetched from here. It asks for the first byte of a file and keeps nothing; the last
line says what is there.
"""
import hub_file
import url_source
from git_source import commit_of
from resolve import HUB_DATASETS, hub_of
from stage import Failed, run

GIB = 1 << 30


def on_hub(source, revision):
    hub = hub_of(source)
    commit = hub.commit(revision or "main")
    # Rows of datasets lie in folders, too.
    files = hub_file.files_of(hub, commit, with_folders=source.startswith(HUB_DATASETS))
    if not files:
        raise Failed(f"{source} has no files; check the name and the revision")
    # Of a gated repository everybody may see the list, the README and the like.
    largest = max(files.values(), key=lambda file: file.size)
    url_source.size_of(hub, hub.file_url(commit, largest.name))
    size = sum(file.size for file in files.values()) / GIB
    token = f", with the token in {hub.token_from}" if hub.token_from else ""
    return f"{source}: {len(files)} files, {size:.1f} GiB, commit {commit[:12]}{token}"


def described(source, revision):
    kind, _, place = source.partition(":")
    if kind == "git":
        return f"{source}: commit {commit_of(place, revision or 'HEAD')[:12]}"
    if kind == "url":
        return f"{source}: {url_source.described(place, revision)[1].size / GIB:.1f} GiB"
    return on_hub(source, revision)


def main(arguments):
    if len(arguments) != 2:
        raise Failed("usage: reach.py hf:OWNER/NAME|git:URL|url:URL REVISION")
    print(described(*arguments))


if __name__ == "__main__":
    run(main)
