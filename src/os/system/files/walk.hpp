// Walks the folders of one mount by descriptors: follows no link, crosses no mount point, and keeps
// only three descriptors open at any depth.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <string>
#include <vector>

namespace orch::system {

// How a mount point is recognised, strongest method first. If the kernel lacks one, the next is
// used.
enum class MountCheck {
  openat2,   // the kernel refuses to cross (since Linux 5.6)
  mount_id,  // the numbers of the mounts differ (since Linux 5.8)
  fdinfo,    // the same numbers, but from /proc
  device,    // the device numbers differ: misses bind mounts of the same file system
};

struct WalkOptions {
  std::string top;  // the path of the top, for messages
  MountCheck strongest = MountCheck::openat2;
  // Gives this user full rights to its own folders, so that their content can be removed.
  bool take_rights = false;
};

struct Visited {
  int folder = -1;          // the containing folder, open
  const std::string& name;  // in that folder
  const std::string& path;  // relative to the top of the walk
};

// An error returned by a visitor ends the walk.
class Visitor {
 public:
  virtual ~Visitor() = default;
  // Anything but a folder.
  virtual Status file(const Visited& one) = 0;
  // A folder that was not entered because of ERROR, whose number is EXDEV for a mount point.
  virtual Status closed(const Visited& one, const Error& error) = 0;
  // A folder, after everything in it.
  virtual Status left(const Visited& one) = 0;
};

// Opens the folder NAME in PARENT. Error number EXDEV: NAME is a mount point.
Result<Descriptor> enter_folder(int parent, const std::string& name, const WalkOptions& options);
// Visits everything below TOP, which may be a mount point itself.
Status walk_tree(Descriptor top, Visitor& visitor, const WalkOptions& options);
// Whether the entry NAME of FOLDER is a mount point, folder or not. False if that cannot be told:
// before Linux 5.8 without /proc.
bool is_mount_point(int folder, const std::string& name,
                    MountCheck strongest = MountCheck::openat2);

// Lists the files below a folder, without following a link or crossing a mount point.

// Every file, link and mount point below FOLDER, sorted by path. FOLDER itself may be a link or a
// mount point.
Result<std::vector<FileEntry>> list_files(const std::string& folder,
                                          MountCheck strongest = MountCheck::openat2);

// Removes files and folders, but nothing behind a link or a mount point.

// Removes PATH, and everything below it if it is a folder. A missing PATH is not an error. A mount
// point and everything in it stay, the rest is removed, and the error names the mount point.
Status remove_path(const std::string& path, MountCheck strongest = MountCheck::openat2);

// Whether a folder belongs to this user alone and can hold programs.

// The error names who else owns FOLDER or may write to it, or states that nothing in it can be
// executed.
Status check_private(const std::string& folder);

}  // namespace orch::system
