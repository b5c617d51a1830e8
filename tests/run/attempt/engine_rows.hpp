// What container engines print when they fail themselves, and programs that print something like
// it.
#pragma once

#include "run/attempt/failure_rows.hpp"

namespace orch::attempt {

inline const FailureRow k_engine_rows[] = {
    {"PodmanNoProgram", "missing_program", code(127),
     "Error: crun: executable file `/nope` not found in $PATH: No such file or directory: OCI "
     "runtime attempted to invoke a command that was not found",
     k_whole_log},
    {"PodmanCrunNoProgram", "missing_program", code(127),
     "Error: crun: executable file `serve` not found in $PATH: No such file or directory: OCI not "
     "found",
     k_whole_log},
    {"DockerNoProgram", "missing_program", code(127),
     "docker: Error response from daemon: failed to create task for container: failed to create "
     "shim task: OCI runtime create failed: runc create failed: unable to start container process: "
     "exec: \"nope\": executable file not found in $PATH: unknown.",
     k_whole_log},
    {"PodmanFull", "disk_full", code(125),
     "Error: creating container storage: creating read-write layer with ID \"8d0e\": mkdir "
     "/var/lib/containers/storage/overlay/8d0e: no space left on device",
     k_whole_log},
    {"DockerQuota", "disk_quota", code(125),
     "docker: Error response from daemon: mkdir /var/lib/docker/overlay2/8d0e-init: disk quota "
     "exceeded.",
     k_whole_log},
    {"PodmanFiles", "too_many_files", code(126), "Error: creating pipe: too many open files",
     k_whole_log},
    {"DockerPort", "port_in_use", code(125),
     "docker: Error response from daemon: driver failed programming external connectivity on "
     "endpoint x: Error starting userland proxy: listen tcp4 0.0.0.0:8000: bind: address already "
     "in use.",
     k_whole_log},
    {"DockerRate", "rate_limited", code(125),
     "docker: Error response from daemon: toomanyrequests: You have reached your pull rate limit.",
     k_whole_log},
    {"PodmanLockedDatabase", "container_engine", code(125),
     "Error: beginning container refresh transaction: database is locked", k_whole_log},
    {"PodmanFileLock", "container_engine", code(125), "Error: timed out waiting for file lock",
     k_whole_log},
    {"PodmanNoLockLeft", "container_engine", code(125),
     "Error: allocation failed; exceeded num_locks (2048)", k_whole_log},
    {"PodmanLock", "container_engine", code(125),
     "Error: allocating lock for new container: no locks available", k_whole_log},
    {"PodmanPauseProcess", "container_engine", code(125),
     "Error: invalid internal status, try resetting the pause process with \"podman system "
     "migrate\": cannot read pid file",
     k_whole_log},
    {"PodmanName", "container_engine", code(125),
     "Error: creating container storage: the container name \"orchestrate-o1\" is already in use "
     "by 6016ec0fad8ace2f7aae5e171eb82b0bbc14e8b34653802f92db8d8de211d24d. You have to remove that "
     "container to be able to reuse that name: that name is already in use",
     k_whole_log},
    {"DockerName", "container_engine", code(125),
     "docker: Error response from daemon: Conflict. The container name \"/orchestrate-o1\" is "
     "already in use by container \"6016ec\". You have to remove (or rename) that container to be "
     "able to reuse that name.",
     k_whole_log},
    {"NerdctlName", "container_engine", code(1),
     "FATA[0000] name \"orchestrate-o1\" is already used by ID \"6016ec\"", k_whole_log},
    {"PodmanMonitorKilled", "container_engine", code(127),
     "time=\"2026-11-29T13:50:55Z\" level=error msg=\"Waiting for container fc1926: getting exit "
     "code of container fc1926 from DB: no such exit code (container in state running)\"",
     k_whole_log},
    {"PodmanMonitorGone", "container_engine", code(126),
     "Error: cannot get namespace path unless container fc1926 is running: container is stopped: "
     "container state improper",
     k_whole_log},
    {"PodmanMonitorSilent", "container_engine", code(126),
     "Error: container create failed (no logs from conmon): conmon bytes \"\": readObjectStart: "
     "expect { or n, but found  , error found in #0 byte of ...||..., bigger context ...||...",
     k_whole_log},
    {"PodmanMonitorExited", "container_engine", code(125),
     "Error: write child: broken pipe: conmon exited prematurely, exit code could not be "
     "retrieved: internal libpod error",
     k_whole_log},
    {"PodmanMonitorBegan", "container_engine", code(126), "Error: write child: broken pipe",
     k_whole_log},
    {"PodmanMonitorNotForked", "container_engine", code(126), "Error: signal: killed", k_whole_log},
    {"PodmanMonitorFailed", "container_engine", code(126), "Error: conmon failed: exit status 1",
     k_whole_log},
    {"PodmanAttach", "container_engine", code(125),
     "Error: failed to connect to container's attach socket: "
     "/run/containers/storage/fc1926/attach: dial unixpacket: connect: no such file",
     k_whole_log},
    {"DockerShim", "container_engine", code(125),
     "docker: Error response from daemon: containerd-shim exited unexpectedly: signal: killed.",
     k_whole_log},
    {"DockerTask", "container_engine", code(125),
     "docker: Error response from daemon: failed to create task for container: failed to create "
     "shim task: ttrpc: closed: unknown.",
     k_whole_log},
    {"PodmanStart", "container_engine", code(127),
     "Error: runtime: did not get container start message from parent: EOF: OCI runtime error",
     k_whole_log},
    {"PodmanEagain", "container_engine", code(126),
     "Error: crun: clone: Resource temporarily unavailable: OCI runtime error", k_whole_log},
    {"PodmanEnomem", "container_engine", code(125),
     "Error: fork/exec /usr/bin/conmon: cannot allocate memory", k_whole_log},
    {"DockerBusy", "container_engine", code(125),
     "docker: Error response from daemon: failed to mount /tmp/containerd-mount: device or "
     "resource busy.",
     k_whole_log},
    {"PodmanMountLost", "container_engine", code(125),
     "Error: stat /home/u/.local/share/containers/storage/overlay/8d0e/merged: transport endpoint "
     "is not connected",
     k_whole_log},
    {"PodmanStale", "container_engine", code(125), "Error: statfs /nfs/models: stale file handle",
     k_whole_log},
    {"DockerStale", "container_engine", code(125),
     "docker: Error response from daemon: error while creating mount source path '/nfs/models': "
     "mkdir /nfs/models: stale NFS file handle.",
     k_whole_log},
    {"PodmanIo", "container_engine", code(125),
     "Error: readlink /var/lib/containers/storage/overlay/l/X: input/output error", k_whole_log},
    {"ApptainerLoops", "container_engine", code(255),
     "FATAL:   container creation failed: mount error: can't mount image /proc/self/fd/3: no loop "
     "devices available",
     k_whole_log},
    {"ApptainerLoop", "container_engine", code(255),
     "FATAL:   container creation failed: mount error: failed to attach loop device: resource gone",
     k_whole_log},
    {"PodmanDbus", "container_engine", code(126),
     "Error: crun: sd-bus call: Connection timed out: OCI runtime error", k_whole_log},
    {"DockerDriverHook", "container_engine", code(125),
     "docker: Error response from daemon: failed to create task for container: OCI runtime create "
     "failed: runc create failed: error during container init: error running prestart hook #0: "
     "exit status 1, stderr: nvidia-container-cli: initialization error: driver rpc error: timed "
     "out",
     k_whole_log},
    {"DockerDeadline", "container_engine", code(125),
     "docker: Error response from daemon: context deadline exceeded.", k_whole_log},
    {"PodmanIoTimeout", "container_engine", code(125),
     "Error: initializing source docker://r/a:1: pinging container registry r: Get "
     "\"https://r/v2/\": dial tcp 10.0.0.1:443: i/o timeout",
     k_whole_log},
    {"DockerEof", "container_engine", code(125), "docker: unexpected EOF", k_whole_log},
    {"NerdctlShim", "container_engine", code(1),
     "FATA[0010] failed to start shim: start failed: exit status 1", k_whole_log},
    {"DockerGone", "container_unavailable", code(125),
     "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker "
     "daemon running?.",
     k_whole_log},
    {"DockerGoneInRelease28", "container_unavailable", code(125),
     "docker: failed to connect to the docker API at unix:///var/run/docker.sock; check if the "
     "path is correct: no such file",
     k_whole_log},
    {"DockerMaybeGone", "container_unavailable", code(125),
     "docker: error: Is the docker daemon running?", k_whole_log},
    {"DockerSocket", "container_unavailable", code(126),
     "docker: permission denied while trying to connect to the Docker daemon socket at "
     "unix:///var/run/docker.sock",
     k_whole_log},
    {"DockerConnect", "container_unavailable", code(125),
     "docker: error during connect: Post "
     "\"http://%2Fvar%2Frun%2Fdocker.sock/v1.24/containers/create\": broken pipe",
     k_whole_log},
    {"PodmanRemoteGone", "container_unavailable", code(125),
     "Error: Cannot connect to Podman. Please verify your connection to the Linux system",
     k_whole_log},
    {"PodmanSocketGone", "container_unavailable", code(125),
     "Error: unable to connect to Podman socket: server API version is too old", k_whole_log},
    {"NerdctlGone", "container_unavailable", code(1),
     "FATA[0000] cannot access containerd socket \"/run/containerd/containerd.sock\": no such file",
     k_whole_log},
    {"NerdctlRootless", "container_unavailable", code(1),
     "FATA[0000] rootless containerd not running? (hint: use `containerd-rootless-setuptool.sh "
     "install`)",
     k_whole_log},
    {"PodmanImageGone", "container_unavailable", code(125),
     "Error: sha256:1234567812345678123456781234567812345678123456781234567812345678: image not "
     "known",
     k_whole_log},
    {"DockerImageGone", "container_unavailable", code(125),
     "docker: Error response from daemon: No such image: sha256:12345678.", k_whole_log},
    {"DockerImageNotFound", "container_unavailable", code(125),
     "docker: Unable to find image 'sha256:12345678' locally", k_whole_log},
    {"DockerDenied", "container_unavailable", code(125),
     "docker: Error response from daemon: pull access denied for b, repository does not exist or "
     "may require 'docker login'.",
     k_whole_log},
    {"DockerManifest", "container_unavailable", code(125),
     "docker: Error response from daemon: manifest for b:1 not found: manifest unknown.",
     k_whole_log},
    {"PodmanRegistry", "container_unavailable", code(125),
     "Error: initializing source docker://localhost/b:1: pinging container registry localhost: Get "
     "\"https://localhost/v2/\": dial tcp 127.0.0.1:443: connect: connection refused",
     k_whole_log},
    {"NerdctlResolve", "container_unavailable", code(1),
     "FATA[0001] failed to resolve reference \"docker.io/library/b:1\": not there", k_whole_log},
    {"ApptainerImageGone", "container_unavailable", code(255),
     "FATAL:   could not open image /images/a.sif: failed to retrieve path for /images/a.sif: "
     "lstat /images/a.sif: no such file or directory",
     k_whole_log},
    {"ApptainerImageFile", "container_unavailable", code(255),
     "FATAL:   image file not found: /images/a.sif", k_whole_log},
    {"PyxisImport", "container_unavailable", code(1),
     "slurmstepd: error: pyxis: failed to import docker image", k_whole_log},
    {"PyxisFileGone", "container_unavailable", code(1),
     "slurmstepd: error: pyxis:     [ERROR] No such file or directory: /images/a.sqsh",
     k_whole_log},
    {"PodmanDevices", "container_unavailable", code(126),
     "Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=0", k_whole_log},
    {"DockerDevices", "container_unavailable", code(125),
     "docker: Error response from daemon: could not select device driver \"\" with capabilities: "
     "[[gpu]].",
     k_whole_log},
    {"DockerNvml", "container_unavailable", code(126),
     "docker: Error response from daemon: nvidia-container-cli: initialization error: nvml error: "
     "driver/library version mismatch: unknown.",
     k_whole_log},
    {"PodmanNvidiaRuntime", "container_unavailable", code(126),
     "Error: /usr/bin/nvidia-container-runtime: exit status 1", k_whole_log},
    {"DockerPrestart", "container_unavailable", code(126),
     "docker: Error response from daemon: OCI runtime create failed: error running prestart hook "
     "#0: exit status 2: unknown.",
     k_whole_log},
    {"DockerCreateHook", "container_unavailable", code(126),
     "docker: Error response from daemon: OCI runtime create failed: error running createContainer "
     "hook #0: exit status 2: unknown.",
     k_whole_log},
    {"PodmanHook", "container_unavailable", code(126),
     "Error: crun: error executing hook `/usr/bin/nvidia-container-toolkit` (exit code: 1): OCI "
     "runtime failed",
     k_whole_log},
    {"DockerHook", "container_unavailable", code(126),
     "docker: Error response from daemon: OCI runtime create failed: error running hook: signal: "
     "killed: unknown.",
     k_whole_log},
    {"PodmanFolderGone", "container_unavailable", code(125),
     "Error: statfs /models: no such file or directory", k_whole_log},
    {"DockerFolderGone", "container_unavailable", code(125),
     "docker: Error response from daemon: invalid mount config for type \"bind\": bind source path "
     "does not exist: /models.",
     k_whole_log},
    {"PodmanStorage", "container_unavailable", code(125),
     "Error: configure storage: 'overlay' is not supported over overlayfs", k_whole_log},
    {"PodmanMountStorage", "container_unavailable", code(126),
     "Error: mounting storage for container fc1926: layer gone", k_whole_log},
    {"PodmanMountContainer", "container_unavailable", code(126),
     "Error: mounting container storage: layer gone", k_whole_log},
    {"PodmanRunroot", "container_unavailable", code(125),
     "Error: database storage temporary directory (runroot) \"/a/run\" does not match our storage "
     "temporary directory (runroot) \"/proc/x\": database configuration mismatch",
     k_whole_log},
    {"PodmanStatic", "container_unavailable", code(125),
     "Error: creating runtime static files directory: mkdir /var/lib/containers: not permitted",
     k_whole_log},
    {"PodmanOverlay", "container_unavailable", code(126),
     "Error: error creating overlay mount to /a/merged, mount_data=x: invalid argument",
     k_whole_log},
    {"PodmanRuntime", "container_unavailable", code(125),
     "Error: default OCI runtime \"crun\" not found: invalid argument", k_whole_log},
    {"DockerRuntime", "container_unavailable", code(125),
     "docker: Error response from daemon: unknown or invalid runtime name: nvidia.", k_whole_log},
    {"PodmanUids", "container_unavailable", code(125),
     "Error: cannot set user namespace: newuidmap: write to uid_map failed", k_whole_log},
    {"PodmanGids", "container_unavailable", code(125),
     "Error: cannot set user namespace: newgidmap: write to gid_map failed", k_whole_log},
    {"PodmanNamespace", "container_unavailable", code(125),
     "Error: cannot set up namespace: exit status 1", k_whole_log},
    {"PodmanClone", "container_unavailable", code(125),
     "Error: cannot clone: Operation not permitted", k_whole_log},
    {"PodmanUserNamespaces", "container_unavailable", code(125),
     "Error: user namespaces are not enabled in /proc/sys/user/max_user_namespaces", k_whole_log},
    {"EnrootNamespace", "container_unavailable", code(1),
     "slurmstepd: error: pyxis:     enroot-nsenter: failed to create user namespace: Operation not "
     "permitted",
     k_whole_log},
    {"PodmanRlimit", "container_unavailable", code(126),
     "Error: crun: setrlimit `RLIMIT_NPROC`: Operation not permitted: OCI permission denied",
     k_whole_log},
    {"PodmanOci", "container_unavailable", code(126),
     "Error: OCI runtime error: crun: mount `proc` to `proc`: Operation not permitted",
     k_whole_log},
    {"ApptainerCreation", "container_unavailable", code(255),
     "FATAL:   container creation failed: mount hook function failure: mount /models->/models "
     "error: not there",
     k_whole_log},
    {"PyxisStart", "container_unavailable", code(1),
     "slurmstepd: error: pyxis: couldn't start container", k_whole_log},
    {"PyxisStarted", "container_unavailable", code(1),
     "slurmstepd: error: pyxis: container start failed with error code: 1", k_whole_log},
    {"PyxisFilesystem", "container_unavailable", code(1),
     "slurmstepd: error: pyxis: failed to create container filesystem", k_whole_log},
    {"PodmanFlag", "container_unavailable", code(125), "Error: unknown flag: --nope", k_whole_log},
    // A program in the container, which prints this form without the status of an engine, or ends
    // with that status and says nothing of this form.
    {"NotAnEngine", "exit_status", code(1), "Error: database is locked", ""},
    {"NotAnEngineByItsStatus", "exit_status", code(125), "sqlite3: database is locked", ""},
    {"NotApptainer", "exit_status", code(255), "fatal: could not open image a.png", ""},
    {"NotPyxis", "exit_status", code(1), "pyxis: a southern constellation", ""},
    {"AProgramInPodman", "exit_status", code(7), "Error: image not known", ""},
    {"WarningOfPodman", "missing_program", code(127),
     "time=\"2026-11-29T13:50:56Z\" level=warning msg=\"image not known\"", ""},
};

}  // namespace orch::attempt
