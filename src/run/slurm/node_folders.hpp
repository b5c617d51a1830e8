// Folders that a launch names and that its node may not have: those of the host that described it.
#pragma once

#include "run/execute/executor.hpp"
#include "os/system/files.hpp"

namespace orch::slurm {

// Puts TO in place of FROM, a folder of LAUNCH that has its token in its name, wherever a word or a
// variable of it names that.
void rename_folder(execute::Launch& launch, const std::string& from, const std::string& to);

// Lets LAUNCH have its temporary folder below /tmp where the folder that it would be in is not on
// this node, in all its words and variables; and takes XDG_RUNTIME_DIR of another host from it.
void use_folders_of_node(system::Files& files, execute::Launch& launch);

}  // namespace orch::slurm
