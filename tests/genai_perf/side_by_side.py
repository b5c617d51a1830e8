"""Compares the reports of genai-perf and `orchestrate bench` over several rounds: a table of
medians, each reason for a difference with its size, and the bound that both must keep. Starts
nothing.
"""
from dataclasses import dataclass
from statistics import mean, median

LEAST_BOUND = 2.0  # percent; a larger spread of either client over the rounds widens it

# genai-perf's name, ours, decimals
METRICS = [
    ("time_to_first_token", "ttft_ms", 3),
    ("inter_token_latency", "itl_ms", 4),
    ("request_latency", "request_latency_ms", 3),
    ("output_sequence_length", "osl_counted", 2),
    ("input_sequence_length", "isl_counted", 2),
    ("output_token_throughput", "output_tps", 1),
    ("request_throughput", "requests_per_s", 2),
]
STATISTICS = [("avg", "mean"), ("p50", "p50"), ("p90", "p90"), ("p99", "p99")]


@dataclass
class Round:
    """One measurement by each client, one right after the other."""

    experiment: dict  # perf_analyzer's
    report: dict  # genai-perf's
    counts: dict  # genai-perf's, of tokens
    measurement: dict  # ours
    sent_ns: list  # of our measured requests


@dataclass
class Pair:
    metric: str
    statistic: str
    decimals: int
    theirs: list  # per round
    ours: list

    def ratio(self):
        return median(self.ours) / median(self.theirs)


def own_value(measurement, name, statistic="mean"):
    value = measurement["metrics"][name]
    return value[statistic] if isinstance(value, dict) else value


def pairs(rounds):
    """Every figure that both report."""
    for theirs, ours, decimals in METRICS:
        for their_statistic, our_statistic in STATISTICS:
            if their_statistic in rounds[0].report[theirs]:
                yield Pair(
                    theirs,
                    their_statistic,
                    decimals,
                    [each.report[theirs][their_statistic] for each in rounds],
                    [own_value(each.measurement, ours, our_statistic) for each in rounds],
                )


def spread(values):
    return 100 * (max(values) - min(values)) / median(values)


def table(rounds):
    rows = [
        f"  {'metric':<24} {'statistic':<9} {'genai-perf':>11} {'spread':>7}"
        f" {'orchestrate':>12} {'spread':>7} {'ratio':>7}"
    ]
    rows += [
        f"  {pair.metric:<24} {pair.statistic:<9}"
        f" {median(pair.theirs):>11.{pair.decimals}f} {spread(pair.theirs):>5.0f} %"
        f" {median(pair.ours):>12.{pair.decimals}f} {spread(pair.ours):>5.0f} %"
        f" {pair.ratio():>7.3f}"
        for pair in pairs(rounds)
    ]
    return "\n".join(rows)


def to_token_ms(requests, number):
    """The mean time from a request to its NUMBER-th response by perf_analyzer's timestamps. Each
    response is one token; a closing message may follow."""
    return mean(
        (request["response_timestamps"][number - 1] - request["timestamp"]) / 1e6
        for request in requests
        if len(request["response_timestamps"]) >= number
    )


def comparable(rounds, osl):
    """The times that both clients define alike: from a send to the first and to the last token."""
    for name, number in (("ttft_ms", 1), ("request_latency_ms", osl)):
        yield Pair(
            name,
            "avg",
            3,
            [to_token_ms(each.experiment["requests"], number) for each in rounds],
            [own_value(each.measurement, name) for each in rounds],
        )


def agreement(rounds, osl):
    """[(sentence, whether they agree)]: medians differ by no more than LEAST_BOUND, or than the
    spread of one client over the rounds. The machine changes more between rounds than within one,
    so the ratio within rounds is reported too.
    """
    out = []
    for pair in comparable(rounds, osl):
        bound = max(LEAST_BOUND, spread(pair.theirs), spread(pair.ours))
        apart, within = 100 * (pair.ratio() - 1), median(
            ours / theirs for ours, theirs in zip(pair.ours, pair.theirs)
        )
        out.append(
            (
                (
                    f"{pair.metric}: perf_analyzer {median(pair.theirs):.3f} (spread"
                    f" {spread(pair.theirs):.1f} %), orchestrate {median(pair.ours):.3f} (spread"
                    f" {spread(pair.ours):.1f} %): {apart:+.1f} %, bound {bound:.1f} %; within"
                    f" rounds {100 * (within - 1):+.1f} %"
                ),
                abs(apart) <= bound,
            )
        )
    return out


def closing_messages(requests):
    """Milliseconds from the last token to the last response, for each request whose last response
    has no text."""
    return [
        (request["response_timestamps"][-1] - request["response_timestamps"][-2]) / 1e6
        for request in requests
        if len(request["response_outputs"]) > 1
        and request["response_outputs"][-1]["text_output"] == ""
    ]


def itl_by_ids_ms(requests, osl):
    """The ITL by perf_analyzer's timestamps, where each of the first OSL responses is one token."""
    return mean(
        (request["response_timestamps"][osl - 1] - request["response_timestamps"][0])
        / 1e6
        / (osl - 1)
        for request in requests
        if len(request["response_timestamps"]) >= osl
    )


def close_sends(sent_ns, within_ms):
    """The share of sends that follow another one within WITHIN_MS."""
    times = sorted(sent_ns)
    return mean((after - before) / 1e6 < within_ms for before, after in zip(times, times[1:]))


def spans_s(experiment):
    """(first send to last response, perf_analyzer's own window)."""
    first = min(request["timestamp"] for request in experiment["requests"])
    last = max(request["response_timestamps"][-1] for request in experiment["requests"])
    boundaries = experiment.get("window_boundaries") or [first, last]
    return (last - first) / 1e9, (boundaries[-1] - boundaries[0]) / 1e9


def differences(rounds, osl):
    """One line per reason for a difference of the two columns, with its size in these rounds."""
    ours = rounds[0].measurement
    requests = [request for each in rounds for request in each.experiment["requests"]]
    their_osl, our_osl = (
        mean(mean(each.counts["output"]) for each in rounds),
        mean(own_value(each.measurement, "osl_counted") for each in rounds),
    )
    middle = {
        pair.metric: (median(pair.theirs), median(pair.ours))
        for pair in pairs(rounds)
        if pair.statistic == "avg"
    }
    closed = closing_messages(requests)
    answered_s, window_s = spans_s(rounds[0].experiment)
    yield (
        f"output length: genai-perf retokenises each answer's text and counts {their_osl:.2f};"
        f" we count the {our_osl:.2f} ids that the server sent (the server's own count:"
        f" {ours['metrics'].get('osl_reported', float('nan')):.2f}). This alone makes its output"
        f" tokens/s {100 * (their_osl / our_osl - 1):.1f} % higher and its inter-token latency"
        " lower."
    )
    yield (
        "inter-token latency without that effect: its timestamps with ids counted give"
        f" {median(itl_by_ids_ms(each.experiment['requests'], osl) for each in rounds):.4f} ms (it"
        f" reports {middle['inter_token_latency'][0]:.4f}), ours is"
        f" {middle['inter_token_latency'][1]:.4f} ms; the front ends and the spread"
        " cause the rest."
    )
    yield (
        "input length: both send the same prompts; genai-perf counts"
        f" {mean(mean(each.counts['input']) for each in rounds):.2f} tokens, our prompt set"
        f" {own_value(ours, 'isl_counted'):.2f}. (Prompts that genai-perf generates differ"
        " from the requested length.)"
    )
    yield (
        "front end: both speak gRPC; perf_analyzer sends all requests on one stream, ours each on"
        " a stream and connection of its own. Time to first token"
        f" {middle['time_to_first_token'][0]:.3f} ms there,"
        f" {middle['time_to_first_token'][1]:.3f} ms here."
    )
    step_ms = middle["inter_token_latency"][1]
    shares = [
        (
            close_sends([request["timestamp"] for request in each.experiment["requests"]], step_ms),
            to_token_ms(each.experiment["requests"], 1),
            close_sends(each.sent_ns, step_ms),
            own_value(each.measurement, "ttft_ms"),
        )
        for each in rounds
    ]
    yield (
        "phases: with answers of one length, requests that start together stay together and wait"
        " for each other's prompts; the phase differs between runs: share of sends within one"
        " inter-token latency of another, and time to first token, by round: there"
        f" {', '.join(f'{share:.2f} {ms:.1f} ms' for share, ms, _, _ in shares)}; here"
        f" {', '.join(f'{share:.2f} {ms:.1f} ms' for _, _, share, ms in shares)}."
    )
    yield (
        f"closing message: {len(closed)} of {len(requests)} requests end with one more response,"
        f" without text, {mean(closed) if closed else 0:.3f} ms after the last token; genai-perf"
        " counts it as the last token; we do not."
    )
    yield (
        f"window: both divide by first send to last response ({answered_s:.3f} s for"
        f" {len(rounds[0].experiment['requests'])} requests there,"
        f" {ours['window']['duration_s']:.3f} s for {ours['load']['requests']} here, first round)."
        f" perf_analyzer divides by its own {window_s:.3f} s, start and end included: the"
        " throughput that it prints is lower."
    )
    yield (
        "stability: without a request count perf_analyzer repeats windows of --measurement-interval"
        " until three agree (within genai-perf's 999 %, so the first three always agree) and"
        " exports all of them; --request-count gives one window of a fixed number of requests, as"
        " ours."
    )
    yield (
        "warm-up: perf_analyzer 2.51.0 has none; we send"
        f" {2 * ours['load']['concurrency']} requests before the window, with prompts of their own."
    )
    yield (
        "requests/s: genai-perf counts all requests, we those that succeeded;"
        f" {mean(own_value(each.measurement, 'error_rate') for each in rounds):.3f} of ours failed."
    )
    yield (
        "no counterpart: its output_token_throughput_per_request is length / latency; we report 1 /"
        " inter-token latency (output_tps_per_user), as genai-perf does from 0.0.13 on."
    )
    invalid = sorted({reason for each in rounds for reason in each.measurement["reasons"]})
    yield (
        f"machine: the clients take turns, {len(rounds)} rounds each; spread is (largest -"
        " smallest) / median over them. "
        + (
            "Our records are valid."
            if not invalid
            else "Our records are invalid: " + "; ".join(invalid) + "."
        )
    )
