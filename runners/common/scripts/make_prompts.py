"""make_prompts.py --tokenizer FILE --jobs JOBS.json: writes prompts.jsonl for every job. The
prompts are synthetic, all different and exactly `isl` token ids long by this tokenizer, or come
from a file of rows whose tokens are counted.

A job is {"id", "out", "isl", "requests", "warmup", "blocks", "seed", "stream"}, all strings. The
same job always gives the same file. A job may have "rows", a file that `orchestrate` wrote: one
JSON object per line, in the project's own form of prompts. With "requests", that many rows are
sampled and isl is their longest allowed length; without it, all rows are counted in their order. A
job with "refused" has no prompts and fails with that sentence.

`orchestrate bench` writes further members: "lengths", {"warmup": [...], "measured": [...]}, instead
of isl; "shared_prefix", the share of each prompt that all have in common ("unshared" in a row is
the number of tokens by which the shared prefix is too short); "ids": true for rows with token ids;
"near": true to replace an impossible length by the next longer length that is possible.

This script does not know models, servers or forms of prompt files.
"""
import argparse
import hashlib
import json
import os
import random
import sys
from math import isfinite
from pathlib import Path

from prompt_maker import BadJob, PromptMaker
from stage import run

TOKENISED_TOGETHER = 1000  # texts
MOST_DIGITS = 4000  # Python's int() refuses more


def stream_seed(job, block, kind):
    text = "\0".join([job["seed"], job["stream"], str(block), kind])
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")


def number(job, name, least):
    try:
        value = int(job[name])
    except (KeyError, ValueError):
        raise BadJob(f"{name} is {job.get(name)!r}; it must be a whole number") from None
    if value < least:
        raise BadJob(f"{name} is {value}; it must be at least {least}")
    return value


def number_of(digits):
    """Parses a JSON number, which may be too large for Python."""
    is_whole = digits.lstrip("-").isdigit()
    if len(digits) > MOST_DIGITS or not (is_whole or isfinite(float(digits))):
        raise BadJob(f"the number {digits:.40}... of a prompt is too large; write a smaller one")
    return int(digits) if is_whole else float(digits)


def read_rows(path):
    """The rows of a file that `orchestrate` wrote, and the number of conversations it left out."""
    decoder = json.JSONDecoder(parse_int=number_of, parse_float=number_of)
    with open(path, encoding="utf-8") as lines:
        rows = [decoder.decode(line) for line in lines]
    return rows, rows[0].pop("left_out", 0)


def row_of(text, isl, asked=None, **further):
    """One line of prompts.jsonl. Members whose value is None are left out."""
    row = {
        "text_input": text,
        "isl": isl,
        **({"isl_asked": asked} if asked not in (None, isl) else {}),
    }
    return {**row, **{name: value for name, value in further.items() if value is not None}}


def synthetic(maker, job):
    """Yields the synthetic prompts of a job."""
    requests, warmup, blocks = (
        number(job, "requests", 1),
        number(job, "warmup", 0),
        number(job, "blocks", 1),
    )
    lengths = job.get("lengths") or {
        kind: [number(job, "isl", 1)] * count
        for kind, count in (("warmup", warmup), ("measured", requests))
    }
    taken, order, share = set(), [], float(job.get("shared_prefix", 0))
    for block in range(blocks):
        for kind in ("warmup", "measured"):
            prompts = maker.prompts(
                lengths[kind],
                stream_seed(job, block, kind),
                taken,
                order,
                share,
                job["seed"],
                job.get("near", False),
            )
            for (text, isl), asked in zip(prompts, lengths[kind]):
                yield row_of(
                    text,
                    isl,
                    asked,
                    unshared=maker.unshared(isl, share, job["seed"]) or None,
                    warmup=kind == "warmup",
                    block=block,
                )


def is_trace(rows):
    """All rows of a file have one form, so the first row decides."""
    return "text_input" not in rows[0]


def counted(maker, job, rows):
    """Yields the rows of a file with their lengths by this tokenizer. Rows of a trace, which have
    only lengths, get synthetic texts."""
    if is_trace(rows):
        lengths = [row["input_length"] for row in rows]
        prompts = maker.prompts(
            lengths, stream_seed(job, 0, "trace"), set(), [], near=job.get("near", False)
        )
    else:
        texts = [row["text_input"] for row in rows]
        counts = [
            length
            for at in range(0, len(texts), TOKENISED_TOGETHER)
            for length in map(len, maker.ids(texts[at : at + TOKENISED_TOGETHER]))
        ]
        lengths = [None] * len(rows)
        prompts = [
            (row["text_input"], len(row["input_ids"]) if "input_ids" in row else count)
            for row, count in zip(rows, counts)
        ]
    for row, (text, isl), asked in zip(rows, prompts, lengths):
        osl = row.get("osl")
        if osl is None and "answer" in row:
            osl = max(1, len(maker.ids([row["answer"]], special=False)[0]))
        yield row_of(
            text,
            isl,
            asked,
            messages=row.get("messages"),
            osl=osl,
            timestamp=row.get("timestamp"),
            timestamp_s=row.get("timestamp_s"),
            input_ids=row.get("input_ids"),
            warmup=row.get("warmup", False),
            block=row.get("block", 0),
        )


def sampled(maker, job, rows):
    """Yields as many rows of a dataset as the job needs: the first rows of a trace, in the order of
    their times, otherwise a random sample that depends on the job's seed and stream."""
    warmup, blocks = number(job, "warmup", 0), number(job, "blocks", 1)
    per_block = warmup + number(job, "requests", 1)
    if len(rows) < blocks * per_block:
        raise BadJob(
            f"the dataset has {len(rows)} prompts, and {blocks} blocks of"
            f" {per_block - warmup} measured and {warmup} warm-up requests need"
            f" {blocks * per_block}; add prompts, or lower the number of requests"
        )
    if not is_trace(rows):
        rows = random.Random(stream_seed(job, 0, "dataset")).sample(rows, blocks * per_block)
    prompts = list(counted(maker, job, rows[: blocks * per_block]))
    refuse_long(job, rows, prompts)
    for place, prompt in enumerate(prompts):
        yield {**prompt, "warmup": place % per_block < warmup, "block": place // per_block}


def refuse_long(job, rows, prompts):
    most = number(job, "isl", 1)
    long = [
        (prompt["isl"], row["line"]) for row, prompt in zip(rows, prompts) if prompt["isl"] > most
    ]
    if long:
        isl, line = max(long)
        raise BadJob(
            f"{len(long)} of {len(prompts)} prompts of the dataset are longer than isl {most}; the"
            f" longest, on line {line}, has {isl} tokens; prompts are not truncated, so set isl to"
            f" {isl} or remove such rows from the dataset"
        )


def rows_of(maker, job, files):
    """The rows of the job's prompts.jsonl. The first has the number of conversations that were left
    out. FILES caches the rows of files, by path."""
    if job.get("refused"):
        raise BadJob(job["refused"])
    if not job.get("rows"):
        return list(synthetic(maker, job))
    if job["rows"] not in files:
        files[job["rows"]] = read_rows(job["rows"])
    given, left_out = files[job["rows"]]
    rows = list((sampled if "requests" in job else counted)(maker, job, given))
    if left_out:
        rows[0]["left_out"] = left_out
    return rows


def write_job(maker, job, files):
    rows = rows_of(maker, job, files)
    if job.get("ids") in (True, "true"):
        for row, ids in zip(rows, maker.ids([row["text_input"] for row in rows])):
            row.setdefault("input_ids", ids)
    out = Path(job["out"])
    out.mkdir(parents=True, exist_ok=True)
    part = out / "prompts.jsonl.part"
    part.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    os.replace(part, out / "prompts.jsonl")


def main(arguments):
    parser = argparse.ArgumentParser(description="Write prompts of an exact number of tokens.")
    parser.add_argument("--tokenizer", required=True, help="a tokenizer.json")
    parser.add_argument("--jobs", required=True, help="a JSON array of jobs")
    parser.add_argument(
        "--no-special-tokens",
        action="store_true",
        help="count like a server with add_special_tokens false",
    )
    options = parser.parse_args(arguments)
    jobs = json.loads(Path(options.jobs).read_text(encoding="utf-8"))
    maker = PromptMaker(options.tokenizer, not options.no_special_tokens)
    failed, files = [], {}
    for job in jobs:  # an impossible job does not affect the others
        try:
            write_job(maker, job, files)
        except (BadJob, OSError) as error:
            failed.append(f"{job['id']}: {error}" if job.get("id") else str(error))
            print(failed[-1], file=sys.stderr)
    if failed and len(jobs) == 1:
        raise BadJob(failed[0])
    if failed:
        raise BadJob(f"{len(failed)} of {len(jobs)} jobs failed; the first: {failed[0]}")


if __name__ == "__main__":
    run(main, BadJob, ValueError)
