"""Names of files that others give: which of them stay inside a folder, and which match patterns."""
import fnmatch

from stage import Failed


def refuse_name(name, where):
    """NAME becomes a path below a folder of ours."""
    good = isinstance(name, str) and name and len(name) <= 1000 and name.isprintable()
    if not good or "\\" in name or any(part in ("", ".", "..") for part in name.split("/")):
        raise Failed(
            f"{where} has a file named {name!r:.200}, which is no path inside a folder; nothing of"
            " it is used"
        )


def matches(name, patterns):
    """`*` in a pattern stands for any characters, also for `/`; a pattern that ends with `/` stands
    for all files below that folder."""
    return any(
        fnmatch.fnmatchcase(name, pattern + "*" if pattern.endswith("/") else pattern)
        for pattern in patterns
    )
