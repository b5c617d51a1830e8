// Lists the files below a folder, without following a link or crossing a mount point.
#pragma once

#include "os/system/files/walk.hpp"

#include <string>
#include <vector>

namespace orch::system {

// Every file, link and mount point below FOLDER, sorted by path. FOLDER may be a link or a mount
// point itself.
Result<std::vector<FileEntry>> list_files(const std::string& folder,
                                          MountCheck strongest = MountCheck::openat2);

}  // namespace orch::system
