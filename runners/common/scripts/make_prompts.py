"""make_prompts.py --tokenizer FILE --jobs JOBS.json: writes prompts.jsonl for every job, each
prompt exactly `isl` token ids long as this tokenizer counts them, no two alike; or takes prompts
from a dataset and counts them.

A job is {"id", "out", "isl", "requests", "warmup", "blocks", "seed", "stream"}, all texts. The same
job always gives the same file. It may have "dataset": local:PATH, of which as many rows are chosen;
isl is then the most that they may have. `orchestrate bench` has jobs with further keys: "lengths",
{"warmup": [...], "measured": [...]}, instead of isl; "shared_prefix", the share of each prompt that
is the same in all (where it is fewer tokens, rows say in "unshared" how many fewer); "ids": true
for rows with their token ids; "near": true where a length that cannot be made may be the next that
can; "file", whose first "most" rows are counted as they are. Knows nothing of models or servers.
"""
import argparse
import hashlib
import json
import os
import random
import sys
from pathlib import Path

from prompt_forms import BadRow, read_prompts
from prompt_maker import BadJob, PromptMaker
from stage import run

AT_ONCE = 1000  # texts that are tokenised together


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


def row_of(text, isl, asked=None, **further):
    """One line of prompts.jsonl; further members that have no value are left out."""
    row = {
        "text_input": text,
        "isl": isl,
        **({"isl_asked": asked} if asked not in (None, isl) else {}),
    }
    return {**row, **{name: value for name, value in further.items() if value is not None}}


def made(maker, job):
    """Prompts that are made up."""
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


def counted(maker, rows, job):
    """Rows of a file with the lengths that this tokenizer counts; those of a trace, which have no
    texts, get some."""
    if rows[0]["text"] is None:
        lengths = [row["isl"] for row in rows]
        prompts = maker.prompts(
            lengths, stream_seed(job, 0, "trace"), set(), [], near=job.get("near", False)
        )
    else:
        texts = [row["text"] for row in rows]
        counts = [
            length
            for at in range(0, len(texts), AT_ONCE)
            for length in map(len, maker.ids(texts[at : at + AT_ONCE]))
        ]
        lengths = [None] * len(rows)
        prompts = [
            (row["text"], len(row["ids"]) if row["ids"] else count)
            for row, count in zip(rows, counts)
        ]
    for row, (text, isl), asked in zip(rows, prompts, lengths):
        osl = row["osl"]
        if osl is None and row["answer"] is not None:
            osl = max(1, len(maker.ids([row["answer"]], special=False)[0]))
        yield row_of(
            text,
            isl,
            asked,
            messages=row["messages"],
            osl=osl,
            timestamp=row["timestamp"],
            timestamp_s=row["timestamp_s"],
            input_ids=row["ids"],
            warmup=row["warmup"],
            block=row["block"],
        )


def chosen(maker, job, rows):
    """As many rows of a dataset as the job needs: of a trace the first, as their times say, of
    others those that its seed and stream choose."""
    warmup, blocks = number(job, "warmup", 0), number(job, "blocks", 1)
    each = warmup + number(job, "requests", 1)
    if len(rows) < blocks * each:
        raise BadJob(
            f"the dataset has {len(rows)} prompts, and {blocks} sets of {each - warmup} to measure"
            f" and {warmup} to warm up need {blocks * each}; give it more, or ask for fewer"
            " requests"
        )
    if rows[0]["text"] is not None:
        rows = random.Random(stream_seed(job, 0, "dataset")).sample(rows, blocks * each)
    prompts = list(counted(maker, rows[: blocks * each], job))
    refuse_long(job, rows, prompts)
    for place, prompt in enumerate(prompts):
        yield {**prompt, "warmup": place % each < warmup, "block": place // each}


def refuse_long(job, rows, prompts):
    most = number(job, "isl", 1)
    long = [
        (prompt["isl"], row["line"]) for row, prompt in zip(rows, prompts) if prompt["isl"] > most
    ]
    if long:
        isl, line = max(long)
        raise BadJob(
            f"{len(long)} of {len(prompts)} prompts of the dataset are longer than isl {most}, the"
            f" longest, of line {line}, has {isl} tokens; nothing is cut, so set isl to {isl} or"
            " take such rows out of the dataset"
        )


def rows_of(maker, job, datasets):
    """The lines of the job's prompts.jsonl; the first says how many conversations of its file were
    no prompts."""
    source = job.get("dataset", "").removeprefix("local:")
    if not job.get("file") and not source:
        return list(made(maker, job))
    if job.get("file"):
        given, left_out = read_prompts(job["file"], job.get("most"))
        rows = list(counted(maker, given, job))
    else:
        if source not in datasets:
            datasets[source] = read_prompts(source)
        given, left_out = datasets[source]
        rows = list(chosen(maker, job, given))
    if left_out:
        rows[0]["left_out"] = left_out
    return rows


def write_job(maker, job, datasets):
    rows = rows_of(maker, job, datasets)
    if job.get("ids"):
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
        help="count as a server does that has add_special_tokens false",
    )
    options = parser.parse_args(arguments)
    jobs = json.loads(Path(options.jobs).read_text(encoding="utf-8"))
    maker = PromptMaker(options.tokenizer, not options.no_special_tokens)
    failed, datasets = [], {}
    for job in jobs:  # one job that cannot be met leaves the others their prompts
        try:
            write_job(maker, job, datasets)
        except (BadJob, BadRow, OSError) as error:
            failed.append(f"{job['id']}: {error}" if job.get("id") else str(error))
            print(failed[-1], file=sys.stderr)
    if failed and len(jobs) == 1:
        raise BadJob(failed[0])
    if failed:
        raise BadJob(f"{len(failed)} of {len(jobs)} jobs failed; the first: {failed[0]}")


if __name__ == "__main__":
    run(main, BadJob, ValueError)
