#!/usr/bin/python3
"""Stands in for tritonserver and for an OpenAI server: `server.py --http-port=N
[--metrics-port=N]`, or `server.py --port N` as llama-server has it, answers with the words w0 w1
... without a model, and ignores other options.
Every request counts in the statistics and on the metrics page."""
import http.server
import json
import sys
import threading
import time

EVENTS_AT_ONCE = 8
PAUSE_S = 0.0005
MODELS = ["ensemble", "preprocessing", "tensorrt_llm", "postprocessing", "tensorrt_llm_bls"]
COUNTS = {"requests": 0, "tokens": 0}


def tensor(name, datatype, optional=True, dims=(1,)):
    return {
        "name": name,
        "data_type": f"TYPE_{datatype}",
        "dims": list(dims),
        "optional": optional,
    }


CONFIG = {
    "platform": "ensemble",
    "max_batch_size": 8,
    "model_transaction_policy": {"decoupled": True},
    "input": [
        tensor("text_input", "STRING", optional=False),
        tensor("max_tokens", "INT32", optional=False),
        tensor("stream", "BOOL"),
        tensor("end_id", "INT32"),
        tensor("min_length", "INT32"),
        tensor("top_k", "INT32"),
        tensor("temperature", "FP32"),
        tensor("top_p", "FP32"),
        tensor("beam_width", "INT32"),
        tensor("random_seed", "UINT64"),
        tensor("bad_words", "STRING", dims=(-1,)),
        tensor("stop_words", "STRING", dims=(-1,)),
    ],
}


def statistics():
    requests = COUNTS["requests"]

    def spent(ns):
        return {"count": requests, "ns": requests * ns}

    steps = {
        "success": spent(9_000_000),
        "fail": {"count": 0, "ns": 0},
        "queue": spent(400_000),
        "compute_input": spent(20_000),
        "compute_infer": spent(8_000_000),
        "compute_output": spent(60_000),
        "cache_hit": {"count": 0, "ns": 0},
        "cache_miss": {"count": 0, "ns": 0},
    }
    return {
        "model_stats": [
            {
                "name": name,
                "version": "1",
                "inference_count": requests,
                "execution_count": requests,
                "inference_stats": steps,
            }
            for name in MODELS
        ]
    }


def metrics_page():
    lines = ["# TYPE nv_inference_request_success counter"]
    for model in MODELS:
        label = f'{{model="{model}",version="1"}}'
        lines.append(f"nv_inference_request_success{label} {COUNTS['requests']}")
    lines.append("# TYPE nv_trt_llm_kv_cache_block_metrics gauge")
    for kind, blocks in [("used", 1 + COUNTS["requests"] % 7), ("max", 64)]:
        label = f'{{kv_cache_block_type="{kind}",model="tensorrt_llm",version="1"}}'
        lines.append(f"nv_trt_llm_kv_cache_block_metrics{label} {blocks}")
    return "\n".join(lines) + "\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *words):
        pass

    def answer(self, body, kind="application/json", status=200):
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        words = self.path.strip("/").split("/")
        if self.path == "/metrics":
            self.answer(metrics_page(), "text/plain")
        elif self.path == "/v1/models":
            self.answer({"object": "list", "data": [{"id": "llama", "object": "model"}]})
        elif self.path == "/v2/models/stats":
            self.answer(statistics())
        elif words[:2] == ["v2", "models"] and words[-1] == "config":
            self.answer({"name": words[2], **CONFIG})
        else:
            self.answer("", status=200)

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        tokens = request.get("max_tokens") or request.get("max_completion_tokens") or 16
        COUNTS["requests"] += 1
        COUNTS["tokens"] += tokens
        words = [f" w{i}" for i in range(tokens)]
        if self.path.startswith("/v1/"):
            return self.openai(request, words)
        if not self.path.endswith("generate_stream"):
            return self.answer({"text_output": "".join(words)})
        return self.events([json.dumps({"text_output": word}) for word in words])

    def openai(self, request, words):
        chat = self.path.endswith("chat/completions")
        usage = {"prompt_tokens": 8, "completion_tokens": len(words)}
        usage["total_tokens"] = sum(usage.values())
        if not request.get("stream"):
            text = "".join(words)
            choice = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
            choice |= {"index": 0, "finish_reason": "length"}
            return self.answer({"choices": [choice], "usage": usage})
        events = [
            {"choices": [{"index": 0, **({"delta": {"content": w}} if chat else {"text": w})}]}
            for w in words
        ]
        last = {"choices": [], "usage": usage}
        return self.events([*map(json.dumps, [*events, last]), "[DONE]"])

    def events(self, texts):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for at in range(0, len(texts), EVENTS_AT_ONCE):
            data = "".join(f"data: {text}\n\n" for text in texts[at : at + EVENTS_AT_ONCE]).encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
            time.sleep(PAUSE_S)
        self.wfile.write(b"0\r\n\r\n")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a client may close a stream
            super().handle_error(request, client_address)


def main(arguments):
    options = dict(word[2:].split("=", 1) for word in arguments if "=" in word)
    if "--port" in arguments:
        options["http-port"] = arguments[arguments.index("--port") + 1]
    if "metrics-port" in options:
        page = Server(("127.0.0.1", int(options["metrics-port"])), Handler)
        threading.Thread(target=page.serve_forever, daemon=True).start()
    server = Server(("127.0.0.1", int(options["http-port"])), Handler)
    print(f"listening on {server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
