"""Which targets the table of `make bench-load` counts as missed. No server is started, and nothing
is measured."""
import contextlib
import io
import sys
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from clients import ClientFailed, Ours, Raw, Unpinned, token_stamps  # noqa: E402
from side_by_side import RATE, Figure, Table, memory_rows, stream_rows  # noqa: E402

LOAD = {"concurrency": 1, "requests": 10, "stream": True}
LAG = Figure("lag", " ms", lambda run, load: run.get("lag"), at_most=1)


class FakeTable(Table):
    """Its clients return their REPORTS, or raise them if they are errors."""

    def __init__(self, reports):
        super().__init__(
            SimpleNamespace(build="/nowhere", perf_analyzer=None, aiperf=None, rounds=3, only="")
        )
        self._reports = reports
        self._clients = [client for client in self._clients if type(client) in reports]

    def one_run(self, client, shape, load, log=True, **server):
        report = self._reports[type(client)]
        if isinstance(report, list):
            report = report.pop(0)
        if isinstance(report, Exception):
            raise report
        return report

    def after(self, rows):
        with contextlib.redirect_stdout(io.StringIO()):
            rows(self)
        return self.targets, self.missed


def one_row(reports, *figures):
    return FakeTable(reports).after(lambda table: table.row("row", figures, LOAD))


class Missed(unittest.TestCase):
    def test_values_within_their_targets_are_not_missed(self):
        self.assertEqual(
            one_row(
                {Raw: {"requests_per_s": 10}, Ours: {"requests_per_s": 7, "lag": -1}},
                RATE._replace(of_raw=0.6),
                LAG,
            ),
            (2, []),
        )

    def test_values_beyond_their_targets_are_missed(self):
        self.assertEqual(
            one_row(
                {Raw: {"requests_per_s": 10}, Ours: {"requests_per_s": 5, "lag": 2}},
                RATE._replace(of_raw=0.6),
                LAG,
            ),
            (
                2,
                [
                    "row: requests/s 5, wanted at least 0.6 x raw",
                    "row: lag 2 ms, wanted at most 1 ms",
                ],
            ),
        )

    def test_a_failure_of_our_own_client_misses_every_target_of_the_row(self):
        self.assertEqual(
            one_row(
                {Raw: {"requests_per_s": 10}, Ours: ClientFailed("it crashed")},
                RATE._replace(of_raw=0.6),
                LAG,
            ),
            (
                2,
                [
                    "row: requests/s, wanted at least 0.6 x raw: it failed: it crashed",
                    "row: lag, wanted at most 1 ms: it failed: it crashed",
                ],
            ),
        )

    def test_a_figure_that_our_own_client_does_not_report_is_missed(self):
        self.assertEqual(
            one_row({Ours: {"requests_per_s": 7}}, LAG),
            (1, ["row: lag, wanted at most 1 ms: it was not reported"]),
        )

    def test_a_share_of_a_failed_raw_client_is_missed(self):
        self.assertEqual(
            one_row(
                {Raw: ClientFailed("no"), Ours: {"requests_per_s": 7}}, RATE._replace(of_raw=0.6)
            ),
            (1, ["row: requests/s 7, wanted at least 0.6 x raw"]),
        )

    def test_other_clients_have_no_targets(self):
        self.assertEqual(
            one_row({Raw: {"requests_per_s": 1}, Ours: {"requests_per_s": 7, "lag": 0}}, RATE, LAG),
            (1, []),
        )

    def test_the_target_of_memory_is_in_megabytes(self):
        reports = {Ours: {"rss_mib": 195, "requests_per_s": 1}}  # 204 MB
        targets, missed = FakeTable(reports).after(memory_rows)
        self.assertEqual((targets, len(missed)), (2, 2))
        self.assertTrue(
            missed[0].endswith("peak memory 195 MiB, wanted at most 190.735 MiB"), missed[0]
        )

    def test_a_token_may_cost_three_microseconds_of_the_whole_process(self):
        run = {"requests_per_s": 1, "cpu_s": 3000 * 128 * 2e-6, "whole_cpu_s": 3000 * 128 * 4e-6}
        targets, missed = FakeTable({Ours: run}).after(stream_rows)
        self.assertEqual((targets, len(missed)), (4, 2))
        self.assertTrue(
            missed[0].endswith("whole process CPU us/token 4, wanted at most 3"), missed[0]
        )


NEAR = LAG._replace(slack=0.1)


class TheUnpinnedClient(unittest.TestCase):
    def test_it_has_the_targets_of_the_pinned_one_and_may_be_no_worse(self):
        self.assertEqual(
            one_row({Ours: {"lag": 0.5}, Unpinned: {"lag": -0.59, "cpus": "0"}}, NEAR), (3, [])
        )

    def test_worse_figures_than_those_of_the_pinned_one_are_missed(self):
        self.assertEqual(
            one_row({Ours: {"lag": 0.5}, Unpinned: {"lag": 0.7, "cpus": "0"}}, NEAR),
            (3, ["row, unpinned: lag 0.7 ms, wanted at most 0.1 ms over pinned"]),
        )

    def test_figures_beyond_the_targets_of_both_are_missed(self):
        self.assertEqual(
            one_row({Ours: {"lag": 1.1}, Unpinned: {"lag": 1.1, "cpus": "0"}}, NEAR),
            (
                3,
                [
                    "row: lag 1.1 ms, wanted at most 1 ms",
                    "row, unpinned: lag 1.1 ms, wanted at most 1 ms",
                ],
            ),
        )

    def test_a_failure_of_the_pinned_one_leaves_nothing_to_compare_with(self):
        self.assertEqual(
            one_row({Ours: ClientFailed("no"), Unpinned: {"lag": 0, "cpus": "0"}}, NEAR),
            (
                3,
                [
                    "row: lag, wanted at most 1 ms: it failed: no",
                    "row, unpinned: lag 0 ms, wanted at most 0.1 ms over pinned",
                ],
            ),
        )

    def test_a_failure_in_a_later_round_fails_the_client(self):
        self.assertEqual(
            one_row({Ours: [{"lag": 0}, ClientFailed("late")]}, LAG),
            (1, ["row: lag, wanted at most 1 ms: it failed: late"]),
        )

    def test_it_takes_turns_with_the_pinned_one(self):
        table = FakeTable({Raw: {}, Ours: {}, Unpinned: {}})
        self.assertEqual(
            [[type(one) for one in group] for group in table.turns(None)], [[Raw], [Ours, Unpinned]]
        )
        self.assertEqual(
            [[type(one) for one in group] for group in table.turns((Ours,))], [[Ours, Unpinned]]
        )
        self.assertEqual(
            [[type(one) for one in group] for group in table.turns((Ours,), False)], [[Ours]]
        )


class PerfAnalyzersExport(unittest.TestCase):
    def test_only_events_with_text_are_tokens_of_a_chat(self):
        outputs = [
            'data: {"choices":[{"delta":{"role":"assistant","content":""}}]}',
            'data: {"choices":[{"delta":{"content":" t0"}}]}',
            'data: {"choices":[{"delta":{"content":" t1"}}]}',
            'data: {"choices":[],"usage":{"completion_tokens":2}}',
            "data: [DONE]",
        ]
        request = {
            "response_timestamps": [1, 2, 3, 4, 5],
            "response_outputs": [{"response": output} for output in outputs],
        }
        self.assertEqual(token_stamps(request, "openai-chat", True), [2, 3])

    def test_the_final_response_of_triton_is_not_a_token(self):
        self.assertEqual(token_stamps({"response_timestamps": [1, 2, 3]}, "grpc", True), [1, 2])
        self.assertEqual(token_stamps({"response_timestamps": [3]}, "openai-chat", False), [3])


if __name__ == "__main__":
    unittest.main()
