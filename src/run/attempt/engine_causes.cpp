#include "run/attempt/failure.hpp"

#include <algorithm>

namespace orch::attempt {

namespace {

using Class = FailureClass;

// The exit statuses of `run` if podman, docker or their runtime failed, and that of apptainer if it
// failed.
constexpr int k_first_status = 125, k_last_status = 127, k_apptainer_status = 255;

// The class of random or temporary failures: another attempt may succeed.
constexpr Class k_passing = Class::container_engine;
// The class of problems of this host that last until they are repaired.
constexpr Class k_lasting = Class::container_unavailable;

constexpr Cause engine(Class failure, std::string_view text) {
  return {.failure = failure, .text = text, .by_engine = true};
}

// The order is the priority. Texts are those of podman 3 to 5, docker 20 to 28, nerdctl 1 and 2,
// apptainer 1.0 to 1.4, pyxis 0.11 to 0.20 and enroot 3 and 4, in lower case.
constexpr Cause k_engine_causes[] = {
    engine(Class::missing_program, "executable file not found in $path"),
    engine(Class::missing_program, "attempted to invoke a command that was not found"),
    {.failure = Class::missing_program,
     .pattern = "executable file .* not found in \\$path",
     .by_engine = true},
    engine(Class::disk_full, "no space left on device"),
    engine(Class::disk_quota, "disk quota exceeded"),
    engine(Class::too_many_files, "too many open files"),
    engine(Class::port_in_use, "address already in use"),
    engine(Class::rate_limited, "toomanyrequests"),
    // Podman's locks and database.
    engine(k_passing, "database is locked"),
    engine(k_passing, "timed out waiting for file lock"),
    engine(k_passing, "exceeded num_locks"),
    engine(k_passing, "allocating lock for new container"),
    engine(k_passing, "invalid internal status"),
    // A container left over from a dead process still has the name.
    engine(k_passing, "is already in use by"),
    engine(k_passing, "is already used by"),
    // The container's monitor died or could not be started.
    engine(k_passing, "no such exit code"),
    engine(k_passing, "container state improper"),
    engine(k_passing, "no logs from conmon"),
    engine(k_passing, "conmon exited prematurely"),
    engine(k_passing, "conmon failed: "),
    engine(k_passing, "write child: broken pipe"),
    engine(k_passing, "error: signal: killed"),
    engine(k_passing, "container's attach socket"),
    engine(k_passing, "containerd-shim"),
    engine(k_passing, "ttrpc: closed"),
    engine(k_passing, "did not get container start message from parent"),
    // The host lacks processes, memory or mounts.
    engine(k_passing, "resource temporarily unavailable"),
    engine(k_passing, "cannot allocate memory"),
    engine(k_passing, "device or resource busy"),
    engine(k_passing, "transport endpoint is not connected"),
    engine(k_passing, "stale file handle"),
    engine(k_passing, "stale nfs file handle"),
    engine(k_passing, "input/output error"),
    engine(k_passing, "no loop devices available"),
    engine(k_passing, "failed to attach loop device"),
    engine(k_passing, "sd-bus call:"),
    // Hooks and daemons that did not answer in time.
    engine(k_passing, "driver rpc error: timed out"),
    engine(k_passing, "context deadline exceeded"),
    engine(k_passing, "i/o timeout"),
    engine(k_passing, "unexpected eof"),
    engine(k_passing, "failed to start shim"),
    // The daemon is missing.
    engine(k_lasting, "cannot connect to the docker daemon"),
    engine(k_lasting, "failed to connect to the docker api"),
    engine(k_lasting, "is the docker daemon running"),
    engine(k_lasting, "permission denied while trying to connect to the docker"),
    engine(k_lasting, "error during connect:"),
    engine(k_lasting, "cannot connect to podman"),
    engine(k_lasting, "unable to connect to podman socket"),
    engine(k_lasting, "cannot access containerd socket"),
    engine(k_lasting, "rootless containerd not running"),
    // The image is gone, and its registry does not provide it.
    engine(k_lasting, "image not known"),
    engine(k_lasting, "no such image"),
    engine(k_lasting, "unable to find image"),
    engine(k_lasting, "pull access denied for"),
    engine(k_lasting, "manifest unknown"),
    engine(k_lasting, "initializing source "),
    engine(k_lasting, "failed to resolve reference"),
    engine(k_lasting, "could not open image "),
    engine(k_lasting, "image file not found"),
    engine(k_lasting, "failed to import docker image"),
    engine(k_lasting, "[error] no such file or directory"),
    // GPUs and their hooks.
    engine(k_lasting, "unresolvable cdi devices"),
    engine(k_lasting, "could not select device driver"),
    engine(k_lasting, "nvidia-container-cli: "),
    engine(k_lasting, "nvidia-container-runtime"),
    engine(k_lasting, "error running prestart hook"),
    engine(k_lasting, "error running createcontainer hook"),
    engine(k_lasting, "error executing hook"),
    engine(k_lasting, "error running hook"),
    // Mounted folders, storage, runtimes and permissions.
    {.failure = k_lasting, .pattern = "statfs \\S+: no such file or directory", .by_engine = true},
    engine(k_lasting, "bind source path does not exist"),
    engine(k_lasting, "configure storage"),
    engine(k_lasting, "mounting storage for container"),
    engine(k_lasting, "mounting container storage"),
    engine(k_lasting, "database configuration mismatch"),
    engine(k_lasting, "creating runtime static files directory"),
    engine(k_lasting, "error creating overlay mount"),
    engine(k_lasting, "default oci runtime"),
    engine(k_lasting, "unknown or invalid runtime name"),
    engine(k_lasting, "newuidmap"),
    engine(k_lasting, "newgidmap"),
    engine(k_lasting, "cannot set up namespace"),
    engine(k_lasting, "cannot clone: "),
    engine(k_lasting, "user namespaces"),
    engine(k_lasting, "failed to create user namespace"),
    engine(k_lasting, "setrlimit"),
    engine(k_lasting, "oci runtime error: "),
    engine(k_lasting, "container creation failed: "),
    engine(k_lasting, "couldn't start container"),
    engine(k_lasting, "container start failed"),
    engine(k_lasting, "failed to create container"),
    // All other failures for which podman and docker exit with their own status.
    {.failure = k_lasting, .code = k_first_status, .by_engine = true},
};

bool begins_with_any(std::string_view line, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view one) { return line.starts_with(one); });
}

}  // namespace

std::span<const Cause> engine_causes() { return k_engine_causes; }

bool is_of_engine(std::string_view line, int code) {
  constexpr auto k_none = std::string_view::npos;
  // "slurmstepd: error: pyxis: ...", and the enroot messages that pyxis repeats.
  if (line.find("pyxis: ") != k_none) return line.find("error") != k_none;
  if (line.starts_with("fata[")) return true;  // nerdctl
  if (code == k_apptainer_status) return line.starts_with("fatal:  ");
  if (code < k_first_status || code > k_last_status) return false;
  if (line.starts_with("time=\""))
    return line.find("\" level=error ") != k_none || line.find("\" level=fatal ") != k_none;
  return begins_with_any(line, {"error: ", "docker: ", "error response from daemon: "});
}

}  // namespace orch::attempt
