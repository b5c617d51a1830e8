// The private folder of an attempt: laid out before it starts, checked and published by rename
// after it ends. Nobody reads what is not published. Starts no process.
#pragma once

#include "execute/executor.hpp"
#include "attempt/layout.hpp"
#include "attempt/published_file.hpp"
#include "attempt/readiness.hpp"
#include "plan/plan.hpp"
#include "system/files.hpp"

#include <map>
#include <string>
#include <vector>

namespace orch::attempt {

using Provided = std::map<plan::StageId, std::string>;  // absolute path of its output
Provided provided_by(const plan::Plan& plan);

using Ports = std::map<std::string, int>;  // "http", and "serve.http" for a needed service's

struct Attempt {
  const plan::Stage* stage = nullptr;
  int number = 1;
  std::string token;  // letters and digits, unique on this host
  Ports ports;
  std::vector<int> gpus;  // the ones it may use, as NVML counts; empty: whatever it finds
  int block = 0;          // how often this was measured in the present server session
};

// An attempt that can be launched.
struct Prepared {
  Attempt attempt;
  std::string artifact;      // name of the folder under artifacts/ that it will be published as
  std::string out;           // absolute; where it writes
  execute::Launch launch;    // argv empty: nothing to start, the outputs are there already
  Probe probe;               // of a service
  std::string log;           // relative to the store
  std::string tool_version;  // "tritonserver 2.51.0, openvino-genai 2026.4.1.0"; "" when the stage
                             // names no tools
};

class Workspace {
 public:
  // FILES must outlive this. INHERITED is our own environment, from which stages get what they may
  // see. PROVIDED: stages whose output stands elsewhere; they are read there, and nothing is ever
  // written for them.
  Workspace(system::Files& files, Layout layout, std::map<std::string, std::string> inherited,
            Provided provided = {});

  // What CUDA calls the GPUs that are not called by their numbers.
  void name_gpus(std::map<int, std::string> names) { gpu_names_ = std::move(names); }
  // What the attempts will be: every symbol filled in, nothing written. Several attempts are a
  // batch: they share the first one's process, work folder and log.
  std::vector<Prepared> describe(const std::vector<Attempt>& attempts);
  // Makes the folders of one process's attempts and writes their rendered and copied files and the
  // list of jobs.
  Status lay_out(const std::vector<const Prepared*>& prepared);
  // Declared outputs exist and hold something, and no link leads out of an output that is to be
  // moved; every file is hashed. Of an attempt that was published before we died: what was
  // published.
  Result<std::vector<PublishedFile>> check(const Prepared& prepared);
  // Moves the outputs, durable, to where others read them; after this they exist or, on error, do
  // not. Of an attempt that was published before: nothing.
  Status publish(const Prepared& prepared, const std::vector<PublishedFile>& files);
  // Removes the attempt's folder. With KEEP the folder stays for the curious.
  void discard(const Prepared& prepared, bool keep);
  // What an attempt of a run that died can be found by, when its stage is not known any more.
  execute::Launch remnant(const std::string& token, const std::string& log) const;
  // Removes all that an attempt may have left here, whatever it was.
  void forget(const std::string& token);
  // The last lines of a log, for messages.
  std::string log_tail(const std::string& log, std::size_t lines);

  const Layout& layout() const { return layout_; }

 private:
  std::optional<std::string> symbol(const Prepared& prepared, std::string_view name) const;
  std::string resolve(const Prepared& prepared, std::string_view text) const;
  std::string output_of(const plan::StageId& id) const;
  Status write_files(const Prepared& prepared);
  Status place(const Prepared& prepared, const runner::Place& place);
  Prepared describe(const Attempt& attempt);
  std::optional<std::vector<PublishedFile>> published_before(const Prepared& prepared);
  Status check_links(const Prepared& prepared, const std::vector<system::FileEntry>& entries);
  std::string read_versions(const Prepared& prepared);
  Status lay_out(const Prepared& prepared);
  void fill_launch(Prepared& prepared);
  void fill_probe(Prepared& prepared);

  system::Files& files_;
  Layout layout_;
  std::map<std::string, std::string> inherited_;
  Provided provided_;
  std::map<int, std::string> gpu_names_;
};

// The environment of a stage: the allow-list (PATH HOME USER LANG LC_ALL TZ TMPDIR) and what
// `inherit` names, from INHERITED, then ENV on top.
std::map<std::string, std::string> stage_environment(
    const std::map<std::string, std::string>& inherited, const std::vector<std::string>& inherit,
    const std::map<std::string, std::string>& env);

}  // namespace orch::attempt
