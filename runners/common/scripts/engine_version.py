"""engine_version.py NAME PACKAGE: prints the version of an engine's PACKAGE, and of torch beside
it, that the interpreter which runs this script has. It imports neither.
"""
import sys

from stage import Failed, run

try:
    from importlib.metadata import PackageNotFoundError, version  # novm: from 3.8 on
except ImportError:
    from pkg_resources import DistributionNotFound as PackageNotFoundError
    from pkg_resources import get_distribution

    def version(package):
        return get_distribution(package).version


def version_of(package):
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def main(arguments):
    name, package = arguments
    engine, torch = version_of(package), version_of("torch")
    if not engine:
        raise Failed(
            f"{sys.executable} has no package {package}; install {name} into it, or name the"
            " interpreter or the image that has it"
        )
    print(f"{name} {engine}" + (f", torch {torch}" if torch else ""))


if __name__ == "__main__":
    run(main)
