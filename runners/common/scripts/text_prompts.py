"""text_prompts.py --jobs JOBS.json: writes prompts.jsonl for every job from the texts of its rows,
as make_prompts.py does, but without a tokenizer: nothing is counted, so no row has a length. The
server reports how many tokens it was sent.
"""
import argparse
import json
import sys
from pathlib import Path

import make_prompts
from prompt_maker import BadJob
from stage import run


class Uncounted:
    """In place of a tokenizer."""

    def ids(self, texts, special=True):
        return [[] for _ in texts]

    def prompts(self, *_):
        raise BadJob(
            "the dataset has lengths and no texts, and texts of a length need a tokenizer; name a"
            " model"
        )


def without_lengths(rows):
    for row in rows:
        if not row["isl"]:
            del row["isl"]
    return rows


def texts_of(job, files):
    if job.get("refused"):
        raise BadJob(job["refused"])
    if not job.get("rows"):
        raise BadJob(
            "no dataset is named, and prompts of a length need a tokenizer; write measure:"
            " {prompts: NAME} with a dataset of texts, or name a model"
        )
    if job["rows"] not in files:
        files[job["rows"]] = make_prompts.read_rows(job["rows"])
    given, left_out = files[job["rows"]]
    # The osl of a point counts where only the text of an answer is known.
    given = [{name: row[name] for name in row if name != "answer"} for row in given]
    rows = without_lengths(list(make_prompts.sampled(Uncounted(), job, given)))
    if left_out:
        rows[0]["left_out"] = left_out
    return rows


def main(arguments):
    parser = argparse.ArgumentParser(description="Write the texts of a dataset as prompts.")
    parser.add_argument("--jobs", required=True, help="a JSON array of jobs")
    options = parser.parse_args(arguments)
    failed, files = [], {}
    for job in json.loads(Path(options.jobs).read_text(encoding="utf-8")):
        try:
            rows = texts_of(job, files)
            out = Path(job["out"])
            out.mkdir(parents=True, exist_ok=True)
            text = "".join(json.dumps(row) + "\n" for row in rows)
            (out / "prompts.jsonl").write_text(text, encoding="utf-8")
        except (BadJob, OSError) as error:
            failed.append(f"{job['id']}: {error}" if job.get("id") else str(error))
            print(failed[-1], file=sys.stderr)
    if failed:
        raise BadJob(failed[0])


if __name__ == "__main__":
    run(main, BadJob, ValueError)
