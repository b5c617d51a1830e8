"""Triton model `tensorrt_llm` on several ranks, which only imitates the processes of TensorRT-LLM's
backend: every rank joins MPI when it loads; ranks above 0 never return from loading, so that only
rank 0 opens ports; rank 0 requests each token from one of the others in turn. While the file
GATE exists, a prompt waits for its answer, and the file GATE.reached exists.

Debian's libmpi is called directly: the environment has no MPI for Python.
"""
import ctypes
import itertools
import os
import threading
import time

import numpy as np
import triton_python_backend_utils as pb_utils

TAG = 7
GATE = os.environ["GATE"]


class Mpi:
    def __init__(self):
        self._lib = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
        self._lib.MPI_Init(None, None)
        self._world = ctypes.byref(ctypes.c_char.in_dll(self._lib, "ompi_mpi_comm_world"))
        self._byte = ctypes.byref(ctypes.c_char.in_dll(self._lib, "ompi_mpi_byte"))
        self.rank = self._number(self._lib.MPI_Comm_rank)
        self.size = self._number(self._lib.MPI_Comm_size)

    def _number(self, ask):
        number = ctypes.c_int()
        ask(self._world, ctypes.byref(number))
        return number.value

    def send(self, text, rank):
        self._lib.MPI_Send(text, len(text), self._byte, rank, TAG, self._world)

    def receive(self, rank):
        text = ctypes.create_string_buffer(256)
        arrived = ctypes.c_int(0)
        # Not a plain receive: it would keep a whole core busy.
        while not arrived.value:
            self._lib.MPI_Iprobe(rank, TAG, self._world, ctypes.byref(arrived), None)
            arrived.value or time.sleep(0.0005)
        self._lib.MPI_Recv(text, len(text), self._byte, rank, TAG, self._world, None)
        return text.value


def wait_at_gate(text):
    while text.startswith(b"prompt") and os.path.exists(GATE):
        open(GATE + ".reached", "a").close()
        time.sleep(0.005)


class TritonPythonModel:
    def initialize(self, args):
        self._mpi = Mpi()
        self._one_at_a_time = threading.Lock()
        self._others = itertools.cycle(range(1, self._mpi.size))
        while self._mpi.rank > 0:
            self._mpi.send(self._mpi.receive(0) + b" of rank %d" % self._mpi.rank, 0)

    def execute(self, requests):
        for request in requests:
            threading.Thread(target=self._answer, args=(request,), daemon=True).start()

    def _answer(self, request):
        text, tokens = (
            pb_utils.get_input_tensor_by_name(request, name).as_numpy().flat[0]
            for name in ("text_input", "max_tokens")
        )
        sender = request.get_response_sender()
        wait_at_gate(text)
        for token in range(tokens):
            with self._one_at_a_time:
                other = next(self._others)
                self._mpi.send(text[:100], other)
                answer = np.array([self._mpi.receive(other)], dtype=np.object_)
            last = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL if token + 1 == tokens else 0
            sender.send(
                pb_utils.InferenceResponse([pb_utils.Tensor("text_output", answer)]), flags=last
            )
