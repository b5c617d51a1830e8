// What this user's jobs leave on this node when Slurm kills them with all their processes:
// temporary folders, shared memory, containers of a daemon. Each launch has a file in a folder of
// the node, locked while its job is alive; the next job on the node ends the processes of dead
// launches and removes what they left.
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

  // Records what LAUNCH may leave, until forget(), and moves its `undo` beside the record, because
  // the folder of its attempt may be gone before the next job. Best effort.
  void keep(execute::Launch& launch);
  void forget(const std::string& token);
  // Ends the processes of dead launches and removes what they left. Returns whether all of it is
  // removed.
  bool clear(const system::Host& host);

 private:
  bool is_own() const;
  std::string note(const std::string& token) const { return folder_ + "/" + token; }
  std::string undo(const std::string& token) const { return note(token) + ".undo"; }
  void remove(const std::string& token) const;

  std::string folder_;
  std::map<std::string, system::Descriptor> kept_;  // by token; locks
};

// The paths of LAUNCH that are needed after its death, as text.
std::string remains_text(const execute::Launch& launch);
// A launch with only TOKEN and the paths in TEXT; with only TOKEN if TEXT is not from
// remains_text().
execute::Launch parse_remains(const std::string& text, const std::string& token);

// Folders of the host that described a launch, which the launch's node may lack.

// Replaces FROM, a folder of LAUNCH with its token in its name, by TO in all arguments, variables
// and commands around LAUNCH.
void rename_folder(execute::Launch& launch, const std::string& from, const std::string& to);

// If the parent of LAUNCH's temporary folder does not exist on this node, moves that folder to /tmp
// (see rename_folder()). Also removes XDG_RUNTIME_DIR if it names a folder of another host.
void use_folders_of_node(system::Files& files, execute::Launch& launch);

// Which variables the site's lines in a job's script change, and which of these a stage gets. Pure.

using Variables = std::map<std::string, std::string>;

struct SiteVariables {
  Variables set;                   // added, or with another value
  std::vector<std::string> unset;  // removed
};

// Parses the output of `env -0`.
Variables parse_variables(std::string_view text);

// The changes from BEFORE to AFTER, without variables that shells set by themselves.
SiteVariables changed_variables(const Variables& before, const Variables& after);

// Applies CHANGED to the environment of LAUNCH, except to variables that LAUNCH sets itself. Values
// of variables with a secret's name are redacted from its log.
void give_variables(const SiteVariables& changed, execute::Launch& launch);

}  // namespace orch::slurm
