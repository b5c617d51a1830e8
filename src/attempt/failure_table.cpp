#include "attempt/failure_table.hpp"

#include "attempt/failure.hpp"

#include <algorithm>
#include <csignal>

namespace orch::attempt {

namespace {

constexpr auto k_system = FailureKind::system;
constexpr auto k_harness = FailureKind::harness;

// What no second try would change is the system's, also where it is nobody's fault: such a row is
// never retried.
constexpr FailureClass k_classes[] = {
    // Read from what a process left.
    {"cuda_oom", k_system,
     "The GPU had not enough memory. Lower the batch size, the sequence length or the share of "
     "memory, or use more GPUs."},
    {"host_oom", k_system,
     "The machine had not enough memory, or a limit on it was reached. Lower what the stage needs, "
     "or raise the limit."},
    {"dirty_gpu", k_harness,
     "Someone else held memory of the GPU when it was to be used. Free it; the stage is tried "
     "again."},
    {"gpu_fault", k_harness,
     "The GPU or a link of it failed (Xid, ECC, NVLink). See `dmesg` and `nvidia-smi -q`; reset "
     "the GPU or take it out."},
    {"gpu_missing", k_harness,
     "No GPU could be used, or the driver did not answer. See whether `nvidia-smi` works as this "
     "user."},
    {"cuda_driver", k_system,
     "The GPU's driver is older than what the program was built for. Update the driver, or use an "
     "older program."},
    {"cuda_error", k_system,
     "A kernel on the GPU failed (illegal memory access, assertion on the device). A bug of the "
     "program or of its kernels."},
    {"nccl_error", k_harness,
     "Communication between GPUs failed. Where another rank failed first, its reason is in the "
     "log; else look at the links."},
    {"nccl_timeout", k_harness,
     "GPUs waited for each other in vain. Where another rank failed first, its reason is in the "
     "log; else look at the links."},
    {"mpi_abort", k_system, "A rank of an MPI job ended the job. Its reason is in the log."},
    {"mpi_lost", k_harness,
     "An MPI job lost a node or a daemon of it. See whether the node lives and can be reached."},
    {"node_lost", k_harness,
     "The cluster lost the node or took it away (node failure, preemption)."},
    {"unauthorized", k_system,
     "A server wanted to know who asks (401). Set a token that is valid, for Hugging Face "
     "HF_TOKEN."},
    {"forbidden", k_system,
     "A server refused (403), for example a gated model. Ask for access with the account whose "
     "token is used."},
    {"not_found", k_system,
     "A server does not have it (404). Look at the name and at the revision."},
    {"rate_limited", k_harness,
     "A server asked to come back later (429). It is obeyed; a token often raises the limit."},
    {"server_error", k_harness, "A server failed (5xx). It is asked again after a while."},
    {"dns_failure", k_harness,
     "A name could not be looked up. Look at the machine's network and its resolver."},
    {"connection_failed", k_harness,
     "A connection was refused, reset or cut. Look at the network, at the proxy and at the other "
     "side."},
    {"tls_certificate", k_system,
     "A server's certificate is not trusted. Look at the machine's clock, its certificates and the "
     "proxy."},
    {"download_timeout", k_harness,
     "A server did not answer in time. It is asked again after a while."},
    {"checksum_mismatch", k_harness,
     "What arrived is not what was sent. It is fetched again; if it stays so, look at the disk and "
     "at caches."},
    {"disk_full", k_harness, "No space was left. Free some and run the same command again."},
    {"disk_quota", k_harness,
     "The quota of this user or project is used up. Free some space and run the same command "
     "again."},
    {"io_error", k_harness, "The disk or the file system failed. See `dmesg`."},
    {"read_only", k_harness,
     "A file system cannot be written to; after an error the kernel mounts it so. See `dmesg`."},
    {"too_many_files", k_harness, "The limit on open files was reached. Raise `ulimit -n`."},
    {"shm_full", k_harness, "/dev/shm is full. Remove what lies there, or make it larger."},
    {"port_in_use", k_harness,
     "Someone else took the port first. The stage is tried again with another one."},
    {"killed_externally", k_harness,
     "Someone outside ended it, not for want of memory: a person, a scheduler, or the death of its "
     "guardian."},
    {"abandoned", k_harness,
     "No orchestrator came back within the grace period, so its guardian ended it."},
    {"crashed", k_system,
     "The program crashed (segmentation fault, abort). A bug of the program or of a library."},
    {"bus_error", k_harness,
     "The program used memory that nothing stands behind: /dev/shm or the disk is full, or a "
     "mapped file was cut."},
    {"illegal_instruction", k_system,
     "The program uses instructions that this processor does not have. Use a build for it."},
    {"model_load_failed", k_system,
     "The server could not load a model. The reason stands before that line in the log."},
    {"backend_missing", k_system,
     "The server has no library for the model's backend. Install the backend, or look at the "
     "backend's folder."},
    {"engine_mismatch", k_system,
     "An engine was built by another version or for another GPU. Build it with the versions that "
     "serve it."},
    {"unsupported", k_system,
     "The program does not know this architecture, quantization or GPU. Use another version or "
     "another model."},
    {"assertion", k_system,
     "The program found its own assumption wrong, often a combination of parameters that it does "
     "not allow."},
    {"missing_module", k_system,
     "A Python module is missing or broken. Install it into the environment that the stage uses."},
    {"missing_library", k_system,
     "A shared library is missing. Install it, or look at LD_LIBRARY_PATH."},
    {"missing_program", k_system,
     "A program was not found or cannot be run. Install it, or look at PATH."},
    {"permission_denied", k_system, "A file may not be read or written by this user."},
    {"bad_argument", k_system,
     "The program does not accept an argument of its command line. Look at the manifest and at the "
     "program's version."},
    {"exit_status", k_system,
     "The program ended with an exit status other than 0, and no known reason is in its log."},
    // Decided by us.
    {"timeout", k_system,
     "It did not end in the time that the stage has. Raise `timeout_s` in the manifest if it needs "
     "more."},
    {"not_ready", k_system,
     "The server lived but did not become ready in time, or answered its smoke request wrongly."},
    {"died_starting", k_system,
     "The server ended before it was ready, and no known reason is in its log."},
    {"server_crash", k_system,
     "The server ended while it was measured, and no known reason is in its log."},
    {"output_missing", k_system,
     "The program ended well, but an output that the manifest declares is missing, empty or no "
     "plain file."},
    {"tool_mismatch", k_system,
     "A tool's version is not the one that the manifest declares. Install that version, or declare "
     "the other."},
    {"invalid_measurement", k_harness,
     "The measurement was made, but does not count; its reasons are listed with it."},
    {"cannot_prepare", k_harness, "The attempt's folder could not be laid out."},
    {"cannot_start", k_harness, "The process could not be started."},
    {"cannot_watch", k_harness,
     "No thread could be had to watch the server with. Raise `ulimit -u`, or what the service or "
     "container may have of tasks."},
    {"cannot_publish", k_harness, "The outputs could not be moved to where others read them."},
    {"no_ports", k_harness, "No free port was found."},
    {"lost", k_harness,
     "The orchestrator died, and nobody can say how this attempt ended. It is made again."},
    {"interrupted", k_harness,
     "It was ended because the run was, or because nobody waited for it any more."},
};

// The order is the priority: neither the first nor the last line of a log is the cause. What fails
// drags others along, and their lines come after its own (out of memory, then NCCL, then
// MPI_ABORT); what was survived stands before (a download that was tried again). So causes stand
// above what they cause, and what is survived often stands below everything else. Texts of causes
// stand above signals, because servers end themselves by signal when a part of theirs fails.
constexpr Cause k_causes[] = {
    {.failure = "abandoned", .abandoned = true},
    {.failure = "killed_externally", .guardian_lost = true},
    // Hardware, before the errors of those who use it.
    {.failure = "gpu_fault", .pattern = "nvrm: xid \\("},
    {.failure = "gpu_fault", .text = "gpu has fallen off the bus"},
    {.failure = "gpu_fault", .text = "uncorrectable ecc error"},
    {.failure = "gpu_fault", .text = "cuda_error_ecc_uncorrectable"},
    {.failure = "gpu_fault", .text = "uncorrectable nvlink error"},
    {.failure = "gpu_fault", .text = "cuda_error_nvlink_uncorrectable"},
    {.failure = "gpu_fault", .text = "nvlink: fatal error detected on link"},
    {.failure = "gpu_missing",
     .text = "system not yet initialized"},  // NVSwitch without its fabric manager
    {.failure = "gpu_missing", .text = "no cuda-capable device is detected"},
    {.failure = "gpu_missing", .text = "found no nvidia driver on your system"},
    {.failure = "gpu_missing", .text = "all cuda-capable devices are busy or unavailable"},
    // Programs that can do without a GPU say the rest of these at every start: only an error that
    // ended them counts.
    {.failure = "gpu_missing",
     .pattern = "(error|exception|abort|fatal)\\w*:? .*failed to initialize nvml"},
    {.failure = "cuda_driver",
     .pattern = "(error|exception|abort|what\\(\\)|fatal)\\w*:? .*cuda driver version is "
                "insufficient for cuda runtime version"},
    {.failure = "cuda_driver", .text = "the nvidia driver on your system is too old"},
    {.failure = "cuda_driver", .text = "provided ptx was compiled with an unsupported toolchain"},
    {.failure = "cuda_driver", .text = "forward compatibility was attempted on non supported hw"},
    // Memory of the GPU.
    {.failure = "dirty_gpu",
     .pattern = "free memory on device .*on startup is less than desired gpu memory utilization"},
    {.failure = "cuda_oom", .text = "cuda out of memory. tried to allocate"},
    {.failure = "cuda_oom", .text = "torch.outofmemoryerror"},
    {.failure = "cuda_oom", .text = "torch.cuda.outofmemoryerror"},
    {.failure = "cuda_oom", .text = "cuda error: out of memory"},
    {.failure = "cuda_oom", .text = "cuda_error_out_of_memory"},
    {.failure = "cuda_oom", .text = "cudaerrormemoryallocation"},
    {.failure = "cuda_oom", .pattern = "cudamalloc\\w*( failed)?: out of memory"},
    {.failure = "cuda_oom", .pattern = "cuda runtime error in .*: out of memory"},
    {.failure = "cuda_oom", .pattern = "error code 2: out ?of ?memory"},
    {.failure = "cuda_oom", .text = "requested amount of gpu memory ("},
    {.failure = "cuda_oom", .text = "no available memory for the cache blocks"},
    {.failure = "cuda_oom", .text = "larger than the available kv cache memory"},
    // Memory of the host.
    {.failure = "host_oom", .oom_killed = true},
    {.failure = "host_oom", .pattern = "detected \\d+ oom[_-]kill event"},
    {.failure = "host_oom", .pattern = "out of memory: killed process \\d+"},
    {.failure = "host_oom",
     .text = "terminate called after throwing an instance of 'std::bad_alloc'"},
    {.failure = "host_oom", .pattern = "(what\\(\\):|error:) +std::bad_alloc"},
    {.failure = "host_oom", .pattern = "^(numpy\\.\\S*_array)?memoryerror(:|$)"},
    {.failure = "host_oom", .text = "defaultcpuallocator: can't allocate memory"},
    {.failure = "host_oom", .text = "[errno 12] cannot allocate memory"},
    {.failure = "host_oom", .text = "fork: cannot allocate memory"},
    // Disks, ports, limits.
    {.failure = "shm_full",
     .pattern = "insufficient shared memory \\(shm\\)|no space left on device:? "
                ".*/dev/shm/|/dev/shm/.*no space left on device"},
    {.failure = "shm_full", .text = "unable to initialize shared memory key"},
    {.failure = "disk_full", .text = "no space left on device"},
    {.failure = "disk_full", .pattern = "\\bnot enough (free )?disk space"},
    {.failure = "disk_quota", .text = "disk quota exceeded"},
    {.failure = "read_only", .text = "read-only file system"},
    {.failure = "io_error",
     .pattern =
         "(\\[errno 5\\]|: |os error 5.*)input/output error|input/output error \\(os error 5\\)"},
    {.failure = "too_many_files", .text = "too many open files"},
    {.failure = "port_in_use", .text = "address already in use"},
    {.failure = "port_in_use", .text = "eaddrinuse"},
    {.failure = "port_in_use", .pattern = "socket '[^']*' already in use"},
    {.failure = "port_in_use", .text = "error while attempting to bind on address"},
    {.failure = "node_lost", .pattern = "\\bdue to (node failure|preemption)\\b"},
    {.failure = "timeout", .text = "due to time limit"},
    {.failure = "mpi_lost",
     .pattern = "\\b(orte|prte) has lost communication with a remote daemon"},
    // What does not fit together.
    {.failure = "tool_mismatch",
     .pattern = "^\\S+\\.py: tool mismatch: "},  // as scripts of runners say it
    {.failure = "engine_mismatch", .text = "version tag does not match. note: current version"},
    {.failure = "engine_mismatch",
     .text = "engine plan file is not compatible with this version of tensorrt"},
    {.failure = "engine_mismatch",
     .text = "engine plan file is generated on an incompatible device"},
    {.failure = "engine_mismatch", .text = "engine deserialization failed"},
    {.failure = "engine_mismatch", .text = "failed to deserialize cuda engine"},
    {.failure = "backend_missing", .text = "unable to find backend library for backend"},
    {.failure = "backend_missing", .pattern = "unable to find shared library '?libtriton_"},
    {.failure = "missing_library", .text = "error while loading shared libraries"},
    {.failure = "missing_library",
     .pattern = "\\blib\\S+: cannot open shared object file: no such file"},
    {.failure = "missing_module", .pattern = "^\\W*(modulenotfounderror|importerror): "},
    {.failure = "unsupported", .pattern = "model architectures? \\[.*\\] (are|is) not supported"},
    {.failure = "unsupported", .text = "but transformers does not recognize this architecture"},
    {.failure = "unsupported", .text = "unknown model architecture: '"},
    {.failure = "unsupported",
     .pattern = "(unknown|unsupported) (quantization method|model architecture|architecture)\\b"},
    {.failure = "unsupported", .pattern = "the quantization method \\S+ is not supported"},
    {.failure = "unsupported", .text = "no kernel image is available for execution on the device"},
    {.failure = "unsupported",
     .text = "bfloat16 is only supported on gpus with compute capability"},
    {.failure = "bad_argument",
     .pattern = "\\berror: (unrecognized arguments?:|the following arguments are "
                "required:|argument \\S.*: )",
     .code = 2},
    {.failure = "bad_argument", .pattern = "^\\S+: (unrecognized|invalid) option "},
    {.failure = "bad_argument", .text = "there are not enough slots available in the system"},
    {.failure = "bad_argument", .text = "has detected an attempt to run as root"},
    // Kernels, and what servers say when a part of theirs has failed.
    {.failure = "cuda_error", .text = "an illegal memory access was encountered"},
    {.failure = "cuda_error", .text = "device-side assert triggered"},
    {.failure = "cuda_error", .text = "unspecified launch failure"},
    {.failure = "cuda_error", .text = "misaligned address"},
    // Permanent answers of servers. A number alone is no answer: logs are full of them.
    {.failure = "forbidden",
     .pattern = "gatedrepoerror|cannot access gated repo|access to model \\S+ is restricted"},
    {.failure = "unauthorized",
     .pattern = "\\b401 client error|http(/[\\d.]+)? 401\\b|\\bhttp error 401|\\berror: "
                "401\\b|\\b401 unauthorized"},
    {.failure = "forbidden",
     .pattern = "\\b403 client error|http(/[\\d.]+)? 403\\b|\\bhttp error 403|\\berror: "
                "403\\b|\\b403 forbidden"},
    {.failure = "not_found", .pattern = "(repository|revision|(remote|local)?entry)notfounderror"},
    {.failure = "not_found",
     .pattern =
         "\\b404 client error|\\bhttp error 404|returned error: 404\\b|\\berror 404: not found"},
    // The network. Survived more often than not, so below the rest.
    {.failure = "rate_limited",
     .pattern = "\\b429 client error|\\bhttp error 429|returned error: 429\\b|\\b429 too many "
                "requests|we had to rate limit your ip"},
    {.failure = "server_error",
     .pattern = "\\b5\\d\\d server error|\\bhttp error 5\\d\\d|returned error: 5\\d\\d\\b|\\berror "
                "5\\d\\d: (internal|bad gateway|service|gateway)"},
    {.failure = "checksum_mismatch", .text = "do not match the hashes from the requirements file"},
    {.failure = "checksum_mismatch",
     .pattern = "(sha-?256|md5|checksum|hash)( sum)? mismatch|(checksum|hash) (does|did) not "
                "match|consistency check failed: file should be of size"},
    {.failure = "dns_failure",
     .pattern = "temporary failure in name resolution|name or service not known|could not resolve "
                "host|nameresolutionerror|getaddrinfo failed"},
    {.failure = "tls_certificate",
     .pattern = "certificate_verify_failed|certificate verify failed|ssl certificate problem"},
    {.failure = "download_timeout",
     .pattern = "\\b(readtimeout|connecttimeout|readtimeouterror|connecttimeouterror)\\b|curl: "
                "\\(28\\)|\\bconnection timed out\\b"},
    {.failure = "connection_failed",
     .pattern = "connection reset by peer|connection "
                "refused|connectionreseterror|connectionrefusederror|network is unreachable|no "
                "route to host"},
    {.failure = "connection_failed",
     .pattern = "\\bincompleteread\\(|unexpected_eof_while_reading|ssl_error_syscall|tls handshake "
                "timeout|remote end closed connection without response"},
    // Ranks that lost each other: who failed first has been looked for above.
    {.failure = "nccl_timeout",
     .pattern =
         "watchdog caught collective operation timeout|nccl communicator was aborted.*timeout"},
    {.failure = "nccl_error",
     .pattern = "nccl error "
                "in:|ncclsystemerror|ncclremoteerror|ncclinternalerror|ncclunhandledcudaerror|nccl "
                "warn cuda failure"},
    {.failure = "nccl_error", .pattern = "failed, nccl error .*'|nccl operation .* failed:"},
    {.failure = "model_load_failed",
     .text = "creating server: internal - failed to load all models"},
    {.failure = "model_load_failed", .pattern = "failed to load '[^']*' version \\d+:"},
    {.failure = "assertion", .pattern = "^\\W*assertionerror(:|$)"},
    {.failure = "assertion",
     .pattern = "\\[tensorrt-llm\\]\\[error\\] .*assertion failed:|: assertion `.*' failed\\."},
    {.failure = "mpi_abort", .text = "mpi_abort was invoked on rank"},
    {.failure = "crashed",
     .text = "received sigquit from a child process. it usually means the child failed"},
    // How the leader ended, where its log says nothing. Shells and mpirun report a signal as 128
    // and its number.
    {.failure = "killed_externally", .signal = SIGKILL},
    {.failure = "killed_externally", .signal = SIGTERM},
    {.failure = "killed_externally", .signal = SIGINT},
    {.failure = "killed_externally", .signal = SIGHUP},
    {.failure = "killed_externally", .code = 128 + SIGKILL},
    {.failure = "killed_externally", .code = 128 + SIGTERM},
    {.failure = "bus_error", .signal = SIGBUS},
    {.failure = "bus_error", .code = 128 + SIGBUS},
    {.failure = "illegal_instruction", .signal = SIGILL},
    {.failure = "illegal_instruction", .code = 128 + SIGILL},
    {.failure = "crashed", .signal = SIGSEGV},
    {.failure = "crashed", .code = 128 + SIGSEGV},
    {.failure = "crashed", .signal = SIGABRT},
    {.failure = "crashed", .code = 128 + SIGABRT},
    {.failure = "crashed", .signal = SIGFPE},
    {.failure = "missing_program", .code = 127},
    {.failure = "missing_program", .code = 126},
    {.failure = "permission_denied",
     .pattern = "permissionerror: \\[errno 13\\]|: permission denied$"},
};

constexpr bool is_known(std::string_view name) {
  return std::any_of(std::begin(k_classes), std::end(k_classes),
                     [&](const FailureClass& one) { return one.name == name; });
}

static_assert(std::all_of(std::begin(k_causes), std::end(k_causes),
                          [](const Cause& cause) { return is_known(cause.failure); }),
              "a cause names no class");

}  // namespace

std::span<const FailureClass> failure_classes() { return k_classes; }
std::span<const Cause> failure_causes() { return k_causes; }

const FailureClass* find_failure_class(std::string_view name) {
  const auto found = std::find_if(std::begin(k_classes), std::end(k_classes),
                                  [&](const FailureClass& one) { return one.name == name; });
  return found == std::end(k_classes) ? nullptr : found;
}

}  // namespace orch::attempt
