"""tool_input.py --tool TOOL --prompts FILE --osl N [--eos] [--reuse] --blocks N --out DIR: writes
the measured prompts of each block of a prompt file in the form that TOOL reads, as
DIR/input-BLOCK.jsonl and, where it reads JSON, DIR/input-BLOCK.json.
"""
import argparse
import json
from pathlib import Path

from stage import Failed, run

OWN_OSL = ("perf_analyzer", "model-analyzer", "benchmark_core_model")  # a length of each request


def read_blocks(path, blocks, reuse):
    """The measured rows of each block; with REUSE the same for every block."""
    rows = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines() if line]
    measured = [row for row in rows if not row.get("warmup")]
    found = []
    for block in range(blocks):
        found.append([row for row in measured if reuse or row.get("block", 0) == block])
        if not found[-1]:
            raise Failed(f"{path} has no prompts in block {block}, and {blocks} blocks are needed")
    return found


def check_rows(tool, osl, rows):
    for row in rows:
        if "text_input" not in row:
            raise Failed(
                f"a prompt has token ids and no text, and {tool} sends texts; use texts, or native"
            )
        own = row.get("osl", osl)
        if own != osl and tool not in OWN_OSL:
            raise Failed(
                f"a prompt asks for {own} tokens, and {tool} has one length for all requests, here"
                f" {osl}; remove the lengths from the dataset, or use native or perf_analyzer"
            )


def triton_inputs(row, options):
    """The tensors of one request to the ensemble."""
    osl = row.get("osl", options.osl)
    inputs = {"text_input": [row["text_input"]], "max_tokens": [osl]}
    if not options.eos:
        inputs[options.least_osl_input] = [osl]
    return {**inputs, "stream": [True]}


def core_row(row, options):
    """Of benchmark_core_model, which asks for as many tokens as `output` has words."""
    words = " ".join(["a"] * row.get("osl", options.osl))
    return {"input": row["text_input"], "instruction": "", "output": words}


def payload(options):
    """The template of aiperf for Triton's generate endpoint."""
    length = f', "{options.least_osl_input}": {options.osl}' if not options.eos else ""
    return (
        '{"text_input": {{ text|tojson }}, "max_tokens": '
        f'{options.osl}{length}, "stream": {{{{ stream|tojson }}}}}}\n'
    )


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--prompts", required=True)
    parser.add_argument("--osl", type=int, required=True)
    parser.add_argument("--least-osl-input", default="min_length")
    parser.add_argument("--eos", action="store_true")
    parser.add_argument("--reuse", action="store_true")
    parser.add_argument("--blocks", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    key = {"aiperf": "text", "llm-perf": "input"}.get(options.tool, "text_input")
    for block, rows in enumerate(read_blocks(options.prompts, options.blocks, options.reuse)):
        check_rows(options.tool, options.osl, rows)
        lines = [json.dumps({key: row["text_input"]}, ensure_ascii=False) + "\n" for row in rows]
        (options.out / f"input-{block}.jsonl").write_text("".join(lines), "utf-8")
        if options.tool in ("perf_analyzer", "model-analyzer"):
            data = {"data": [triton_inputs(row, options) for row in rows]}
        elif options.tool == "benchmark_core_model":
            data = [core_row(row, options) for row in rows]
        else:
            continue
        text = json.dumps(data, ensure_ascii=False)
        (options.out / f"input-{block}.json").write_text(text + "\n", "utf-8")
    if options.tool == "aiperf":
        (options.out / "payload.jinja").write_text(payload(options), "utf-8")


if __name__ == "__main__":
    run(main)
