#include "core/base/digest.hpp"
#include "run/attempt/failure.hpp"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

namespace orch::attempt {

namespace {

using Class = FailureClass;

constexpr auto k_system = FailureKind::system, k_harness = FailureKind::harness;
constexpr bool k_vague = true;

// Failures of kind `system` are never retried: a retry cannot fix them.
constexpr FailureTraits k_classes[] = {
    // Derived from the end of a process and its log.
    {Class::cuda_oom, k_system,
     "The GPU ran out of memory. Lower the batch size, the sequence length or the memory fraction, "
     "or use more GPUs."},
    {Class::host_oom, k_system,
     "The host ran out of memory, or a memory limit was reached. Lower the needs of the stage, or "
     "raise the limit: for a Slurm job, it is under `slurm: {resources: ...}` in the site file."},
    {Class::dirty_gpu, k_harness,
     "Another process held memory of the GPU when the stage started. End that process; the stage "
     "is retried."},
    {Class::gpu_fault, k_harness,
     "The GPU or one of its links failed (Xid, ECC, NVLink). See `dmesg` and `nvidia-smi -q`; "
     "reset or replace the GPU."},
    {Class::gpu_missing, k_harness,
     "No GPU is usable, or the driver did not answer. Check that `nvidia-smi` works for this "
     "user."},
    {Class::host_too_small, k_harness,
     "The stage asks for more GPUs, cores, memory or tokens than this host has. Change `resources` "
     "of the stage or the parameters that they read, such as server_memory_gib, or `tokens` of the "
     "site file, or run elsewhere."},
    {Class::cuda_driver, k_system,
     "The GPU driver is older than the program requires. Update the driver, or use an older "
     "version of the program."},
    {Class::cuda_error, k_system,
     "A GPU kernel failed (illegal memory access, device-side assertion). This is a bug in the "
     "program or its kernels: use another version, or leave out the option that its log names."},
    {Class::nccl_error, k_harness,
     "Communication between GPUs failed. If another rank failed first, its reason is in the log; "
     "otherwise check the links."},
    {Class::nccl_timeout, k_harness,
     "A collective operation between GPUs timed out. If another rank failed first, its reason is "
     "in the log; otherwise check the links."},
    {Class::mpi_abort, k_system, "A rank aborted the MPI job. Read its reason in the log.",
     k_vague},
    {Class::mpi_lost, k_harness,
     "An MPI job lost a node or its daemon. Check that the node is up and reachable."},
    {Class::node_lost, k_harness, "The cluster lost or preempted the node; the stage is retried."},
    {Class::job_time_limit, k_system,
     "The cluster ended the job at its time limit. Raise `timeout_s` of the stage, or "
     "`slurm.server_minutes` of the site file for a server."},
    {Class::job_cancelled, k_harness,
     "Somebody else cancelled the job (`scancel`); the stage is retried."},
    {Class::not_placed, k_harness,
     "The cluster did not take the job. The message quotes its reason; correct `slurm` in the site "
     "file, or the `resources` of the stage, and run again."},
    {Class::unauthorized, k_system,
     "A server requires authentication (401). Set a valid token; for Hugging Face that is "
     "HF_TOKEN."},
    {Class::forbidden, k_system,
     "A server denied access (403), for example to a gated model. Request access for the account "
     "of the token."},
    {Class::not_found, k_system,
     "A server does not have the requested resource (404). Check the name and the revision."},
    {Class::rate_limited, k_harness,
     "A server limited the request rate (429). The stage is retried after the requested time; a "
     "token often raises the limit."},
    {Class::server_error, k_harness,
     "A server failed (5xx). The stage is retried with exponential backoff."},
    {Class::dns_failure, k_harness,
     "A host name could not be resolved. Check the network and the DNS settings of this machine."},
    {Class::connection_failed, k_harness,
     "A connection was refused, reset or closed. Check the network, the proxy and the server."},
    {Class::tls_certificate, k_system,
     "The certificate of a server is not trusted. Check the clock, the certificates and the proxy "
     "of this machine."},
    {Class::download_timeout, k_harness,
     "A server did not answer in time. The stage is retried with exponential backoff."},
    {Class::checksum_mismatch, k_harness,
     "A download does not match its checksum. The stage is retried; if it fails again, check the "
     "disk and the caches."},
    {Class::disk_full, k_harness,
     "The disk is full. Free some space and run the same command again."},
    {Class::disk_quota, k_harness,
     "The disk quota of this user or project is used up. Free some space and run the same command "
     "again."},
    {Class::io_error, k_harness,
     "The disk or the file system failed. See `dmesg`, and use another disk for the store."},
    {Class::read_only, k_harness,
     "A file system is read-only. The kernel remounts a file system in this way after an error; "
     "see `dmesg`."},
    {Class::too_many_files, k_harness, "The limit on open files was reached. Raise `ulimit -n`."},
    {Class::file_size_limit, k_harness,
     "A file reached the limit on file sizes (SIGXFSZ, or `File too large`). Raise `ulimit -f`, or "
     "use a file system that allows larger files."},
    {Class::no_access, k_harness,
     "`orchestrate` itself may not read or write a file of the attempt. Check its owner, its mode "
     "and the mount options."},
    {Class::shm_full, k_harness, "/dev/shm is full. Remove unused files from it, or enlarge it."},
    {Class::port_in_use, k_harness,
     "Another process has the port. The stage is retried, with another port unless the matrix pins "
     "it under `ports`; then end that process, or pin another one."},
    {Class::python_backend_lock, k_harness,
     "Triton's Python backend aborted on a lock that it shares with the processes of its models. "
     "It does so at random, mostly on a busy machine; the stage is retried."},
    {Class::container_engine, k_harness,
     "The container engine failed, not what runs in the container: its database was locked, its "
     "monitor died, a mount or a hook did not answer. The stage is retried."},
    {Class::container_unavailable, k_harness,
     "The container engine of this host cannot start the container: its daemon does not answer, or "
     "the image, a mounted folder or a device is gone. The message quotes the engine. Remove the "
     "cause, and run the same command again."},
    {Class::killed_externally, k_harness,
     "A signal from outside ended the attempt: from a user, from a scheduler, or because its "
     "guardian died. Lack of memory was not the reason. The stage is retried."},
    {Class::abandoned, k_harness,
     "No orchestrator came back within the grace period, so the guardian ended the attempt. Run "
     "the same command again; the period is `grace_s` in the site file."},
    {Class::crashed, k_system,
     "The program crashed (segmentation fault, abort). This is a bug in the program or a library: "
     "read the log above the crash, try the command in `orchestrate shell STAGE`, or use another "
     "version.",
     k_vague},
    {Class::input_lost, k_harness,
     "A file or folder that the stage reads vanished or changed its size while the attempt ran. "
     "The message names the path; the next run makes it again, unless it is provided."},
    {Class::bus_error, k_harness,
     "The program accessed memory without backing storage: /dev/shm or the disk is full, or a "
     "mapped file was truncated. Free some space there."},
    {Class::illegal_instruction, k_system,
     "The program uses instructions that this processor does not support. Use a build for this "
     "processor."},
    {Class::model_load_failed, k_system,
     "The server could not load a model. Read the reason in the log, above the line that reports "
     "this.",
     k_vague},
    {Class::backend_missing, k_system,
     "The server has no library for the backend of the model. Install the backend, or check its "
     "folder."},
    {Class::engine_mismatch, k_system,
     "The engine was built by another version or for another GPU. Build it with the version that "
     "serves it."},
    {Class::unsupported, k_system,
     "The program does not support this architecture, quantization or GPU. Use another version or "
     "another model."},
    {Class::assertion, k_system,
     "An assertion of the program failed, often because it does not allow a combination of "
     "parameters. Read it in the log, and change the parameters that it names.",
     k_vague},
    {Class::missing_module, k_system,
     "A Python module is missing or broken. Install it in the environment of the stage."},
    {Class::missing_library, k_system,
     "A shared library is missing. Install it, or check LD_LIBRARY_PATH."},
    {Class::missing_program, k_system,
     "A program was not found or is not executable. Install it, or check PATH."},
    {Class::permission_denied, k_system,
     "This user may not read or write a file. Change the owner or the mode of the file that the "
     "log names."},
    {Class::bad_argument, k_system,
     "The program does not accept an argument of its command line. Check the manifest and the "
     "version of the program."},
    {Class::exit_status, k_system,
     "The program ended with a nonzero exit status, and its log has no known reason. Read the end "
     "of the log (`orchestrate logs STAGE`), and try the command in `orchestrate shell STAGE`.",
     k_vague},
    // Decided by the scheduler.
    {Class::timeout, k_system,
     "The attempt exceeded the time limit of its stage. Raise `timeout_s` in the manifest if the "
     "stage needs more time.",
     k_vague},
    {Class::not_ready, k_system,
     "The server did not become ready in time, or gave a wrong answer to its smoke request. Read "
     "in the log (`orchestrate logs STAGE`) how far it got; if it only needs longer, raise "
     "`timeout_s` under `ready` of the stage, and then use --retry-failed.",
     k_vague},
    {Class::server_changed, k_system,
     "The server that was already running was replaced by another one during the run. Run again: "
     "the next run identifies the present server."},
    {Class::died_starting, k_system,
     "The server ended before it was ready, and its log has no known reason. Read the end of the "
     "log (`orchestrate logs STAGE`), and start it by hand in `orchestrate shell STAGE`.",
     k_vague},
    {Class::server_crash, k_system,
     "The server ended during a measurement, and its log has no known reason. Read the end of the "
     "log (`orchestrate logs STAGE`); `dmesg`, or a lower load, may show the cause.",
     k_vague},
    {Class::output_missing, k_system,
     "The program succeeded, but a declared output is missing, empty or not a regular file. "
     "Compare `outputs` of the stage in the manifest with the files that its log names.",
     k_vague},
    {Class::tool_mismatch, k_system,
     "When the stage started, its program reported another version than when it was planned. Run "
     "again: the next run plans with the present program."},
    {Class::invalid_measurement, k_harness,
     "The measurement completed, but is invalid. `orchestrate show POINT` has the reasons; if the "
     "client was saturated, give it more cores or lower the load. The stage is retried."},
    {Class::no_answer, k_harness,
     "The server accepted every request of a measurement and answered none within the time limit: "
     "its front end may be deadlocked. It was restarted between the attempts. Read its log, and "
     "lower the load or use another version of the server."},
    {Class::request_refused, k_system,
     "The server refused the first request of a measurement, or did not answer in the "
     "measurement's protocol. The message names what to check: model, protocol, options, token."},
    {Class::cannot_prepare, k_harness,
     "The folder of the attempt could not be prepared. Check the disk and its permissions."},
    {Class::cannot_start, k_harness,
     "The process could not be started. Remove the cause that the message names; the stage is "
     "retried."},
    {Class::cannot_watch, k_harness,
     "The thread that waits for the server to become ready could not be created. Raise `ulimit "
     "-u`, or the task limit of the service or container."},
    {Class::cannot_publish, k_harness,
     "The outputs could not be published. Check the disk and its permissions."},
    {Class::no_ports, k_harness,
     "No free port was found. End other servers, or widen the port range in the site file."},
    {Class::lost, k_harness,
     "The orchestrator died, and how this attempt ended is unknown. The stage is retried."},
    {Class::interrupted, k_harness,
     "The attempt was ended because the run was interrupted, or because no stage needed it any "
     "more. Run the same command again to continue."},
};

// The order is the priority. One failure causes others (out of memory, then NCCL, then MPI_ABORT),
// and a log may begin with errors that the program survived (a download that was retried).
// Therefore causes precede their consequences, and errors that are often survived come last. Texts
// precede signals, because a server ends itself by signal if a part of it fails.
constexpr Cause k_causes[] = {
    {.failure = Class::abandoned, .abandoned = true},
    {.failure = Class::killed_externally, .guardian_lost = true},
    // orchestrate bench, before any load.
    {.failure = Class::request_refused, .text = "refused the first request"},
    // Hardware, before the errors that it causes.
    {.failure = Class::gpu_fault, .pattern = "nvrm: xid \\("},
    {.failure = Class::gpu_fault, .text = "gpu has fallen off the bus"},
    {.failure = Class::gpu_fault, .text = "uncorrectable ecc error"},
    {.failure = Class::gpu_fault, .text = "cuda_error_ecc_uncorrectable"},
    {.failure = Class::gpu_fault, .text = "uncorrectable nvlink error"},
    {.failure = Class::gpu_fault, .text = "cuda_error_nvlink_uncorrectable"},
    {.failure = Class::gpu_fault, .text = "nvlink: fatal error detected on link"},
    {.failure = Class::gpu_missing,
     .text = "system not yet initialized"},  // NVSwitch whose fabric manager does not run
    {.failure = Class::gpu_missing, .text = "no cuda-capable device is detected"},
    {.failure = Class::gpu_missing, .text = "found no nvidia driver on your system"},
    {.failure = Class::gpu_missing, .text = "all cuda-capable devices are busy or unavailable"},
    // Programs that also run without a GPU print the text at every start; only in these forms is it
    // fatal.
    {.failure = Class::gpu_missing,
     .pattern = "(error|exception|abort|fatal)\\w*:? .*failed to initialize nvml"},
    {.failure = Class::cuda_driver,
     .pattern = "(error|exception|abort|what\\(\\)|fatal)\\w*:? .*cuda driver version is "
                "insufficient for cuda runtime version"},
    {.failure = Class::cuda_driver, .text = "the nvidia driver on your system is too old"},
    {.failure = Class::cuda_driver,
     .text = "provided ptx was compiled with an unsupported toolchain"},
    {.failure = Class::cuda_driver,
     .text = "forward compatibility was attempted on non supported hw"},
    // GPU memory.
    {.failure = Class::dirty_gpu,
     .pattern = "free memory on device .*on startup is less than desired gpu memory utilization"},
    {.failure = Class::cuda_oom, .text = "cuda out of memory. tried to allocate"},
    {.failure = Class::cuda_oom, .text = "torch.outofmemoryerror"},
    {.failure = Class::cuda_oom, .text = "torch.cuda.outofmemoryerror"},
    {.failure = Class::cuda_oom, .text = "cuda error: out of memory"},
    {.failure = Class::cuda_oom, .text = "cuda_error_out_of_memory"},
    {.failure = Class::cuda_oom, .text = "cudaerrormemoryallocation"},
    {.failure = Class::cuda_oom, .pattern = "cudamalloc\\w*( failed)?: out of memory"},
    {.failure = Class::cuda_oom, .pattern = "cuda runtime error in .*: out of memory"},
    {.failure = Class::cuda_oom, .pattern = "error code 2: out ?of ?memory"},
    {.failure = Class::cuda_oom, .text = "requested amount of gpu memory ("},
    {.failure = Class::cuda_oom, .text = "no available memory for the cache blocks"},
    {.failure = Class::cuda_oom, .text = "larger than the available kv cache memory"},
    // Host memory.
    {.failure = Class::host_oom, .oom_killed = true},
    {.failure = Class::host_oom, .pattern = "detected \\d+ oom[_-]kill event"},
    {.failure = Class::host_oom, .pattern = "out of memory: killed process \\d+"},
    {.failure = Class::host_oom,
     .text = "terminate called after throwing an instance of 'std::bad_alloc'"},
    {.failure = Class::host_oom, .pattern = "(what\\(\\):|error:) +std::bad_alloc"},
    {.failure = Class::host_oom, .pattern = "^(numpy\\.\\S*_array)?memoryerror(:|$)"},
    {.failure = Class::host_oom, .text = "defaultcpuallocator: can't allocate memory"},
    {.failure = Class::host_oom,
     .pattern = "available memory on node \\d+ .*on kv cache allocation is less than"},
    {.failure = Class::host_oom, .text = "[errno 12] cannot allocate memory"},
    {.failure = Class::host_oom, .text = "fork: cannot allocate memory"},
    // Disks, ports, limits.
    {.failure = Class::shm_full,
     .pattern = "insufficient shared memory \\(shm\\)|no space left on device:? "
                ".*/dev/shm/|/dev/shm/.*no space left on device"},
    {.failure = Class::shm_full, .text = "unable to initialize shared memory key"},
    {.failure = Class::disk_full, .text = "no space left on device"},
    {.failure = Class::disk_full, .pattern = "\\bnot enough (free )?disk space"},
    {.failure = Class::disk_quota, .text = "disk quota exceeded"},
    {.failure = Class::read_only, .text = "read-only file system"},
    {.failure = Class::file_size_limit,
     .pattern = "\\[errno 27\\] file too large|file too large \\(os error 27\\)|\\b(write|writing|"
                "written)\\b.*: file too large|: file size limit exceeded"},
    {.failure = Class::io_error,
     .pattern =
         "(\\[errno 5\\]|: |os error 5.*)input/output error|input/output error \\(os error 5\\)"},
    {.failure = Class::too_many_files, .text = "too many open files"},
    {.failure = Class::port_in_use, .text = "address already in use"},
    {.failure = Class::port_in_use, .text = "eaddrinuse"},
    {.failure = Class::port_in_use, .pattern = "socket '[^']*' already in use"},
    {.failure = Class::port_in_use, .text = "error while attempting to bind on address"},
    {.failure = Class::python_backend_lock,
     .text =
         "terminate called after throwing an instance of 'boost::interprocess::lock_exception'"},
    {.failure = Class::node_lost, .pattern = "\\bdue to (node failure|preemption)\\b"},
    {.failure = Class::timeout, .text = "due to time limit"},
    {.failure = Class::mpi_lost,
     .pattern = "\\b(orte|prte) has lost communication with a remote daemon"},
    // Incompatible versions and missing parts.
    {.failure = Class::tool_mismatch,
     .pattern = "^\\S+\\.py: tool mismatch: "},  // printed by scripts of runners
    {.failure = Class::engine_mismatch,
     .text = "version tag does not match. note: current version"},
    {.failure = Class::engine_mismatch,
     .text = "engine plan file is not compatible with this version of tensorrt"},
    {.failure = Class::engine_mismatch,
     .text = "engine plan file is generated on an incompatible device"},
    {.failure = Class::engine_mismatch, .text = "engine deserialization failed"},
    {.failure = Class::engine_mismatch, .text = "failed to deserialize cuda engine"},
    {.failure = Class::backend_missing, .text = "unable to find backend library for backend"},
    {.failure = Class::backend_missing, .pattern = "unable to find shared library '?libtriton_"},
    {.failure = Class::missing_library, .text = "error while loading shared libraries"},
    {.failure = Class::missing_library,
     .pattern = "\\blib\\S+: cannot open shared object file: no such file"},
    {.failure = Class::missing_module, .pattern = "^\\W*(modulenotfounderror|importerror): "},
    {.failure = Class::unsupported,
     .pattern = "model architectures? \\[.*\\] (are|is) not supported"},
    {.failure = Class::unsupported,
     .text = "but transformers does not recognize this architecture"},
    {.failure = Class::unsupported, .text = "unknown model architecture: '"},
    {.failure = Class::unsupported,
     .pattern = "(unknown|unsupported) (quantization method|model architecture|architecture)\\b"},
    {.failure = Class::unsupported, .pattern = "the quantization method \\S+ is not supported"},
    {.failure = Class::unsupported,
     .text = "no kernel image is available for execution on the device"},
    {.failure = Class::unsupported,
     .text = "bfloat16 is only supported on gpus with compute capability"},
    {.failure = Class::bad_argument,
     .pattern = "\\berror: (unrecognized arguments?:|the following arguments are "
                "required:|argument \\S.*: )",
     .code = 2},
    {.failure = Class::bad_argument, .pattern = "^\\S+: (unrecognized|invalid) option "},
    {.failure = Class::bad_argument, .text = "is greater than the derived max_model_len"},
    {.failure = Class::bad_argument, .text = "hfvalidationerror: repo id must be"},
    {.failure = Class::unsupported, .text = "valueerror: cannot find the config file for "},
    {.failure = Class::bad_argument, .text = "there are not enough slots available in the system"},
    {.failure = Class::bad_argument, .text = "has detected an attempt to run as root"},
    // GPU kernels.
    {.failure = Class::cuda_error, .text = "an illegal memory access was encountered"},
    {.failure = Class::cuda_error, .text = "device-side assert triggered"},
    {.failure = Class::cuda_error, .text = "unspecified launch failure"},
    {.failure = Class::cuda_error, .text = "misaligned address"},
    // Permanent refusals by servers. A bare number is not enough: logs are full of numbers.
    {.failure = Class::forbidden,
     .pattern = "gatedrepoerror|cannot access gated repo|access to model \\S+ is restricted"},
    {.failure = Class::unauthorized,
     .pattern = "\\b401 client error|http(/[\\d.]+)? 401\\b|\\bhttp error 401|\\berror: "
                "401\\b|\\b401 unauthorized"},
    {.failure = Class::forbidden,
     .pattern = "\\b403 client error|http(/[\\d.]+)? 403\\b|\\bhttp error 403|\\berror: "
                "403\\b|\\b403 forbidden"},
    {.failure = Class::not_found,
     .pattern = "(repository|revision|(remote|local)?entry)notfounderror"},
    {.failure = Class::not_found,
     .pattern =
         "\\b404 client error|\\bhttp error 404|returned error: 404\\b|\\berror 404: not found"},
    // The network. Programs usually survive these errors, so they come late.
    {.failure = Class::rate_limited,
     .pattern = "\\b429 client error|\\bhttp error 429|returned error: 429\\b|\\b429 too many "
                "requests|we had to rate limit your ip"},
    {.failure = Class::server_error,
     .pattern = "\\b5\\d\\d server error|\\bhttp error 5\\d\\d|returned error: 5\\d\\d\\b|\\berror "
                "5\\d\\d: (internal|bad gateway|service|gateway)"},
    {.failure = Class::checksum_mismatch,
     .text = "do not match the hashes from the requirements file"},
    {.failure = Class::checksum_mismatch,
     .pattern = "(sha-?256|md5|checksum|hash)( sum)? mismatch|(checksum|hash) (does|did) not "
                "match|consistency check failed: file should be of size"},
    {.failure = Class::dns_failure,
     .pattern = "temporary failure in name resolution|name or service not known|could not resolve "
                "host|nameresolutionerror|getaddrinfo failed"},
    {.failure = Class::tls_certificate,
     .pattern = "certificate_verify_failed|certificate verify failed|ssl certificate problem"},
    {.failure = Class::download_timeout,
     .pattern = "\\b(readtimeout|connecttimeout|readtimeouterror|connecttimeouterror)\\b|curl: "
                "\\(28\\)|\\bconnection timed out\\b"},
    {.failure = Class::connection_failed, .text = "did not answer the first request"},
    {.failure = Class::connection_failed,
     .pattern = "connection reset by peer|connection "
                "refused|connectionreseterror|connectionrefusederror|network is unreachable|no "
                "route to host"},
    {.failure = Class::connection_failed,
     .pattern = "\\bincompleteread\\(|unexpected_eof_while_reading|ssl_error_syscall|tls handshake "
                "timeout|remote end closed connection without response"},
    // Ranks that lost each other. The rows above have precedence, because they match the failure
    // that came first.
    {.failure = Class::nccl_timeout,
     .pattern =
         "watchdog caught collective operation timeout|nccl communicator was aborted.*timeout"},
    {.failure = Class::nccl_error,
     .pattern = "nccl error "
                "in:|ncclsystemerror|ncclremoteerror|ncclinternalerror|ncclunhandledcudaerror|nccl "
                "warn cuda failure"},
    {.failure = Class::nccl_error, .pattern = "failed, nccl error .*'|nccl operation .* failed:"},
    {.failure = Class::model_load_failed,
     .text = "creating server: internal - failed to load all models"},
    {.failure = Class::model_load_failed, .pattern = "failed to load '[^']*' version \\d+:"},
    {.failure = Class::assertion, .pattern = "^\\W*assertionerror(:|$)"},
    {.failure = Class::assertion,
     .pattern = "\\[tensorrt-llm\\]\\[error\\] .*assertion failed:|: assertion `.*' failed\\."},
    {.failure = Class::mpi_abort, .text = "mpi_abort was invoked on rank"},
    {.failure = Class::crashed,
     .text = "received sigquit from a child process. it usually means the child failed"},
    // How the leader ended, for a log without a reason. Shells and mpirun add 128 to the number of
    // a signal.
    {.failure = Class::killed_externally, .signal = SIGKILL},
    {.failure = Class::killed_externally, .signal = SIGTERM},
    {.failure = Class::killed_externally, .signal = SIGINT},
    {.failure = Class::killed_externally, .signal = SIGHUP},
    {.failure = Class::killed_externally, .code = 128 + SIGKILL},
    {.failure = Class::killed_externally, .code = 128 + SIGTERM},
    {.failure = Class::file_size_limit, .signal = SIGXFSZ},
    {.failure = Class::file_size_limit, .code = 128 + SIGXFSZ},
    {.failure = Class::bus_error, .signal = SIGBUS},
    {.failure = Class::bus_error, .code = 128 + SIGBUS},
    {.failure = Class::illegal_instruction, .signal = SIGILL},
    {.failure = Class::illegal_instruction, .code = 128 + SIGILL},
    {.failure = Class::crashed, .signal = SIGSEGV},
    {.failure = Class::crashed, .code = 128 + SIGSEGV},
    {.failure = Class::crashed, .signal = SIGABRT},
    {.failure = Class::crashed, .code = 128 + SIGABRT},
    {.failure = Class::crashed, .signal = SIGFPE},
    {.failure = Class::missing_program, .code = 127},
    {.failure = Class::missing_program, .code = 126},
    {.failure = Class::permission_denied,
     .pattern = "permissionerror: \\[errno 13\\]|: permission denied$"},
};

constexpr bool has_every_class_at_its_place() {
  for (std::size_t i = 0; i < std::size(k_classes); ++i)
    if (k_classes[i].failure != static_cast<Class>(i)) return false;
  return std::size(k_classes) == names_of(Tag<Class>()).size();
}
static_assert(has_every_class_at_its_place());

}  // namespace

const std::string& failure_table_digest() {
  static const std::string digest = [] {
    Components table;
    for (const FailureTraits& one : k_classes)
      table.add(one.name(), fmt::format("{} {}", to_string(one.kind), one.vague));
    for (const Cause& one : failure_causes())
      table.add(
          to_string(one.failure),
          fmt::format("{}\n{}\n{} {} {} {} {} {}", one.text, one.pattern, one.code, one.signal,
                      one.oom_killed, one.guardian_lost, one.abandoned, one.by_engine));
    return table.digest().prefix(12);
  }();
  return digest;
}

std::span<const FailureTraits> failure_classes() { return k_classes; }

const FailureTraits& traits_of(FailureClass failure) {
  return k_classes[static_cast<std::size_t>(failure)];
}

std::span<const Cause> failure_causes() {
  static const std::vector<Cause> all = [] {
    const auto first =
        std::ranges::find_if(k_causes, [](const Cause& one) { return one.reads_log(); });
    std::vector<Cause> rows(std::begin(k_causes), first);
    const auto engines = engine_causes();
    rows.insert(rows.end(), engines.begin(), engines.end());
    rows.insert(rows.end(), first, std::end(k_causes));
    return rows;
  }();
  return all;
}

}  // namespace orch::attempt
