"""export_test.py ORCHESTRATE TRUTH WORK: the real genai-perf reads the files of
`orchestrate bench --export genai-perf`.

Its own parser reads our profile_export.json, with a tokenizer that makes each token of the
ground-truth server one word; every figure must equal our profile_export_genai_perf.json. Runs in
the clients' environment. The last line counts passed and failed cases.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
os.environ.update(HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

REQUESTS, TOKENS = 12, 8
# protocol, shape of the ground-truth server, streamed
CASES = [
    ("triton-http", "triton", True),
    ("triton-http", "triton", False),
    ("triton-grpc", "grpc", True),
    ("openai-chat", "openai-chat", True),
    ("openai-chat", "openai-chat", False),
    ("openai-completions", "openai-completions", True),
]
# Metrics that do not depend on how the answer's tokens are counted.
TIMES = ["request_throughput", "request_latency", "time_to_first_token", "input_sequence_length"]


def word_tokenizer(folder):
    """Saves a tokenizer with one token per word where genai-perf finds it offline."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = ["[UNK]", "!", "p"] + [f"t{i}" for i in range(TOKENS)]
    tokenizer = Tokenizer(
        models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]").save_pretrained(folder)
    return folder


def read_by_genai_perf(folder, tokenizer):
    """genai-perf's statistics of our raw export, scaled as in its reports."""
    from genai_perf.profile_data_parser import LLMProfileDataParser
    from genai_perf.tokenizer import get_tokenizer

    parser = LLMProfileDataParser(folder / "profile_export.json", get_tokenizer(str(tokenizer)))
    statistics = parser.get_statistics(*parser.get_profile_load_info()[0])
    statistics.scale_data()
    return statistics.stats_dict


def differences(folder, tokenizer, names=None):
    """Lines where our summary differs from genai-perf, and the number of figures compared."""
    theirs, ours = read_by_genai_perf(folder, tokenizer), json.loads(
        (folder / "profile_export_genai_perf.json").read_text()
    )
    wrong, compared = [], 0
    if names is None and set(theirs) != set(ours) - {"input_config"}:
        wrong.append(f"genai-perf has {sorted(theirs)}, we have {sorted(ours)}")
    for name in names or theirs:
        for statistic, value in theirs[name].items():
            if statistic == "unit":
                continue  # 0.0.8 calls every rate and length requests/sec
            compared += 1
            own = ours.get(name, {}).get(statistic)
            if own is None or abs(own - value) > 1e-9 * abs(value):
                wrong.append(f"{name} {statistic}: genai-perf {value}, ours {own}")
    return wrong, compared


def exported(orchestrate, truth, protocol, shape, stream, folder):
    """Measures the ground-truth server once; returns the folder of the artifacts."""
    (folder / "prompts.jsonl").write_text(
        "".join(
            json.dumps({"text_input": "p" + " p" * (i % 3), "isl": 1 + i % 3}) + "\n"
            for i in range(REQUESTS)
        )
    )
    server = subprocess.Popen(
        [truth, "--shape", shape, "--tokens", str(TOKENS), "--ttft-ms", "3", "--itl-ms", "1"]
        + ([] if stream else ["--no-stream"]),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        port = json.loads(server.stdout.readline())["port"]
        done = subprocess.run(
            [
                orchestrate,
                "bench",
                "--url",
                f"http://127.0.0.1:{port}",
                "--protocol",
                protocol,
                "--model",
                "m",
                "--stream" if stream else "--no-stream",
                "--concurrency",
                "3",
                "--requests",
                str(REQUESTS),
                "--prompts",
                folder / "prompts.jsonl",
                "--osl",
                str(TOKENS),
                "--no-statistics",
                "--out",
                folder,
                "--export",
                "genai-perf",
                "--format",
                "csv",
            ],
            capture_output=True,
            text=True,
            timeout=120,
        )
    finally:
        server.terminate()
        server.wait(30)
    if done.returncode not in (0, 4):  # 4: the record is invalid, because the machine was busy
        raise RuntimeError(
            f"orchestrate bench failed with exit code {done.returncode}:"
            f" {done.stderr.strip()[-600:]}"
        )
    return next((folder / "artifacts").iterdir())


def main():
    orchestrate, truth, work = (Path(word).resolve() for word in sys.argv[1:4])
    passed = failed = 0
    work.mkdir(parents=True, exist_ok=True)
    tokenizer = word_tokenizer(work / "tokenizer")
    for protocol, shape, stream in CASES:
        folder = work / f"{protocol}-{'stream' if stream else 'body'}"
        folder.mkdir(exist_ok=True)
        try:
            wrong, compared = differences(
                exported(orchestrate, truth, protocol, shape, stream, folder), tokenizer
            )
        except Exception as failure:  # any exception of genai-perf's parser fails the case
            wrong, compared = [f"{type(failure).__name__}: {failure}"], 0
        passed, failed = passed + (not wrong), failed + bool(wrong)
        print(
            (
                f"{'FAILED' if wrong else 'PASSED'}  genai-perf reads the export of {protocol},"
                f" {'streamed' if stream else 'in one body'}:"
                f" {compared} figures{'; ' + '; '.join(wrong) if wrong else ' equal to ours'}"
            ),
            flush=True,
        )
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
