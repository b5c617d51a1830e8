// What this user's jobs leave on this node when Slurm kills them with all their processes:
// temporary folders, shared memory, containers of a daemon. Each launch has a file in a folder of
// the node, locked while its job is alive; the next job here ends and removes the remains of dead
// ones.
#pragma once

#include "os/system/files.hpp"
#include "os/system/host_parts.hpp"
#include "run/execute/executor.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::slurm {

class NodeRemains {
 public:
  // FOLDER must belong to this user alone; otherwise this does nothing.
  explicit NodeRemains(std::string folder) : folder_(std::move(folder)) {}

  // Notes what LAUNCH would leave, until forget(), and moves its `undo` next to the note: the
  // folder of its attempt may be gone before the next job. Best effort.
  void keep(execute::Launch& launch);
  void forget(const std::string& token);
  void clear(const system::Host& host);

 private:
  bool is_own() const;
  std::string note(const std::string& token) const { return folder_ + "/" + token; }
  std::string undo(const std::string& token) const { return note(token) + ".undo"; }
  void remove(const std::string& token) const;

  std::string folder_;
  std::map<std::string, system::Descriptor> kept_;  // by token; locks
};

// The names of everything to be removed with LAUNCH, as text.
std::string remains_text(const execute::Launch& launch);
// A launch with only these names and TOKEN; an empty one if TEXT is not from remains_text().
execute::Launch parse_remains(const std::string& text, const std::string& token);

// Folders that a launch refers to but its node may lack: those of the host that described it.

// Replaces FROM, a folder of LAUNCH with its token in its name, by TO in all arguments and
// variables.
void rename_folder(execute::Launch& launch, const std::string& from, const std::string& to);

// Moves the temporary folder of LAUNCH below /tmp if its parent does not exist on this node, in all
// arguments and variables; and removes another host's XDG_RUNTIME_DIR.
void use_folders_of_node(system::Files& files, execute::Launch& launch);

// What the site's lines in a job's script change in its environment, and what a stage gets of it.
// Pure.

using Variables = std::map<std::string, std::string>;

struct SiteVariables {
  Variables set;                   // added, or with another value
  std::vector<std::string> unset;  // removed
};

// Parses the output of `env -0`.
Variables parse_variables(std::string_view text);

// From BEFORE to AFTER, without variables that a shell sets by itself.
SiteVariables changed_variables(const Variables& before, const Variables& after);

// Applies the changes to the environment of LAUNCH, except for variables that it sets itself.
// Values that look like secrets are kept out of its log.
void give_variables(const SiteVariables& changed, execute::Launch& launch);

}  // namespace orch::slurm
