"""engine_version.py NAME PACKAGE: prints the version of an engine's PACKAGE, and of torch beside
it, that the interpreter which runs this script has. It imports neither.
"""
import importlib.metadata
import sys

from stage import Failed, run


def version_of(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def main(arguments):
    name, package = arguments
    version, torch = version_of(package), version_of("torch")
    if not version:
        raise Failed(
            f"{sys.executable} has no package {package}; install {name} into it, or name the"
            " interpreter or the image that has it"
        )
    print(f"{name} {version}" + (f", torch {torch}" if torch else ""))


if __name__ == "__main__":
    run(main)
