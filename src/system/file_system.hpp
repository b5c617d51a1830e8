// The file system below a folder and the rights of this process there. Reads no file.
#pragma once

#include <string>

namespace orch::system {

// Whether FOLDER is on a file system that several hosts may share: shared memory reaches no other
// host there. False when FOLDER cannot be reached.
bool is_on_network(const std::string& folder);
// Whether this process may create files in FOLDER.
bool is_writable(const std::string& folder);

}  // namespace orch::system
