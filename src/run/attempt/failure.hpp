// Classifies the ends of failed attempts. Either the system under test failed, which is a result,
// or the machine or the harness failed, which is worth a retry.
#pragma once

#include "core/base/enum_names.hpp"
#include "core/base/result.hpp"
#include "run/execute/executor.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orch::attempt {

enum class FailureKind { system, harness };
constexpr auto names_of(Tag<FailureKind>) { return value_names("system", "harness"); }

// Classes that classify() derives from the end of a process, and those that the scheduler decides
// (timeout, not_ready, output_missing, ...). Names are persisted and never change.
// clang-format off
enum class FailureClass {
  cuda_oom, host_oom, dirty_gpu, gpu_fault, gpu_missing, host_too_small, cuda_driver, cuda_error,
  nccl_error, nccl_timeout, mpi_abort, mpi_lost, node_lost, job_time_limit, job_cancelled,
  not_placed, unauthorized, forbidden, not_found, rate_limited, server_error, dns_failure,
  connection_failed, tls_certificate, download_timeout, checksum_mismatch, disk_full, disk_quota,
  io_error, read_only, too_many_files, file_size_limit, no_access, shm_full, port_in_use,
  python_backend_lock, container_engine, container_unavailable, killed_externally, abandoned,
  crashed, input_lost, bus_error, illegal_instruction, model_load_failed, backend_missing,
  engine_mismatch, unsupported, assertion, missing_module, missing_library, missing_program,
  permission_denied, bad_argument, exit_status, timeout, not_ready, server_changed, died_starting,
  server_crash, output_missing, tool_mismatch, invalid_measurement, no_answer, request_refused,
  cannot_prepare, cannot_start, cannot_watch, cannot_publish, no_ports, lost, interrupted,
};
// clang-format on
constexpr auto names_of(Tag<FailureClass>) {
  return value_names(
      "cuda_oom", "host_oom", "dirty_gpu", "gpu_fault", "gpu_missing", "host_too_small",
      "cuda_driver", "cuda_error", "nccl_error", "nccl_timeout", "mpi_abort", "mpi_lost",
      "node_lost", "job_time_limit", "job_cancelled", "not_placed", "unauthorized", "forbidden",
      "not_found", "rate_limited", "server_error", "dns_failure", "connection_failed",
      "tls_certificate", "download_timeout", "checksum_mismatch", "disk_full", "disk_quota",
      "io_error", "read_only", "too_many_files", "file_size_limit", "no_access", "shm_full",
      "port_in_use", "python_backend_lock", "container_engine", "container_unavailable",
      "killed_externally", "abandoned", "crashed", "input_lost", "bus_error", "illegal_instruction",
      "model_load_failed", "backend_missing", "engine_mismatch", "unsupported", "assertion",
      "missing_module", "missing_library", "missing_program", "permission_denied", "bad_argument",
      "exit_status", "timeout", "not_ready", "server_changed", "died_starting", "server_crash",
      "output_missing", "tool_mismatch", "invalid_measurement", "no_answer", "request_refused",
      "cannot_prepare", "cannot_start", "cannot_watch", "cannot_publish", "no_ports", "lost",
      "interrupted");
}

// The properties of a class: a row of the table of classes.
struct FailureTraits {
  FailureClass failure;
  FailureKind kind;
  std::string_view meaning;  // with the remedy; shown by `orchestrate explain`
  // The class states how an attempt ended, not why; a full disk or a lost log then explains the end
  // better.
  bool vague = false;

  constexpr std::string_view name() const { return to_string(failure); }
};

// All classes, in the order of FailureClass.
std::span<const FailureTraits> failure_classes();
const FailureTraits& traits_of(FailureClass failure);

struct Verdict {
  FailureClass failure = FailureClass::exit_status;
  // How the attempt ended, and the log line that decided its class.
  std::string message;
  std::optional<double> retry_after_s = {};  // requested by a server
};

// Classifies an attempt that failed on its own. LOG is the end of its log.
Verdict classify(const execute::Ended& ended, std::string_view log);

// The failure suggested by the state of the machine at the end of an attempt: a full disk or a log
// that could not be written. nullopt if there is no such cause.
std::optional<Verdict> machine_failure(const execute::Ended& ended);

// A failure as recorded in a store.
struct RecordedFailure {
  std::string_view failure_class;  // by name: another version may have recorded it
  std::string_view message;
  std::string_view judged_by;  // failure_table_digest() at that time; "": unknown
  execute::Ended ended;        // as far as known
};

// Whether FAILURE, which is a result, must be judged again because it was judged by another table.
bool is_outdated(const RecordedFailure& failure);
// The class of an outdated failure by the present table, if that class blames the machine or the
// harness; else nullopt. LOG as for classify(). A decision of the scheduler (a time limit, the
// failure of a server) stands, except an output_missing that was an error of the machine.
std::optional<FailureClass> harness_class_of(const RecordedFailure& failure, std::string_view log);

// Exponential backoff with jitter, bounded.
struct Backoff {
  double first_s = 1;
  double factor = 2;
  double most_s = 60;
  double jitter = 0.25;   // as a fraction of the delay, in both directions
  int most_failures = 5;  // of one stage, counted across crashes; the last is final

  // The delay after FAILURES (1 or more) failures. RANDOM is in [0, 1).
  double delay_s(int failures, double random) const;
};

// The patterns that identify failures: classify() tries them in order.

inline constexpr int k_any = -1;

// One cause. It matches if all conditions that it sets hold.
struct Cause {
  FailureClass failure;
  std::string_view text = {};     // in lower case; matches a line of the log in any case
  std::string_view pattern = {};  // ECMAScript; searched in each line of the log in lower case
  int code = k_any;               // the leader's exit status
  int signal = k_any;             // the signal that ended the leader
  bool oom_killed = false;
  bool guardian_lost = false;
  bool abandoned = false;
  bool by_engine = false;  // the line must look like an error of a container engine

  constexpr bool reads_log() const { return !text.empty() || !pattern.empty() || by_engine; }
};

// The first row that matches decides.
std::span<const Cause> failure_causes();

// Twelve characters that depend on the classes and the causes, but not on their explanations. An
// attempt records the digest of the table that judged it.
const std::string& failure_table_digest();

// Whether CAUSE matches an attempt that ended as ENDED. LOG is the end of its log.
bool holds(const Cause& cause, const execute::Ended& ended, std::string_view log);

// Phrases with which container engines report their own failures: podman, docker, nerdctl,
// apptainer, and a cluster's Enroot plugin. Part of the table of causes.

std::span<const Cause> engine_causes();

// Whether LINE, a log line in lower case, looks like an error of a container engine; CODE is the
// exit status of the launch. A program inside a container prints such a line only by chance.
bool is_of_engine(std::string_view line, int code);

// The failure class of an error in our own work on an attempt: listing and hashing its outputs,
// preparing its folder, starting it.

// The class decided by the operating system's error number; OTHERWISE if the number is
// inconclusive.
FailureClass class_of_number(int number, FailureClass otherwise);
FailureClass class_of(const Error& error, FailureClass otherwise);

// The class of MESSAGE if it is the text of such an error: "cannot open /store/...: Input/output
// error". Older versions recorded these under a class that blames the program. Otherwise nullopt.
std::optional<FailureClass> class_of_message(std::string_view message);

}  // namespace orch::attempt
