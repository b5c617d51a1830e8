"""Triton model `tensorrt_llm` in place of the backend of that name: the same tensors and the same
processes, and meaningless tokens.

Every rank joins MPI when it loads; ranks above 0 never return from loading, so that only rank 0
opens ports. Rank 0 requests each token from all of them. The engine must be built for the number of
ranks. While the file GATE exists, a prompt waits for its answer, and the file GATE.reached exists.
DIARY gets one line per prompt, which names the group of ranks, and DEVICES one line per rank 0 with
its visible GPUs. make.py inserts the paths below.

Debian's libmpi is called directly: the environment has no MPI for Python.
"""
import ctypes
import json
import os
import threading
import time

import numpy as np
import triton_python_backend_utils as pb_utils

FOLDER = "@FOLDER@"
GATE, DIARY, DEVICES = FOLDER + "/gate", FOLDER + "/diary", FOLDER + "/devices"
RANK, RANKS = (
    int(os.environ.get("OMPI_COMM_WORLD_" + name, default))
    for name, default in (("RANK", 0), ("SIZE", 1))
)
TAG = 7
FINAL = 1  # TRITONSERVER_RESPONSE_COMPLETE_FINAL


class Mpi:
    def __init__(self):
        self._lib = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
        self._lib.MPI_Init(None, None)
        self._world = ctypes.byref(ctypes.c_char.in_dll(self._lib, "ompi_mpi_comm_world"))
        self._int = ctypes.byref(ctypes.c_char.in_dll(self._lib, "ompi_mpi_int"))

    def send(self, number, rank):
        self._lib.MPI_Send(ctypes.byref(ctypes.c_int(number)), 1, self._int, rank, TAG, self._world)

    def receive(self, rank):
        number, arrived = ctypes.c_int(), ctypes.c_int(0)
        # Not a plain receive: it would keep a whole core busy.
        while not arrived.value:
            self._lib.MPI_Iprobe(rank, TAG, self._world, ctypes.byref(arrived), None)
            arrived.value or time.sleep(0.0005)
        self._lib.MPI_Recv(ctypes.byref(number), 1, self._int, rank, TAG, self._world, None)
        return number.value


def check(engine):
    with open(engine + "/config.json", encoding="utf-8") as file:
        config = json.load(file)
    mapping = config["pretrained_config"]["mapping"]
    if mapping["world_size"] != RANKS:
        raise ValueError(f"Expected {mapping['world_size']} MPI processes, got {RANKS}")
    with open(f"{engine}/rank{RANK}.engine", "rb") as file:
        file.read(1)
    return config["pretrained_config"]["vocab_size"]


def wait_at_gate():
    while os.path.exists(GATE):
        open(GATE + ".reached", "a").close()
        time.sleep(0.005)


def note(file, line):
    with open(file, "a", encoding="utf-8") as diary:
        diary.write(line + "\n")


class TritonPythonModel:
    def initialize(self, args):
        if RANK == 0:
            note(DEVICES, os.environ.get("CUDA_VISIBLE_DEVICES", "all"))
        parameters = json.loads(args["model_config"])["parameters"]
        self._vocabulary = check(parameters["gpt_model_path"]["string_value"])
        self._one_at_a_time = threading.Lock()
        self._mpi = Mpi() if RANKS > 1 else None
        while RANK > 0:
            self._mpi.send(self._mpi.receive(0) + RANK, 0)

    def execute(self, requests):
        for request in requests:
            threading.Thread(target=self._answer, args=(request,), daemon=True).start()

    def _token(self, number):
        with self._one_at_a_time:
            for rank in range(1, RANKS):
                self._mpi.send(number, rank)
                number = self._mpi.receive(rank)
        return 3 + number % (self._vocabulary - 3)

    def _answer(self, request):
        given = {tensor.name(): tensor.as_numpy() for tensor in request.inputs()}
        sender = request.get_response_sender()
        count = int(given["request_output_len"].flat[0])
        first = int(given["input_ids"].sum())
        if len(given["input_ids"].flat) > 8:  # the smoke request has fewer ids
            wait_at_gate()
        note(DIARY, os.environ.get("PMIX_NAMESPACE", "alone"))
        tokens = []
        for number in range(count):
            tokens.append(self._token(first + number))
            if given.get("streaming", np.zeros(1)).any():
                sender.send(self._response(tokens[-1:]), flags=FINAL if number + 1 == count else 0)
        if not given.get("streaming", np.zeros(1)).any():
            sender.send(self._response(tokens), flags=FINAL)

    @staticmethod
    def _response(tokens):
        numbers = {
            "output_ids": np.array([[tokens]], np.int32),
            "sequence_length": np.array([[len(tokens)]], np.int32),
            "batch_index": np.zeros((1, 1), np.int32),
            "sequence_index": np.zeros((1, 1), np.int32),
            "cum_log_probs": np.zeros((1, 1), np.float32),
            "output_log_probs": np.zeros((1, 1, len(tokens)), np.float32),
            "context_logits": np.zeros((1, 1, 1), np.float32),
            "generation_logits": np.zeros((1, 1, 1, 1), np.float32),
        }
        return pb_utils.InferenceResponse(
            [pb_utils.Tensor(name, value) for name, value in numbers.items()]
        )
