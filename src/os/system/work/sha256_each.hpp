// The SHA-256 of several files, in parallel. Knows nothing of what the files mean.
#pragma once

#include "os/system/files.hpp"
#include "os/system/work/long_work.hpp"
#include "os/system/work/workers.hpp"

#include <functional>
#include <string>
#include <vector>

namespace orch::system {

struct FileToHash {
  std::string path;
  std::uint64_t bytes = 0;  // its size, or a guess
};

// The digests of LIST in its order. The largest files are hashed first, by this thread and by
// helpers of WORK.
std::vector<Result<Digest>> sha256_each(Files& files, const std::vector<FileToHash>& list,
                                        LongWork& work);

// Other threads that hash, and what the calling thread does meanwhile.
struct WatchedHashing {
  Workers& workers;
  // Called a few times a second, at least once. False: the hashing is to stop.
  std::function<bool(const LongWork& work)> go_on;
  std::function<void()> over = [] {};  // called at the end
};

// As sha256_each(), by other threads only. Files that are not hashed when HOW stops them have
// ErrorKind::interrupted. What is hashed in no time is hashed by this thread, unwatched.
std::vector<Result<Digest>> sha256_each(Files& files, const std::vector<FileToHash>& list,
                                        const WatchedHashing& how);

}  // namespace orch::system
