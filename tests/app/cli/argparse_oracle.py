"""Parses command lines with Python's argparse for fill_template_test.cpp. Each input line has 1 if
--participant_ids is an option, else 0, and then the arguments, separated by tabs."""
import argparse
import contextlib
import io
import sys


def parser(takes_ids):
    known = argparse.ArgumentParser()
    known.add_argument("file")
    known.add_argument("substitutions")
    known.add_argument("--in_place", "-i", action="store_true")
    if takes_ids:
        known.add_argument("--participant_ids", default="")
    return known


def outcome(line):
    takes_ids, *words = line.split("\t")
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            read = parser(takes_ids == "1").parse_args(words)
    except SystemExit as end:
        return "refused" if end.code else "help"
    ids = getattr(read, "participant_ids", "")
    return f"{read.file}|{read.substitutions}|{str(read.in_place).lower()}|{ids}"


for text in sys.stdin:
    print(outcome(text.rstrip("\n")))
