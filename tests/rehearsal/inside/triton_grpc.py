"""Triton's gRPC service: configurations of models, and streamed requests, which may carry the
weights of an adapter. Messages are those of GRPCInferenceService, written by their field numbers.
It does not know repositories; triton.py does."""

import concurrent.futures
import threading

import grpc

TYPES = """INVALID BOOL UINT8 UINT16 UINT32 UINT64 INT8 INT16 INT32 INT64 FP16 FP32 FP64 STRING
BF16""".split()


def varint(value):
    out = b""
    value &= (1 << 64) - 1
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """One field: a number, or the bytes of a text or message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def fields_of(message):
    """(number, value) of each field; the messages read here have numbers and bytes only."""
    at = 0

    def number():
        nonlocal at
        found = shift = 0
        while True:
            byte = message[at]
            at += 1
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return found

    while at < len(message):
        key = number()
        value = number()
        if key & 7 == 2:
            value, at = message[at : at + value], at + value
        yield key >> 3, value


def config_message(name, config):
    out = field(1, name) + field(2, config.get("platform", ""))
    out += field(4, config.get("max_batch_size", 0))
    for one in config["input"]:
        kind = TYPES.index(one["data_type"].removeprefix("TYPE_"))
        dims = b"".join(field(4, size) for size in one["dims"])
        optional = bool(one.get("optional"))
        out += field(5, field(1, one["name"]) + field(2, kind) + dims + field(8, optional))
    policy = config.get("model_transaction_policy", {})
    return field(1, out + field(19, field(1, bool(policy.get("decoupled")))))


def answer(request_id, text, final):
    """One message of a stream; the last one has no text."""
    last = field(1, "triton_final_response") + field(2, field(1, int(final)))
    out = field(1, "ensemble") + field(2, "1") + field(3, request_id) + field(4, last)
    if text is not None:
        data = text.encode()
        out += field(5, field(1, "text_output") + field(2, "BYTES") + field(3, 1))
        out += field(6, len(data).to_bytes(4, "little") + data)
    return field(2, out)


def ids(request_id, tokens):
    """The answer of a model without its ensemble: token ids, in one message."""
    data = b"".join((7).to_bytes(4, "little") for _ in range(tokens))
    out = field(1, "tensorrt_llm") + field(2, "1") + field(3, request_id)
    sizes = b"".join(field(3, size) for size in (1, 1, tokens))
    return out + field(5, field(1, "output_ids") + field(2, "INT32") + sizes) + field(6, data)


def ids_in(message):
    """How many ids an answer has."""
    return len(dict(fields_of(message)).get(6, b"")) // 4


def inputs_of(request):
    """(the raw tensors by name, the request's id)"""
    names, contents, request_id = [], [], ""
    for number, value in fields_of(request):
        if number == 3:
            request_id = value.decode()
        if number == 5:
            names.append(dict(fields_of(value))[1].decode())
        if number == 7:
            contents.append(value)
    return dict(zip(names, contents)), request_id


class Service(grpc.GenericRpcHandler):
    """CONFIGS: the models by name. COUNT(tokens) is told of each answer."""

    def __init__(self, configs, count):
        self.configs, self.count = configs, count
        self.adapters, self.lock = set(), threading.Lock()

    def service(self, details):
        name = details.method.rpartition("/")[2]
        if name == "ModelStreamInfer":
            return grpc.stream_stream_rpc_method_handler(self.stream)
        if name == "ModelInfer":
            return grpc.unary_unary_rpc_method_handler(self.infer)
        if name == "ModelConfig":
            return grpc.unary_unary_rpc_method_handler(self.config)
        if name == "ModelStatistics":
            return grpc.unary_unary_rpc_method_handler(lambda *_: b"")
        return None

    def config(self, request, context):
        name = dict(fields_of(request)).get(1, b"").decode()
        if name not in self.configs:
            context.abort(grpc.StatusCode.NOT_FOUND, f"unknown model '{name}'")
        return config_message(name, self.configs[name])

    def stream(self, requests, _):
        for request in requests:
            yield from self.answers(request)

    def answers(self, request):
        given, request_id = inputs_of(request)
        if "input_ids" in given:
            yield field(2, self.core_answer(given, request_id))
            return
        if problem := self.problem_of(given):
            yield field(1, problem) + field(2, answer(request_id, None, True)[2:])
            return
        count = int.from_bytes(given["max_tokens"][:4], "little")
        words = [f" w{place}" for place in range(count)]
        streams = any(given.get("stream", b""))
        for text in words if streams else ["".join(words)]:
            yield answer(request_id, text, False)
        self.count(count)
        yield answer(request_id, None, True)

    def infer(self, request, context):
        given, request_id = inputs_of(request)
        if "input_ids" not in given:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "ModelInfer of an ensemble")
        return self.core_answer(given, request_id)

    def core_answer(self, given, request_id):
        """Of tensorrt_llm itself, behind the prompt unless the configuration excludes that."""
        parameters = self.configs["tensorrt_llm"]["parameters"]
        excludes = parameters.get("exclude_input_in_output", {}).get("string_value") == "true"
        count = int.from_bytes(given["request_output_len"][:4], "little")
        self.count(count)
        return ids(request_id, count if excludes else count + len(given["input_ids"]) // 4)

    def problem_of(self, given):
        """What the backend says of an adapter that it was never sent."""
        if "lora_task_id" not in given:
            return ""
        task = int.from_bytes(given["lora_task_id"][:8], "little")
        with self.lock:
            if "lora_weights" in given and "lora_config" in given:
                self.adapters.add(task)
            if task in self.adapters:
                return ""
        return (
            "Executor failed process requestId due to the following error: LoRA task"
            f" {task} not found in cache. Please send LoRA weights with request"
        )


def start(address, port, configs, count):
    return serve(address, port, Service(configs, count))


def serve(address, port, service):
    """The server and the port that it listens on. OSError: another process has it."""
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(64),
                         options=[("grpc.so_reuseport", 0),
                                  ("grpc.max_receive_message_length", -1)])  # fmt: skip
    server.add_generic_rpc_handlers((service,))
    try:
        found = server.add_insecure_port(f"{address}:{port}")
    except RuntimeError as error:
        raise OSError(str(error)) from error
    if not found:
        raise OSError(f"{address}:{port} is in use")
    server.start()
    return server, found
