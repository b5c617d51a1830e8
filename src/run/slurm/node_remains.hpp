// What jobs of this user leave on this node when Slurm kills them with all their processes:
// temporary folders, shared memory, containers of a daemon. Each launch has a file in a folder of
// the node, which is locked while its job lives; the next job here ends and removes what dead ones
// left.
#pragma once

#include "run/execute/executor.hpp"
#include "os/system/files.hpp"
#include "os/system/host_parts.hpp"

#include <map>
#include <string>

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

}  // namespace orch::slurm
