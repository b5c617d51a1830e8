"""The engine's series on the metrics page of the server, under the names of the TensorRT-LLM
backend.

It knows the names on the page; it does not know how tokens are generated.
"""
import triton_python_backend_utils as pb_utils

from engine import BLOCK_TOKENS

LENGTH_BUCKETS = [10, 50, 100, 500, 1000]


class Metrics:
    def __init__(self, model, version):
        self._labels = {"model": model, "version": version}
        self._families = []  # a family must outlive its metrics
        self._shown = {}
        self._input = self._lengths("nv_llm_input_token_len", "Tokens of each prompt")
        self._output = self._lengths("nv_llm_output_token_len", "Tokens generated for each prompt")
        self._requests = self._gauges(
            "nv_trt_llm_request_metrics",
            "Requests in the engine",
            "request_type",
            ["active", "max", "scheduled", "waiting"],
        )
        self._blocks = self._gauges(
            "nv_trt_llm_kv_cache_block_metrics",
            "Blocks of the KV cache",
            "kv_cache_block_type",
            ["max", "free", "used", "tokens_per"],
        )

    def _family(self, name, description, kind):
        family = pb_utils.MetricFamily(name=name, description=description, kind=kind)
        self._families.append(family)
        return family

    def _lengths(self, name, description):
        return self._family(name, description, pb_utils.MetricFamily.HISTOGRAM).Metric(
            labels=self._labels, buckets=LENGTH_BUCKETS
        )

    def _gauges(self, name, description, label, values):
        family = self._family(name, description, pb_utils.MetricFamily.GAUGE)
        return {value: family.Metric(labels={**self._labels, label: value}) for value in values}

    def finished(self, prompt_tokens, new_tokens):
        self._input.observe(prompt_tokens)
        self._output.observe(new_tokens)

    def show(self, engine):
        """A changed value costs a round trip to the server, an unchanged one is free."""
        active, waiting = engine.counts()
        used = round(engine.cache_usage() * engine.kv_blocks) if active else 0
        for gauges, values in [
            (
                self._requests,
                {
                    "active": active,
                    "max": engine.limits.batch_size,
                    "scheduled": active - waiting,
                    "waiting": waiting,
                },
            ),
            (
                self._blocks,
                {
                    "max": engine.kv_blocks,
                    "free": engine.kv_blocks - used,
                    "used": used,
                    "tokens_per": BLOCK_TOKENS,
                },
            ),
        ]:
            for name, value in values.items():
                if self._shown.get((id(gauges), name)) != value:
                    self._shown[id(gauges), name] = value
                    gauges[name].set(value)
