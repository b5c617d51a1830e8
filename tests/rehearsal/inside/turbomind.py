"""tritonserver with TurboMind's backend in an image, without a model, and profile_serving.py, which
sends what LMDeploy's Chatbot sends. Over HTTP and in its files both are those of
tests/runners/lmdeploy/standin.py. Facts are of InternLM/lmdeploy@v0.1.0, lmdeploy/serve/turbomind
and src/turbomind/{triton_backend,models/llama}, and of triton-inference-server/server@r22.12."""

import array
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(TESTS, "runners/lmdeploy")]

import grpc  # noqa: E402
import machine  # noqa: E402
import standin  # noqa: E402
import triton  # noqa: E402
import triton_grpc  # noqa: E402
from triton_grpc import field, fields_of  # noqa: E402

SERVICE = "/inference.GRPCInferenceService/"
LIBRARY = "libtransformer-shared.so"  # which libtriton_turbomind.so needs
CONFLICT, TOO_LONG = 2, 6  # of TurboMind's requests
TOKEN = 7


def raw(numbers):
    return array.array("I", numbers).tobytes()


def numbers_in(data):
    return list(array.array("I", data))


def tensors(first, contents, rows):
    """Tensors of a request or an answer; ROWS: (name, type, dims, contents). The fields of a tensor
    are those of FIRST, their bytes those of CONTENTS, in the same order."""
    out = b""
    for name, kind, dims, _ in rows:
        sizes = b"".join(field(3, size) for size in dims)
        out += field(first, field(1, name) + field(2, kind) + sizes)
    return out + b"".join(field(contents, data) for *_, data in rows)


def answer(model, request_id, rows):
    return field(1, model) + field(2, "1") + field(3, request_id) + tensors(5, 6, rows)


class Service(triton_grpc.Service):
    """CONFIGS: the models by name. Triton 22.12 marks no answer as the last one."""

    def __init__(self, configs, session_len):
        super().__init__(configs, lambda tokens: None)
        self.session_len, self.sessions = session_len, set()

    def answers(self, request):
        given, request_id = triton_grpc.inputs_of(request)
        known = {one["name"]: one.get("optional") for one in self.configs["turbomind"]["input"]}
        if wrong := [name for name in given if name not in known]:
            problem = f"unexpected inference input '{wrong[0]}' for model 'turbomind'"
        elif missing := [name for name in known if not known[name] and name not in given]:
            problem = f"input '{missing[0]}' of model 'turbomind' is missing"
        else:
            yield from self.generate(given, request_id)
            return
        yield field(1, problem)

    def generate(self, given, request_id):
        """The prompt and the answer so far, in as much room as a session has, for each token."""
        ids, session = numbers_in(given["input_ids"]), given.get("CORRID", b"")
        with self.lock:
            code = CONFLICT if session in self.sessions else 0
            code = code or (TOO_LONG if len(ids) > self.session_len else 0)
            self.sessions |= set() if code else {session}
        if code:
            yield field(1, f"TurboMind execute failure:  {code}")
            return
        try:
            # The limit is compared before the new token is counted, so one more is generated.
            limit = len(ids) + numbers_in(given["request_output_len"])[0]
            for length in range(len(ids) + 1, min(limit, self.session_len - 1) + 2):
                found = (ids + [TOKEN] * (length - len(ids))) + [0] * (self.session_len - length)
                rows = [("output_ids", "UINT32", (1, 1, len(found)), raw(found)),
                        ("sequence_length", "UINT32", (1, 1), raw([length]))]  # fmt: skip
                yield field(2, answer("turbomind", request_id, rows))
        finally:
            with self.lock:
                self.sessions.discard(session)

    def infer(self, request, context):
        """preprocessing: a word is a token."""
        given, request_id = triton_grpc.inputs_of(request)
        if "QUERY" not in given:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "unexpected inference input")
        ids = [TOKEN for _ in given["QUERY"][4:].split()]
        rows = [("INPUT_ID", "UINT32", (1, len(ids)), raw(ids)),
                ("REQUEST_INPUT_LEN", "UINT32", (1, 1), raw([len(ids)]))]  # fmt: skip
        return answer("preprocessing", request_id, rows)


def start(given, limits):
    """The gRPC service of the server with these options."""
    libraries = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    if "/opt/tritonserver/lib" not in libraries:
        triton.unavailable("turbomind", f"unable to load shared library: {LIBRARY}: cannot open"
                           " shared object file: No such file or directory")  # fmt: skip
    config = triton.config_of(os.path.join(given["model-repository"], "turbomind"))
    machine.need_gpus(int(config["parameters"]["tensor_para_size"]["string_value"]))
    service = Service({"turbomind": config}, int(limits["session_len"]))
    return triton_grpc.serve(given["grpc-address"], given["grpc-port"], service)


def main():
    machine.load_driver()
    held = []  # a server that nobody holds stops
    standin.tritonserver(machine.layout()["release"], sys.argv[1:],
                         lambda given, limits: held.append(start(given, limits)))  # fmt: skip


def profile_serving():
    layout = machine.layout()
    if "tritonclient" in layout["missing"]:
        sys.exit("ModuleNotFoundError: No module named 'tritonclient'")
    standin.profile(layout["release"], "profile_serving", sys.argv[1:], ask)


def ask(places, rows):
    """One request for each of ROWS, and its tokens counted, as the script does it."""
    with grpc.insecure_channel(places[0]) as channel:
        config = channel.unary_unary(f"{SERVICE}ModelConfig")(field(1, "turbomind"), timeout=60)
        assert dict(fields_of(config)), "the server has no turbomind"
        infer = channel.unary_unary(f"{SERVICE}ModelInfer")
        stream = channel.stream_stream(f"{SERVICE}ModelStreamInfer")
        for number, row in enumerate(rows):
            prompt, words = (turn["value"].encode() for turn in row["conversations"][:2])
            wanted = len(words.split())
            query = ("QUERY", "BYTES", (1, 1), len(prompt).to_bytes(4, "little") + prompt)
            ids = first_of(infer(field(1, "preprocessing") + tensors(5, 7, [query]), timeout=60))
            asked = [("input_ids", "UINT32", (1, len(ids)), raw(ids)),
                     ("input_lengths", "UINT32", (1, 1), raw([len(ids)])),
                     ("request_output_len", "UINT32", (1, 1), raw([wanted])),
                     ("CORRID", "UINT64", (1, 1), number.to_bytes(8, "little"))]  # fmt: skip
            request = field(1, "turbomind") + tensors(5, 7, asked)
            events = [dict(fields_of(one)) for one in stream(iter([request]), timeout=60)]
            assert wanted <= len(events) <= wanted + 1, f"{wanted} tokens wanted, {events[-1:]}"


def first_of(message):
    """The numbers of the first output of an answer."""
    return numbers_in(next(value for number, value in fields_of(message) if number == 6))
