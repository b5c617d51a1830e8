// Reads, hashes and copies the content of open files of any size. Holes, as in a sparse file, are
// not read. Knows no names: PATH is for messages.
#pragma once

#include "core/base/digest.hpp"
#include "core/base/result.hpp"
#include "os/system/work/long_work.hpp"

#include <string>

namespace orch::system {

// The SHA-256 of everything in FILE, a descriptor of a regular file.
Result<Digest> hash_content(int file, const std::string& path, LongWork& work);

struct CopyEnds {
  int from, to;  // descriptors of regular files; TO is empty
};
Status copy_content(CopyEnds ends, const std::string& path, LongWork& work);

}  // namespace orch::system
