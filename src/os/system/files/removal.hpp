// Removes files and folders, and nothing behind a link or a mount point.
#pragma once

#include "os/system/files/walk.hpp"

#include <string>

namespace orch::system {

// Removes PATH, and everything below it if it is a folder. A missing PATH is no error. A mount
// point and everything in it stay, the rest is removed, and the error names the mount point.
Status remove_path(const std::string& path, MountCheck strongest = MountCheck::openat2);

}  // namespace orch::system
