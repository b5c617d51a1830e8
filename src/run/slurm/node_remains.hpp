// What jobs of this user leave on this node when Slurm kills them with all their processes:
// temporary folders, shared memory, containers of a daemon. Each launch has a file in a folder of
// the node, which is locked while its job lives; the next job here ends and removes what dead ones
// left.
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
  // FOLDER belongs to this user alone; where it does not, this does nothing.
  explicit NodeRemains(std::string folder) : folder_(std::move(folder)) {}

  // Notes what LAUNCH would leave, until forget(), and moves its `undo` beside the note: the folder
  // of its attempt may be gone before the next job. Best effort.
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

// Of LAUNCH, the names of what is to be removed with it, as text.
std::string remains_text(const execute::Launch& launch);
// Has only these, and TOKEN; nothing where TEXT is not of remains_text().
execute::Launch parse_remains(const std::string& text, const std::string& token);

// Folders that a launch names and that its node may not have: those of the host that described it.

// Puts TO in place of FROM, a folder of LAUNCH that has its token in its name, wherever a word or a
// variable of it names that.
void rename_folder(execute::Launch& launch, const std::string& from, const std::string& to);

// Lets LAUNCH have its temporary folder below /tmp where the folder that it would be in is not on
// this node, in all its words and variables; and takes XDG_RUNTIME_DIR of another host from it.
void use_folders_of_node(system::Files& files, execute::Launch& launch);

// What the site's lines of a job's script change in its environment, and what a stage gets of it.
// Pure.

using Variables = std::map<std::string, std::string>;

struct SiteVariables {
  Variables set;                   // added, or with another value
  std::vector<std::string> unset;  // taken away
};

// What `env -0` prints.
Variables parse_variables(std::string_view text);

// From BEFORE to AFTER; without what a shell sets by itself.
SiteVariables changed_variables(const Variables& before, const Variables& after);

// Changes the environment of LAUNCH likewise, but for the variables that it states itself. What
// looks like a secret is kept out of its log.
void give_variables(const SiteVariables& changed, execute::Launch& launch);

}  // namespace orch::slurm
