"""One measurement as genai-perf and as `orchestrate bench` report it: the table, the reason of each difference with its size,
and the bound within which both must lie. Starts nothing.
"""
BOUND = 3.0  # either way; a shared machine moves a throughput by a third between two windows

# genai-perf's name, ours, decimals
METRICS = [("time_to_first_token", "ttft_ms", 3), ("inter_token_latency", "itl_ms", 4), ("request_latency", "request_latency_ms", 3),
           ("output_sequence_length", "osl_counted", 2), ("input_sequence_length", "isl_counted", 2),
           ("output_token_throughput", "output_tps", 1), ("request_throughput", "requests_per_s", 2)]
STATISTICS = [("avg", "mean"), ("p50", "p50"), ("p90", "p90"), ("p99", "p99")]
BOUNDED = ["time_to_first_token", "inter_token_latency", "request_latency", "output_token_throughput", "request_throughput"]


def pairs(report, measurement):
    """(metric, statistic, decimals, genai-perf's figure, ours) for everything that both have."""
    for theirs, ours, decimals in METRICS:
        value = measurement["metrics"].get(ours)
        for their_statistic, our_statistic in STATISTICS:
            figure = value.get(our_statistic) if isinstance(value, dict) else value
            if their_statistic in report.get(theirs, {}) and figure is not None:
                yield theirs, their_statistic, decimals, report[theirs][their_statistic], figure


def table(report, measurement):
    rows = [f"  {'metric':<24} {'statistic':<9} {'genai-perf':>12} {'orchestrate':>12} {'ratio':>7}"]
    rows += [f"  {metric:<24} {statistic:<9} {theirs:>12.{decimals}f} {ours:>12.{decimals}f} {ours / theirs if theirs else 0:>7.3f}"
             for metric, statistic, decimals, theirs, ours in pairs(report, measurement)]
    return "\n".join(rows)


def out_of_bounds(report, measurement):
    return [f"{metric}: genai-perf {theirs:.3f}, orchestrate {ours:.3f}" for metric, statistic, _, theirs, ours in pairs(report, measurement)
            if statistic == "avg" and metric in BOUNDED and not 1 / BOUND <= ours / theirs <= BOUND]


def mean(values):
    return sum(values) / len(values)


def closing_messages(requests):
    """How many requests ended with a response without text, and by how many ms it came after the last token."""
    late = [(request["response_timestamps"][-1] - request["response_timestamps"][-2]) / 1e6 for request in requests
            if len(request["response_outputs"]) > 1 and request["response_outputs"][-1]["text_output"] == ""]
    return len(late), mean(late) if late else 0.0


def differences(experiment, report, counts, measurement):
    """One line per reason why the two columns differ."""
    requests, metrics = experiment["requests"], measurement["metrics"]
    their_osl, our_osl = mean(counts["output"]), metrics["osl_counted"]["mean"]
    their_itl, our_itl = report["inter_token_latency"]["avg"], metrics["itl_ms"]["mean"]
    closed, closed_ms = closing_messages(requests)
    first, last = min(r["timestamp"] for r in requests), max(r["response_timestamps"][-1] for r in requests)
    boundaries = experiment.get("window_boundaries") or [first, last]
    whole_s = (boundaries[-1] - boundaries[0]) / 1e9
    yield (f"output length: genai-perf tokenises the answer's text again and counts {their_osl:.2f}, we count the {our_osl:.2f} ids that were sent "
           f"(the server's own count: {metrics.get('osl_reported', 0):.2f}). So its output tokens/s is {100 * (their_osl / our_osl - 1):.1f} % too high "
           f"and its inter-token latency too low: {their_itl:.4f} ms would be about {their_itl * (their_osl - 1) / (our_osl - 1):.4f} ms if ids were counted; ours is {our_itl:.4f} ms.")
    yield (f"input length: the same prompts for both; genai-perf's count {mean(counts['input']):.2f}, ours {metrics['isl_counted']['mean']:.2f}"
           f" (its own synthetic prompts would be of other lengths than asked).")
    yield (f"front end: perf_analyzer's gRPC stream against our HTTP server-sent events; other parsing in the server, one gRPC stream for all "
           f"requests there, one connection for each open request here. Time to first token: {report['time_to_first_token']['avg']:.3f} ms there, {metrics['ttft_ms']['mean']:.3f} ms here.")
    yield (f"closing message: over gRPC {closed} of {len(requests)} requests end with a response without text, {closed_ms:.3f} ms after their last token on average; "
           "genai-perf counts its time as the last token's. The HTTP front end does not pass it on.")
    yield (f"window: both divide by first send to last response, {(last - first) / 1e9:.3f} s for {len(requests)} requests there, {measurement['window']['duration_s']:.3f} s for "
           f"{measurement['load']['requests']} here. perf_analyzer divides by its own {whole_s:.3f} s, which hold its start and end too, and prints {len(requests) / whole_s:.2f} requests/s.")
    yield ("stability: without a request count perf_analyzer repeats windows of --measurement-interval until three agree (within genai-perf's 999 %: the first three always do) and exports "
           "them all; here --request-count gives one window of a fixed number of requests, as ours.")
    yield ("warm-up: perf_analyzer 2.51.0 has none, its first requests are measured; we send "
           f"{measurement['load']['warmup']} requests before the window, with prompts of their own.")
    yield "requests/s: genai-perf counts every request, we those that succeeded; error rate here " + f"{metrics.get('error_rate', 0):.3f}."
    if "output_token_throughput_per_request" in report:
        yield (f"no counterpart: output_token_throughput_per_request ({report['output_token_throughput_per_request']['avg']:.1f}) is length / latency of single requests; "
               "we report 1 / inter-token latency (output_tps_per_user), as genai-perf does from 0.0.13 on.")
    yield ("one after the other: both ran alone, but minutes of a shared machine are not alike; "
           f"our record calls itself {'valid' if measurement['valid'] else 'NOT valid: ' + '; '.join(measurement['reasons'])}.")
