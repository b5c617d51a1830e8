// Failures of real tools: an exit and the end of a log for every cause, and logs that only look
// like a failure.
#pragma once

#include "run/execute/executor.hpp"

#include <cerrno>
#include <csignal>

namespace orch::attempt {

struct FailureRow {
  const char* name;  // of the test
  const char* failure_class;
  execute::Ended ended;
  const char* log;
  const char* line;  // that ends the message; "" for none, k_whole_log for the whole log
};

inline constexpr const char* k_whole_log = "*";

inline execute::Ended code(int code) { return {.token = "o1", .code = code}; }
inline execute::Ended signalled(int signal) {
  return {.token = "o1", .code = -1, .signal = signal};
}
inline execute::Ended oom(int code, int signal) {
  return {.token = "o1", .code = code, .signal = signal, .oom_killed = true};
}

// The working directory was on a full disk when the leader exited.
inline execute::Ended on_full_disk(execute::Ended ended) {
  ended.full_disk = "/store/attempts/o1/work";
  return ended;
}
inline constexpr const char* k_disk_was_full =
    "the file system of /store/attempts/o1/work was full";
inline execute::Ended log_cut(int error) { return {.token = "o1", .code = 1, .log_error = error}; }

inline const FailureRow k_failure_rows[] = {
    // The machine explains an end that names no cause, and no other.
    {"FullDiskAtAnExit", "disk_full", on_full_disk(code(1)), "step 3 of 7\n", k_disk_was_full},
    {"FullDiskAtACrash", "disk_full", on_full_disk(signalled(SIGSEGV)), "", k_disk_was_full},
    {"FullDiskAtALoad", "disk_full", on_full_disk(code(1)),
     "creating server: Internal - failed to load all models\n", k_disk_was_full},
    {"FullDiskAndOom", "cuda_oom", on_full_disk(code(1)),
     "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n",
     "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"},
    {"FullDiskAndABadArgument", "bad_argument", on_full_disk(code(2)),
     "run.py: error: unrecognized arguments: --tpp 2\n",
     "run.py: error: unrecognized arguments: --tpp 2"},
    {"LogCutByAFullDisk", "disk_full", log_cut(ENOSPC), "step 3 of 7\n",
     "bytes of its log were lost: No space left on device"},
    {"LogCutByAQuota", "disk_quota", log_cut(EDQUOT), "",
     "bytes of its log were lost: Disk quota exceeded"},
    {"LogCutByALimit", "file_size_limit", log_cut(EFBIG), "",
     "bytes of its log were lost: File too large"},
    {"LogCutByTheDisk", "io_error", log_cut(EIO), "",
     "bytes of its log were lost: Input/output error"},
    {"LogCutByAnythingElse", "io_error", log_cut(EINVAL), "",
     "bytes of its log were lost: Invalid argument"},
    {"Sigxfsz", "file_size_limit", signalled(SIGXFSZ), "", ""},
    {"SigxfszOfAShell", "file_size_limit", code(128 + SIGXFSZ), "", ""},
    {"FileTooLarge", "file_size_limit", code(1), "OSError: [Errno 27] File too large", k_whole_log},
    {"FileTooLargeInDd", "file_size_limit", code(1),
     "dd: error writing '/out/model': File too large\n",
     "dd: error writing '/out/model': File too large"},
    {"NotAFileTooLarge", "exit_status", code(1), "413: file too large for this page\n", ""},
    {"Abandoned",
     "abandoned",
     {.token = "o1", .signal = SIGTERM, .abandoned = true},
     "step 10\n"
     "step 11\n",
     "no orchestrator came back within the grace period"},
    {"GuardianLost",
     "killed_externally",
     {.token = "o1", .guardian_lost = true},
     "No space left on device\n",
     ""},
    {"Xid", "gpu_fault", code(1),
     "loading\n"
     "[ 1203.51] NVRM: Xid (PCI:0000:3b:00): 79, pid=2211, name=python3, GPU has fallen\n"
     "CUDA error: unknown error\n",
     "[ 1203.51] NVRM: Xid (PCI:0000:3b:00): 79, pid=2211, name=python3, GPU has fallen"},
    {"OffTheBus", "gpu_fault", code(1),
     "Unable to determine the device handle for GPU0000:3B:00.0: GPU has fallen off the bus. "
     "Reboot the system",
     k_whole_log},
    {"Ecc", "gpu_fault", code(1),
     "  File \"worker.py\", line 8\n"
     "RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
     "CUDA kernel errors might be asynchronously reported\n",
     "RuntimeError: CUDA error: uncorrectable ECC error encountered"},
    {"EccOfTheDriver", "gpu_fault", code(1),
     "failed call to cuDevicePrimaryCtxRetain: CUDA_ERROR_ECC_UNCORRECTABLE", k_whole_log},
    {"Nvlink", "gpu_fault", code(1),
     "RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution",
     k_whole_log},
    {"NvlinkOfTheDriver", "gpu_fault", code(1),
     "cuStreamSynchronize returned CUDA_ERROR_NVLINK_UNCORRECTABLE", k_whole_log},
    {"NvlinkFatal", "gpu_fault", code(1),
     "nvidia-nvswitch0: NVLink: fatal error detected on link 3", k_whole_log},
    {"FabricManager", "gpu_missing", code(1),
     "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet "
     "initialized",
     k_whole_log},
    {"NoDevice", "gpu_missing", code(1),
     "Traceback (most recent call last):\n"
     "RuntimeError: No CUDA-capable device is detected\n",
     "RuntimeError: No CUDA-capable device is detected"},
    {"NoDriver", "gpu_missing", code(1),
     "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA "
     "GPU",
     k_whole_log},
    {"Nvml", "gpu_missing", code(1),
     "RuntimeError: Failed to initialize NVML: Driver/library version mismatch\n"
     "NVML library version: 550.90\n",
     "RuntimeError: Failed to initialize NVML: Driver/library version mismatch"},
    {"BusyDevice", "gpu_missing", code(1),
     "RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable", k_whole_log},
    {"OldDriver", "cuda_driver", code(1),
     "RuntimeError: CUDA error: CUDA driver version is insufficient for CUDA runtime version",
     k_whole_log},
    {"OldDriverOfTorch", "cuda_driver", code(1),
     "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).",
     k_whole_log},
    {"Ptx", "cuda_driver", code(1),
     "CUDA error: the provided PTX was compiled with an unsupported toolchain.", k_whole_log},
    {"ForwardCompatibility", "cuda_driver", code(1),
     "Error 804: forward compatibility was attempted on non supported HW", k_whole_log},
    {"DirtyGpu", "dirty_gpu", code(1),
     "ValueError: Free memory on device cuda:0 (10.21/79.10 GiB) on startup is less than desired "
     "GPU memory utilization (0.9, 71.19 GiB).",
     k_whole_log},
    {"TorchOom", "cuda_oom", code(1),
     "  File \"/x/torch/nn/modules/linear.py\", line 125, in forward\n"
     "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 23.69 GiB total "
     "capacity)\n"
     "Engine core initialization failed. See root cause above.\n",
     "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 23.69 GiB total "
     "capacity)"},
    {"VllmCpuMemory", "host_oom", code(1),
     "ValueError: Available memory on node 0 (20.8/23.4 GiB) on kv cache allocation is less than "
     "the size that is asked for (64 GiB)\n"
     "RuntimeError: Engine core initialization failed. See root cause above.\n",
     "ValueError: Available memory on node 0 (20.8/23.4 GiB) on kv cache allocation is less than "
     "the size that is asked for (64 GiB)"},
    {"VllmPositions", "bad_argument", code(1),
     "ValueError: User-specified max_model_len (8192) is greater than the derived max_model_len "
     "(max_position_embeddings=4096)\n",
     "ValueError: User-specified max_model_len (8192) is greater than the derived max_model_len "
     "(max_position_embeddings=4096)"},
    {"VllmFolder", "bad_argument", code(1),
     "huggingface_hub.errors.HFValidationError: Repo id must be in the form 'repo_name' or "
     "'namespace/repo_name': '/no/model'\n",
     "huggingface_hub.errors.HFValidationError: Repo id must be in the form 'repo_name' or "
     "'namespace/repo_name': '/no/model'"},
    {"VllmQuantization", "unsupported", code(1),
     "ValueError: Cannot find the config file for awq\n",
     "ValueError: Cannot find the config file for awq"},
    {"TorchOomByItsName", "cuda_oom", code(1), "torch.OutOfMemoryError: HIP out of memory.",
     k_whole_log},
    {"TorchOomByItsOldName", "cuda_oom", code(1), "torch.cuda.OutOfMemoryError: out of memory",
     k_whole_log},
    {"CudaOom", "cuda_oom", code(1),
     "RuntimeError: CUDA error: out of memory\n"
     "For debugging consider passing CUDA_LAUNCH_BLOCKING=1\n",
     "RuntimeError: CUDA error: out of memory"},
    {"DriverOom", "cuda_oom", code(1), "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
     k_whole_log},
    {"RuntimeOom", "cuda_oom", code(1), "Cuda Runtime error: cudaErrorMemoryAllocation",
     k_whole_log},
    {"LlamaCppOom", "cuda_oom", code(1),
     "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 15317.02 MiB on device 0: cudaMalloc "
     "failed: out of memory\n"
     "llama_model_load: error loading model: unable to allocate CUDA0 buffer\n",
     "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 15317.02 MiB on device 0: cudaMalloc "
     "failed: out of memory"},
    {"TrtLlmOom", "cuda_oom", code(1),
     "[TensorRT-LLM][ERROR] [TensorRT-LLM] CUDA runtime error in cudaMallocAsync(ptr, n, "
     "mCudaStream->get()): out of memory",
     k_whole_log},
    {"TrtLlmRuntimeOom", "cuda_oom", code(1),
     "[TensorRT-LLM][ERROR] CUDA runtime error in ::cudaEventCreate(&e): out of memory",
     k_whole_log},
    {"TensorRtOom", "cuda_oom", code(1),
     "[TRT] [E] 2: [virtualMemoryBuffer.cpp::resizePhysical::140] Error Code 2: OutOfMemory (no "
     "further information)\n"
     "[TRT] [E] Engine could not be created\n",
     "[TRT] [E] 2: [virtualMemoryBuffer.cpp::resizePhysical::140] Error Code 2: OutOfMemory (no "
     "further information)"},
    {"TensorRtRequested", "cuda_oom", code(1),
     "[TRT] [E] Requested amount of GPU memory (8589934592 bytes) could not be allocated. There "
     "may not be enough free memory for allocation to succeed.",
     k_whole_log},
    {"NoKvCache", "cuda_oom", code(1),
     "ValueError: No available memory for the cache blocks. Try increasing "
     "`gpu_memory_utilization` when initializing the engine.",
     k_whole_log},
    {"SmallKvCache", "cuda_oom", code(1),
     "ValueError: To serve at least one request with the models's max seq len (131072), (16.00 GiB "
     "KV cache is needed, which is larger than the available KV cache memory (5.67 GiB).",
     k_whole_log},
    {"OomKilled", "host_oom", oom(-1, SIGKILL), "building layer 12\n", ""},
    {"OomKilledWorker", "host_oom", oom(1, 0), "worker died unexpectedly\n", ""},
    {"OomKilledBelowAShell", "host_oom", oom(137, 0),
     "run.sh: line 3: 12345 Killed                  python3 build.py\n", ""},
    {"SlurmOom", "host_oom", code(1),
     "slurmstepd: error: Detected 1 oom_kill event in StepId=4242.0. Some of the step tasks have "
     "been OOM Killed.",
     k_whole_log},
    {"KernelOom", "host_oom", code(137),
     "[99.1] Out of memory: Killed process 4242 (trtllm-build) total-vm:90000000kB", k_whole_log},
    {"BadAlloc", "host_oom", signalled(SIGABRT),
     "terminate called after throwing an instance of 'std::bad_alloc'", k_whole_log},
    {"BadAllocSaid", "host_oom", code(1), "error: std::bad_alloc", k_whole_log},
    {"MemoryError", "host_oom", code(1),
     "Traceback (most recent call last):\n"
     "  File \"convert.py\", line 7, in <module>\n"
     "MemoryError\n",
     "MemoryError"},
    {"NumpyMemoryError", "host_oom", code(1),
     "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 96.0 GiB for an array",
     k_whole_log},
    {"TorchOnTheHost", "host_oom", code(1),
     "RuntimeError: [enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't "
     "allocate memory: you tried to allocate 8589934592 bytes.",
     k_whole_log},
    {"CannotAllocate", "host_oom", code(1), "OSError: [Errno 12] Cannot allocate memory",
     k_whole_log},
    {"CannotFork", "host_oom", code(1), "run.sh: fork: Cannot allocate memory", k_whole_log},
    {"ShmOfTorch", "shm_full", code(1),
     "RuntimeError: DataLoader worker (pid 512) is killed by signal: Bus error. It is possible "
     "that dataloader's workers are out of shared memory.\n"
     "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient "
     "shared memory (shm).\n",
     "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient "
     "shared memory (shm)."},
    {"ShmOfNccl", "shm_full", code(1),
     "node:81:97 NCCL WARN Error: failed to extend /dev/shm/nccl-ILZ2Dn to 33030532 bytes, error: "
     "No space left on device (28)",
     k_whole_log},
    {"ShmOfTriton", "shm_full", code(1),
     "Unable to initialize shared memory key 'o12/triton_python_backend_shm_region_1' to requested "
     "size (1048576 bytes).",
     k_whole_log},
    {"Enospc", "disk_full", code(1),
     "Fetching 8 files:  38%\n"
     "OSError: [Errno 28] No space left on device: '/cache/models/model-00003.safetensors'\n",
     "OSError: [Errno 28] No space left on device: '/cache/models/model-00003.safetensors'"},
    {"DiskSpace", "disk_full", code(1),
     "Not enough free disk space to download the file. The expected file size is: 4976.70 MB.",
     k_whole_log},
    {"Edquot", "disk_quota", code(1),
     "cp: error writing 'engine/rank0.engine': Disk quota exceeded", k_whole_log},
    {"ReadOnly", "read_only", code(1), "OSError: [Errno 30] Read-only file system: '/data/out'",
     k_whole_log},
    {"Eio", "io_error", code(1), "dd: error reading 'model.bin': Input/output error", k_whole_log},
    {"Emfile", "too_many_files", code(1),
     "OSError: [Errno 24] Too many open files: '/proc/meminfo'", k_whole_log},
    {"LockOfPythonBackend", "python_backend_lock", signalled(6),
     "terminate called after throwing an instance of 'boost::interprocess::lock_exception'",
     k_whole_log},
    {"PortTaken", "port_in_use", code(1), "OSError: [Errno 98] Address already in use",
     k_whole_log},
    {"PortTakenOfNode", "port_in_use", code(1), "Error: listen EADDRINUSE :::8000", k_whole_log},
    {"PortTakenOfTriton", "port_in_use", code(1),
     "I0611 server.cc:674] started\n"
     "failed to start HTTP service: Unavailable - Socket '0.0.0.0:8000' already in use\n",
     "failed to start HTTP service: Unavailable - Socket '0.0.0.0:8000' already in use"},
    {"PortTakenOfUvicorn", "port_in_use", code(1),
     "ERROR:    [Errno 13] error while attempting to bind on address ('127.0.0.1', 80): permission "
     "denied",
     k_whole_log},
    {"NodeFailure", "node_lost", code(1),
     "slurmstepd: error: *** JOB 77 ON gpu04 CANCELLED AT 2026-05-01T10:00:00 DUE TO NODE FAILURE, "
     "SEE SLURMCTLD LOG FOR DETAILS ***",
     k_whole_log},
    {"Preempted", "node_lost", signalled(SIGTERM),
     "slurmstepd: error: *** STEP 77.0 ON gpu04 CANCELLED AT 2026-05-01T10:00:00 DUE TO PREEMPTION "
     "***",
     k_whole_log},
    {"TimeLimit", "timeout", signalled(SIGTERM),
     "slurmstepd: error: *** JOB 77 ON gpu04 CANCELLED AT 2026-05-01T10:00:00 DUE TO TIME LIMIT "
     "***",
     k_whole_log},
    {"Orte", "mpi_lost", code(1),
     "--------------------\n"
     "ORTE has lost communication with a remote daemon.\n"
     "\n"
     "  HNP daemon   : [[64112,0],0] on node a\n",
     "ORTE has lost communication with a remote daemon."},
    {"ToolMismatch", "tool_mismatch", code(1),
     "environment.py: tool mismatch: this machine has TensorRT-LLM 0.16.0 and trtllm_version is "
     "0.14.0; set trtllm_version: 0.16.0, or use an installation of 0.14.0",
     k_whole_log},
    {"EngineVersion", "engine_mismatch", code(1),
     "[TensorRT-LLM][ERROR] IRuntime::deserializeCudaEngine: Error Code 1: Serialization "
     "(Serialization assertion stdVersionRead == kSERIALIZATION_VERSION failed.Version tag does "
     "not match. Note: Current Version: 228, Serialized Engine Version: 237)",
     k_whole_log},
    {"EnginePlan", "engine_mismatch", code(1),
     "[TRT] [E] 6: The engine plan file is not compatible with this version of TensorRT, expecting "
     "library version 10.3.0 got 10.1.0",
     k_whole_log},
    {"EngineDevice", "engine_mismatch", code(1),
     "[TRT] [E] The engine plan file is generated on an incompatible device, expecting compute 9.0 "
     "got compute 8.9, please rebuild.",
     k_whole_log},
    {"EngineDeserialize", "engine_mismatch", code(1),
     "[TRT] [E] 4: [runtime.cpp::deserializeCudaEngine::66] Error Code 4: Internal Error (Engine "
     "deserialization failed.)",
     k_whole_log},
    {"EngineOfTrtLlm", "engine_mismatch", code(1),
     "[TensorRT-LLM][ERROR] Assertion failed: Failed to deserialize cuda engine. "
     "(/src/tllmRuntime.cpp:94)",
     k_whole_log},
    {"TritonBackend", "backend_missing", code(1),
     "E0611 model_lifecycle.cc:654] failed to load 'm' version 1: Invalid argument: unable to find "
     "backend library for backend 'openvino', try specifying runtime\n"
     "error: creating server: Internal - failed to load all models\n",
     "E0611 model_lifecycle.cc:654] failed to load 'm' version 1: Invalid argument: unable to find "
     "backend library for backend 'openvino', try specifying runtime"},
    {"TritonLibrary", "backend_missing", code(1),
     "Not found: unable to find shared library 'libtriton_python.so' for backend", k_whole_log},
    {"SharedLibrary", "missing_library", code(127),
     "tritonserver: error while loading shared libraries: libb64.so.0d: cannot open shared object "
     "file: No such file or directory",
     k_whole_log},
    {"LibraryOfPython", "missing_library", code(1),
     "ImportError: libnvinfer.so.10: cannot open shared object file: No such file or directory",
     k_whole_log},
    {"Module", "missing_module", code(1),
     "Traceback (most recent call last):\n"
     "  File \"convert_checkpoint.py\", line 3, in <module>\n"
     "ModuleNotFoundError: No module named 'tensorrt_llm'\n",
     "ModuleNotFoundError: No module named 'tensorrt_llm'"},
    {"Architecture", "unsupported", code(1),
     "ValueError: Model architectures ['FooForCausalLM'] are not supported for now. Supported "
     "architectures: dict_keys([",
     k_whole_log},
    {"ArchitectureOfTransformers", "unsupported", code(1),
     "ValueError: The checkpoint you are trying to load has model type `qwen9` but Transformers "
     "does not recognize this architecture.",
     k_whole_log},
    {"ArchitectureOfLlamaCpp", "unsupported", code(1),
     "llama_model_load: error loading model: error loading model architecture: unknown model "
     "architecture: 'foo'",
     k_whole_log},
    {"Quantization", "unsupported", code(1),
     "ValueError: Unknown quantization method: fp3. Must be one of ['aqlm', 'awq']", k_whole_log},
    {"QuantizationOfTheGpu", "unsupported", code(1),
     "ValueError: The quantization method fp8 is not supported for the current GPU. Minimum "
     "capability: 89. Current capability: 80.",
     k_whole_log},
    {"KernelImage", "unsupported", code(1),
     "RuntimeError: CUDA error: no kernel image is available for execution on the device",
     k_whole_log},
    {"Bfloat16", "unsupported", code(1),
     "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your "
     "Tesla T4 GPU has compute capability 7.5.",
     k_whole_log},
    {"Argparse", "bad_argument", code(2),
     "usage: trtllm-build [-h] [--checkpoint_dir CHECKPOINT_DIR]\n"
     "trtllm-build: error: unrecognized arguments: --max_ouput_len 64\n",
     "trtllm-build: error: unrecognized arguments: --max_ouput_len 64"},
    {"ArgparseChoice", "bad_argument", code(2),
     "vllm: error: argument --dtype: invalid choice: 'fp9' (choose from 'auto', 'half')",
     k_whole_log},
    {"Getopt", "bad_argument", code(1),
     "tritonserver: unrecognized option '--model-repo=/m'\n"
     "Usage: tritonserver [options]\n",
     "tritonserver: unrecognized option '--model-repo=/m'"},
    {"Slots", "bad_argument", code(1),
     "--------------------\n"
     "There are not enough slots available in the system to satisfy the 8\n"
     "slots that were requested by the application:\n",
     "There are not enough slots available in the system to satisfy the 8"},
    {"MpirunAsRoot", "bad_argument", code(1),
     "mpirun has detected an attempt to run as root.\n"
     "Running as root is *strongly* discouraged\n",
     "mpirun has detected an attempt to run as root."},
    {"IllegalAccess", "cuda_error", code(1),
     "RuntimeError: CUDA error: an illegal memory access was encountered\n"
     "NCCL error in: ../ProcessGroupNCCL.cpp:1970\n",
     "RuntimeError: CUDA error: an illegal memory access was encountered"},
    {"DeviceAssert", "cuda_error", code(1),
     "RuntimeError: CUDA error: device-side assert triggered", k_whole_log},
    {"LaunchFailure", "cuda_error", code(1), "RuntimeError: CUDA error: unspecified launch failure",
     k_whole_log},
    {"Misaligned", "cuda_error", code(1),
     "[TensorRT-LLM][ERROR] CUDA runtime error in cudaStreamSynchronize(s): misaligned address",
     k_whole_log},
    {"Gated", "forbidden", code(1),
     "huggingface_hub.errors.GatedRepoError: 401 Client Error. (Request ID: Root=1-66)\n"
     "\n"
     "Cannot access gated repo for url "
     "https://huggingface.co/meta-llama/Meta-Llama-3-8B/resolve/main/config.json.\n",
     "Cannot access gated repo for url "
     "https://huggingface.co/meta-llama/Meta-Llama-3-8B/resolve/main/config.json."},
    {"Status401", "unauthorized", code(1),
     "requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: "
     "https://hub/api/models/x",
     k_whole_log},
    {"Status403", "forbidden", code(1),
     "requests.exceptions.HTTPError: 403 Client Error: Forbidden for url: https://hub/x",
     k_whole_log},
    {"Revision", "not_found", code(1),
     "huggingface_hub.errors.RevisionNotFoundError: 404 Client Error. (Request ID: Root=1-66)",
     k_whole_log},
    {"Status404", "not_found", code(1), "curl: (22) The requested URL returned error: 404",
     k_whole_log},
    {"Status429", "rate_limited", code(1),
     "requests.exceptions.HTTPError: 429 Client Error: Too Many Requests for url: "
     "https://huggingface.co/meta-llama/x/resolve/main/config.json",
     k_whole_log},
    {"Status503", "server_error", code(1),
     "huggingface_hub.errors.HfHubHTTPError: 503 Server Error: Service Temporarily Unavailable for "
     "url: https://hub/x",
     k_whole_log},
    {"Status502OfCurl", "server_error", code(22),
     "curl: (22) The requested URL returned error: 502", k_whole_log},
    {"PipHashes", "checksum_mismatch", code(1),
     "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", k_whole_log},
    {"Checksum", "checksum_mismatch", code(1),
     "OSError: Consistency check failed: file should be of size 4976698672 but has size 1048576 "
     "(model.safetensors).",
     k_whole_log},
    {"Dns", "dns_failure", code(1),
     "urllib3.exceptions.NameResolutionError: <HTTPSConnection>: Failed to resolve "
     "'huggingface.co' ([Errno -3] Temporary failure in name resolution)",
     k_whole_log},
    {"DnsOfCurl", "dns_failure", code(6), "curl: (6) Could not resolve host: huggingface.co",
     k_whole_log},
    {"Tls", "tls_certificate", code(1),
     "ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: "
     "self-signed certificate in certificate chain",
     k_whole_log},
    {"ReadTimeout", "download_timeout", code(1),
     "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='hub', port=443): Read timed out. "
     "(read timeout=10)",
     k_whole_log},
    {"FirstRequestRefused", "request_refused", code(2),
     "orchestrate bench: http://127.0.0.1:20000 refused the first request: HTTP 404: no such "
     "model; check --url\n",
     "orchestrate bench: http://127.0.0.1:20000 refused the first request: HTTP 404: no such "
     "model; check --url"},
    {"FirstRequestUnanswered", "connection_failed", code(1),
     "orchestrate bench: http://127.0.0.1:20000 did not answer the first request: the server "
     "closed the connection without an answer\n",
     "orchestrate bench: http://127.0.0.1:20000 did not answer the first request: the server "
     "closed the connection without an answer"},
    {"Reset", "connection_failed", code(1),
     "ConnectionResetError: [Errno 104] Connection reset by peer", k_whole_log},
    {"Refused", "connection_failed", code(7),
     "curl: (7) Failed to connect to 10.0.0.7 port 443: Connection refused", k_whole_log},
    {"Cut", "connection_failed", code(1),
     "urllib3.exceptions.ProtocolError: ('Connection broken: IncompleteRead(1024 bytes read, 4096 "
     "more expected)')",
     k_whole_log},
    {"SslCut", "connection_failed", code(1),
     "ssl.SSLEOFError: [SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol "
     "(_ssl.c:1007)",
     k_whole_log},
    {"NcclTimeout", "nccl_timeout", signalled(SIGABRT),
     "[rank0]:[E] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, "
     "OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600029 milliseconds before timing out.",
     k_whole_log},
    {"Nccl", "nccl_error", code(1),
     "torch.distributed.DistBackendError: NCCL error in: ../ProcessGroupNCCL.cpp:1970, unhandled "
     "system error, NCCL version 2.20.5\n"
     "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device "
     "error.\n",
     "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device "
     "error."},
    {"NcclOfTrtLlm", "nccl_error", code(1),
     "Failed, NCCL error /src/ncclUtils.cpp:42 'unhandled system error (run with NCCL_DEBUG=INFO "
     "for details)'",
     k_whole_log},
    {"TritonAllModels", "model_load_failed", code(1),
     "I0611 server.cc:267] Timeout 29: Found 0 live models\n"
     "error: creating server: Internal - failed to load all models\n",
     "error: creating server: Internal - failed to load all models"},
    {"TritonOneModel", "model_load_failed", code(1),
     "E0611 model_lifecycle.cc:654] failed to load 'ensemble' version 1: Internal: unexpected "
     "error",
     k_whole_log},
    {"TrtLlmBuild", "assertion", code(1),
     "Traceback (most recent call last):\n"
     "  File \"/usr/local/bin/trtllm-build\", line 8, in <module>\n"
     "AssertionError: max_num_tokens (8192) should not be greater than max_seq_len * "
     "max_batch_size\n",
     "AssertionError: max_num_tokens (8192) should not be greater than max_seq_len * "
     "max_batch_size"},
    {"TrtLlmAssertion", "assertion", signalled(SIGABRT),
     "[TensorRT-LLM][ERROR] [TensorRT-LLM][ERROR] Assertion failed: mpiSize == tp * pp "
     "(/src/worldConfig.cpp:90)",
     k_whole_log},
    {"CAssertion", "assertion", signalled(SIGABRT),
     "python: engine.cpp:1104: bool deserialize(): Assertion `size >= bsize' failed.", k_whole_log},
    {"MpiAbort", "mpi_abort", code(1),
     "--------------------\n"
     "MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD\n"
     "with errorcode 1.\n",
     "MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD"},
    {"Sglang", "crashed", signalled(SIGKILL),
     "Received sigquit from a child process. It usually means the child failed.", k_whole_log},
    {"SigKill", "killed_externally", signalled(SIGKILL),
     "epoch 3\n"
     "epoch 4\n",
     ""},
    {"SigTerm", "killed_externally", signalled(SIGTERM),
     "epoch 3\n"
     "epoch 4\n",
     ""},
    {"SigInt", "killed_externally", signalled(SIGINT),
     "epoch 3\n"
     "epoch 4\n",
     ""},
    {"SigHup", "killed_externally", signalled(SIGHUP),
     "epoch 3\n"
     "epoch 4\n",
     ""},
    {"ExitOfSigkill", "killed_externally", code(137),
     "run.sh: line 3: 12345 Killed                  python3 build.py\n", ""},
    {"ExitOfSigterm", "killed_externally", code(143), "Terminated\n", ""},
    {"Sigbus", "bus_error", signalled(SIGBUS), "", ""},
    {"ExitOfSigbus", "bus_error", code(135), "Bus error (core dumped)\n", ""},
    {"Sigill", "illegal_instruction", signalled(SIGILL), "", ""},
    {"ExitOfSigill", "illegal_instruction", code(132), "Illegal instruction (core dumped)\n", ""},
    {"Sigsegv", "crashed", signalled(SIGSEGV),
     "Signal (11) received.\n"
     " 0# 0x0000561F in tritonserver\n",
     ""},
    {"ExitOfSigsegv", "crashed", code(139), "Segmentation fault (core dumped)\n", ""},
    {"Sigabrt", "crashed", signalled(SIGABRT),
     "terminate called after throwing an instance of 'std::runtime_error'\n", ""},
    {"ExitOfSigabrt", "crashed", code(134), "Aborted (core dumped)\n", ""},
    {"Sigfpe", "crashed", signalled(SIGFPE), "", ""},
    {"NoProgram", "missing_program", code(127), "run.sh: line 2: trtllm-build: command not found\n",
     ""},
    {"NotExecutable", "missing_program", code(126),
     "run.sh: line 2: ./tool: cannot execute: required file not found\n", ""},
    {"Permission", "permission_denied", code(1),
     "PermissionError: [Errno 13] Permission denied: '/cache/token'", k_whole_log},
    {"NotA404", "exit_status", code(1),
     "served 404 requests in 12 s\n"
     "mean 404.2 ms\n",
     ""},
    {"NotA429", "exit_status", code(1),
     "throughput 429 tokens/s, 503 requests, 5xx: 0, batch 500\n", ""},
    {"NotOutOfMemory", "exit_status", code(1),
     "  --oom-policy {stop,shrink}  what to do when the GPU runs out of memory (default: stop)\n"
     "see \"Dealing with out of memory\" in the manual\n",
     ""},
    {"NotAHostOom", "exit_status", code(1),
     "INFO memory_error_rate=0; MemoryErrorHandler installed\n", ""},
    {"NotEcc", "exit_status", code(1),
     "Volatile Uncorr. ECC: 0\n"
     "ECC errors: none\n",
     ""},
    {"NotXid", "exit_status", code(1), "xid 4711 committed\n", ""},
    {"NotAModule", "exit_status", code(1),
     "handled ImportError: optional module 'flash_attn' is not used\n", ""},
    {"NotAnAssertion", "exit_status", code(1),
     "assert_valid ok; AssertionErrors are listed below: none\n", ""},
    {"NotAnArgument", "exit_status", code(1), "[1/7] error: argument count 3 is unusual\n", ""},
    {"NotArgparseWithoutItsStatus", "exit_status", code(1),
     "tool: error: unrecognized arguments: --x\n", ""},
    {"NotATimeout", "exit_status", code(1),
     "timeout set to 600 s; read timeout is 10 s; connection timeout is 5 s\n", ""},
    {"NotDisk", "exit_status", code(1), "disk space: 4 TiB free, quota not exceeded\n", ""},
    {"NotNccl", "exit_status", code(1),
     "NCCL version 2.20.5+cuda12.4\n"
     "NCCL INFO NET/Socket : Using [0]eth0\n",
     ""},
    {"NotAPort", "exit_status", code(1), "port 8000 is used for HTTP, already configured\n", ""},
    {"NotMpi", "exit_status", code(1), "MPI size: 8, rank: 0; will call MPI_Abort on errors\n", ""},
    {"NotKilled", "exit_status", code(1), "0 requests killed, Killed: 0\n", ""},
    {"PlainFailure", "exit_status", code(1),
     "step 3 of 7\n"
     "something went wrong\n",
     ""},
    {"Empty", "exit_status", code(1), "", ""},
    // Two tritonservers under mpirun, on a machine without a GPU.
    {"RankKilled", "killed_externally", code(128 + SIGKILL),
     "W1121 09:29:38.843413 22525 pinned_memory_manager.cc:273] \"Unable to allocate pinned system "
     "memory, pinned memory pool will not be available: CUDA driver version is insufficient for "
     "CUDA runtime version\"\n"
     "I1121 09:29:39.266782 22525 http_server.cc:362] \"Started Metrics Service at "
     "127.0.0.1:20002\"\n"
     "Primary job  terminated normally, but 1 process returned\n"
     "a non-zero exit code. Per user-direction, the job has been aborted.\n"
     "I1121 09:29:39.455599 22540 pb_stub.cc:2145]  Non-graceful termination detected. \n"
     "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).\n",
     ""},
    {"RankAborted", "crashed", code(128 + SIGABRT),
     "W1121 09:29:38.843413 22525 pinned_memory_manager.cc:273] \"Unable to allocate pinned system "
     "memory, pinned memory pool will not be available: CUDA driver version is insufficient for "
     "CUDA runtime version\"\n"
     "I1121 09:29:39.266782 22525 http_server.cc:362] \"Started Metrics Service at "
     "127.0.0.1:20002\"\n"
     "Primary job  terminated normally, but 1 process returned\n"
     "a non-zero exit code. Per user-direction, the job has been aborted.\n"
     "I1121 09:29:39.455599 22540 pb_stub.cc:2145]  Non-graceful termination detected. \n"
     "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 6 (Aborted).\n",
     ""},
};

}  // namespace orch::attempt
