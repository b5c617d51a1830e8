// Long work with files, as seen by the threads that do it and by the one that waits for it: how far
// it has come, and whether it is to stop.
#pragma once

#include "core/base/digest.hpp"
#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace orch::system {

class Workers;

// Safe from any thread.
class LongWork {
 public:
  // HELPERS may do parts of the work, and must outlive this. Null: one thread does it all.
  explicit LongWork(Workers* helpers = nullptr) : helpers_(helpers) {}
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

  Workers* helpers() const { return helpers_; }

  // The work ends soon, with ErrorKind::interrupted unless it was just complete.
  void stop() { stopped_ = true; }
  bool is_stopped() const { return stopped_; }
  Status go_on() const {
    if (stopped_) return Error{ErrorKind::interrupted, "ended on request", {}};
    return {};
  }

  void expect(std::uint64_t bytes) { expected_bytes_ += bytes; }
  void add(std::uint64_t bytes) { done_bytes_ += bytes; }
  std::uint64_t expected_bytes() const { return expected_bytes_; }
  std::uint64_t done_bytes() const { return done_bytes_; }

 private:
  Workers* const helpers_;
  std::atomic<bool> stopped_ = false;
  std::atomic<std::uint64_t> expected_bytes_ = 0, done_bytes_ = 0;
};

// Threads for work that would keep the calling thread from its duties. Knows nothing of the work.

class Workers {
 public:
  // A job that was started. The destructor waits for its end.
  class Running {
   public:
    virtual ~Running() = default;
  };

  virtual ~Workers() = default;
  // Runs JOB, which must not throw, on another thread. Safe from any thread.
  virtual std::unique_ptr<Running> start(std::function<void()> job) = 0;
  // How many threads can compute at the same time, at least 1.
  virtual std::size_t cores() const = 0;
};

// A thread per job: jobs that wait for a disk hold up no others. No signal reaches these threads.
// Where no thread can be made, start() does the job itself.
class RealWorkers final : public Workers {
 public:
  std::unique_ptr<Running> start(std::function<void()> job) override;
  std::size_t cores() const override;
};

// Reads, hashes and copies the content of open files of any size. Holes, as in a sparse file, are
// not read. Knows no names: PATH is for messages.

// The SHA-256 of everything in FILE, a descriptor of a regular file.
Result<Digest> hash_content(int file, const std::string& path, LongWork& work);

struct CopyEnds {
  int from, to;  // descriptors of regular files; TO is empty
};
Status copy_content(CopyEnds ends, const std::string& path, LongWork& work);

// The SHA-256 of several files, in parallel. Knows nothing of what the files mean.

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
