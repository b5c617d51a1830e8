// The scheduler's interface to the private folders of attempts: laid out before an attempt starts,
// checked and published after it ends. Workspace implements it; a simulation has no folders.
#pragma once

#include "os/system/files.hpp"
#include "os/system/work/long_work.hpp"
#include "plan/graph/plan.hpp"
#include "run/attempt/layout.hpp"
#include "run/attempt/readiness.hpp"
#include "run/execute/executor.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace orch::attempt {

using Ports =
    std::map<std::string, int>;  // by name: "http"; "serve.http": that of a needed service

struct Attempt {
  const plan::Stage* stage = nullptr;
  int number = 1;
  std::string token;  // letters and digits, unique on this host
  Ports ports;
  std::vector<int> gpus;       // the GPUs that it holds, by NVML number; empty: none
  std::vector<int> cpus = {};  // the CPUs that it is bound to; empty: all of the host
  std::set<int> nodes = {};    // the NUMA nodes that its memory is bound to; empty: any
};

// An attempt that can be launched.
struct Prepared {
  Attempt attempt;
  std::string artifact = {};  // the name of its folder under artifacts/ once published
  std::string out = {};       // absolute; its output folder
  std::string shared = {};    // its folder in the cache, which contains `out`; "" if there is none
  execute::Launch launch = {};  // empty argv: there is no process to start
  Probe probe = {};             // of a service
  std::string log = {};         // relative to the store
  // The versions of its tools, "tritonserver 2.51.0, openvino-genai 2026.4.1.0"; "" if the stage
  // names none, or they cannot be read.
  std::string tool_version = {};
};

// lay_out(), check(), publish(), remove_output() and both discard calls may run on several threads,
// for different attempts and stages; the other calls come from one thread.
class AttemptFolders {
 public:
  virtual ~AttemptFolders() = default;
  // Prepares the attempts and fills in every known symbol; writes nothing. Several attempts form a
  // batch: they share the process, work folder and log of the first one.
  virtual std::vector<Prepared> describe(const std::vector<Attempt>& attempts) = 0;
  // Creates the folders of the attempts of one process, and writes their files and, for a batch,
  // the list of jobs. After an error, call discard_failed().
  virtual Status lay_out(const std::vector<const Prepared*>& prepared, system::LongWork& work) = 0;
  // Redacts a measurement's record. Checks that every declared output exists and is not empty, also
  // behind links, that nothing is mounted there, and that no link points out of an output that will
  // be moved; hashes every file. For an attempt that was already published before a crash, returns
  // the published files.
  // ErrorKind::invalid: the outputs are not as declared. ErrorKind::not_found: the folder of the
  // attempt, or a file that existed, was removed.
  virtual Result<std::vector<PublishedFile>> check(const Prepared& prepared,
                                                   system::LongWork& work) = 0;
  // Publishes the outputs durably under artifacts/. After an error they are not published. Does
  // nothing if the attempt was already published.
  virtual Status publish(const Prepared& prepared, const std::vector<PublishedFile>& files,
                         system::LongWork& work) = 0;
  // Removes the folder of an attempt that succeeded or was lost.
  virtual void discard(const Prepared& prepared) = 0;
  // Removes the outputs of an attempt that failed. With KEEP_WORK, keeps the rest of its folder for
  // the user; otherwise removes the whole folder, and truncates the log to its first MiB.
  virtual void discard_failed(const Prepared& prepared, bool keep_work) = 0;
  // Removes the published output of STAGE, a task.
  virtual void remove_output(const plan::Stage& stage) = 0;
  // Whether lay_out() found the output in the cache, so that there is no process to start.
  virtual bool is_taken(const Prepared& prepared) const = 0;
  // Why the output of STAGE, a task, cannot be read as it was published; "" if it can. Compares
  // names and sizes.
  virtual std::string damage(const plan::Stage& stage) = 0;
  virtual bool can_see(const std::string& path) = 0;
  // The free space of the store's file system.
  virtual Result<system::FreeSpace> free_space() = 0;
  // The last LINES lines of a log.
  virtual Result<std::string> log_tail(const std::string& log, std::size_t lines) = 0;

  // Reports the warnings that have been collected from all threads.
  virtual void tell_warnings() = 0;
  virtual const Layout& layout() const = 0;
};

}  // namespace orch::attempt
