#!/usr/bin/env python3
"""sources.py fetch FOLDER | newer | update: the sources of the portable build.

sources.txt names every archive with its version and checksum. `fetch` downloads them into FOLDER
and fails if one has another checksum; `newer` prints what Debian and PyPI have now, and `update`
writes it to sources.txt. Uses the machine's own mirror of Debian, with lists of its own.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIST = HERE / "sources.txt"
RELEASES = ["trixie", "bookworm"]  # Debian 13, and 12 for what a mirror lacks of it


class Failed(Exception):
    pass


def run(words, **options):
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, **options)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, words))} ended with exit status {done.returncode}")
    return done.stdout


def rows():
    """(kind, package, version, file, sha256) of each line of sources.txt."""
    lines = LIST.read_text().splitlines()
    return [tuple(line.split()) for line in lines if line and not line.startswith("#")]


def mirrors():
    """The mirrors of Debian and of its security updates that this machine uses."""
    uris = run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"])
    found = {uri.rstrip("/").rsplit("/", 1)[-1]: uri for uri in uris.split() if "debian" in uri}
    main = os.environ.get("DEBIAN_MIRROR") or found.get("debian")
    if not main:
        raise Failed(
            "this machine's apt has no mirror of Debian; name one: DEBIAN_MIRROR=http://HOST/debian"
        )
    return main, found.get("debian-security") or re.sub("debian/?$", "debian-security", main)


class Apt:
    """apt with lists, cache and sources of its own below FOLDER."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        for part in ["state/lists/partial", "cache/archives/partial"]:
            (folder / part).mkdir(parents=True, exist_ok=True)
        main, security = mirrors()
        suites = [
            (at, release + suffix)
            for release in RELEASES
            for at, suffix in [(main, ""), (main, "-updates"), (security, "-security")]
        ]
        (folder / "sources.list").write_text(
            "".join(f"{kind} {at} {suite} main\n" for at, suite in suites for kind in KINDS)
        )
        (folder / "apt.conf").write_text(
            f'Dir::State "{folder}/state";\nDir::Cache "{folder}/cache";\n'
            f'Dir::Etc::sourcelist "{folder}/sources.list";\nDir::Etc::sourceparts "/dev/null";\n'
            'Dir::State::status "/dev/null";\nAPT::Sandbox::User "root";\n'
        )
        self.env = {**os.environ, "APT_CONFIG": str(folder / "apt.conf"), "LC_ALL": "C"}
        self("apt-get", "update", "-qq")

    def __call__(self, *words, **options):
        return run(words, env=self.env, **options)

    def versions(self, kind, package):
        """The rows of each version of PACKAGE, the newest first."""
        text = self("apt-cache", "showsrc" if kind == "deb-src" else "show", package)
        versions = {}
        for paragraph in text.strip().split("\n\n"):
            keys = dict(re.findall(r"^(\S+): (.*)$", paragraph, re.M))
            if keys.get("Package") == package:
                versions[keys["Version"]] = (keys, paragraph)
        if not versions:
            raise Failed(f"{' and '.join(RELEASES)} have no package {package}")
        for version in sorted(versions, key=Version, reverse=True):
            keys, paragraph = versions[version]
            files = [(keys.get("SHA256"), keys.get("Filename", "").split("/")[-1])]
            if kind == "deb-src":
                sums = paragraph.split("Checksums-Sha256:")[1]
                files = re.findall(r"^ ([0-9a-f]{64}) \d+ (\S+)$", sums, re.M)
            yield [(kind, package, version, name, digest) for digest, name in sorted(files)]

    def download(self, kind, package, version, folder):
        words = ["download"] if kind == "deb" else ["source", "--download-only"]
        self("apt-get", *words, "-qq", f"{package}={version}", cwd=folder)


class Version(str):
    """A version of Debian, in dpkg's order."""

    def __lt__(self, other):
        return subprocess.run(["dpkg", "--compare-versions", self, "lt", other]).returncode == 0

    def __gt__(self, other):
        return Version(other) < self


KINDS = ["deb", "deb-src"]


def newest_wheel(package):
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
        run([*pip, "--only-binary", ":all:", "--platform", "manylinux_2_12_x86_64", "--dest"]
            + [folder, package])  # fmt: skip
        (wheel,) = pathlib.Path(folder).iterdir()
        return [("pip", package, wheel.name.split("-")[1], wheel.name, checksum(wheel))]


def checksum(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def packages():
    return dict.fromkeys((kind, package) for kind, package, *_ in rows())


def newest_rows(apt, kind, package):
    return newest_wheel(package) if kind == "pip" else next(apt.versions(kind, package))


def newer():
    with tempfile.TemporaryDirectory() as folder:
        apt = Apt(folder)
        known = {row[1]: row[2] for row in rows()}
        found = {package: newest_rows(apt, kind, package)[0][2] for kind, package in packages()}
    changed = [name for name in known if known[name] != found[name]]
    for name in changed:
        print(f"{name}: {known[name]} is used, {found[name]} is there")
    print(f"{len(changed)} of {len(known)} packages have a newer version")


def update():
    """Writes the newest versions that can be downloaded: an index may be ahead of its mirror."""
    with tempfile.TemporaryDirectory() as folder:
        apt = Apt(folder)
        lines = [line for line in LIST.read_text().splitlines() if line.startswith("#")]
        for kind, package in packages():
            for found in [newest_wheel(package)] if kind == "pip" else apt.versions(kind, package):
                try:
                    if kind != "pip":
                        apt.download(kind, package, found[0][2], folder)
                    break
                except Failed as failed:
                    print(failed, file=sys.stderr)
            else:
                raise Failed(f"no version of {package} can be downloaded")
            lines += [" ".join(row) for row in found]
    LIST.write_text("\n".join(lines) + "\n")


def fetch(folder):
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {name: digest for *_, name, digest in rows()}

    def lacking():
        return {n for n, d in wanted.items() if not is_file_with(folder / n, d)}

    missing = lacking()
    apt = None
    for kind, package, version in dict.fromkeys(row[:3] for row in rows() if row[3] in missing):
        if kind == "pip":
            pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest"]
            run([*pip, folder, "--platform", "manylinux_2_12_x86_64", "--only-binary", ":all:"]
                + [f"{package}=={version}"])  # fmt: skip
            continue
        apt = apt or Apt(folder / "apt")
        try:
            apt.download(kind, package, version, folder)
        except Failed as failed:
            raise Failed(
                f"{failed}: if Debian has replaced {package} {version} by a newer version, run"
                " make portable-update and commit portable/sources.txt"
            ) from None
    if wrong := lacking():
        raise Failed(f"not as sources.txt has them: {', '.join(sorted(wrong))}")


def is_file_with(path, digest):
    return path.is_file() and checksum(path) == digest


def main(arguments):
    if arguments == ["newer"]:
        newer()
    elif arguments == ["update"]:
        update()
    elif len(arguments) == 2 and arguments[0] == "fetch":
        fetch(arguments[1])
    else:
        raise Failed(__doc__.splitlines()[0])


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Failed as failed:
        sys.exit(f"sources.py: {failed}")
