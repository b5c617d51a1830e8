// Long work on files, shared by the threads that do it and the one that waits: its progress, and
// whether it should stop.
#pragma once

#include "core/base/digest.hpp"
#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace orch::system {

class Workers;

// Thread-safe.
class LongWork {
 public:
  // HELPERS may do parts of the work, and must outlive this object. Null: one thread does it all.
  explicit LongWork(Workers* helpers = nullptr) : helpers_(helpers) {}
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

  Workers* helpers() const { return helpers_; }

  // Ends the work soon, with ErrorKind::interrupted unless it has just completed.
  void stop() { stopped_ = true; }
  bool is_stopped() const { return stopped_; }
  Status go_on() const {
    if (stopped_) return Error{ErrorKind::interrupted, "ended on request"};
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

// Threads for work that would block the calling thread.

class Workers {
 public:
  // A job that was started. The destructor waits for it to finish.
  class Running {
   public:
    virtual ~Running() = default;
  };

  virtual ~Workers() = default;
  // Runs JOB, which must not throw, on another thread. Thread-safe.
  virtual std::unique_ptr<Running> start(std::function<void()> job) = 0;
  // The number of threads that can compute at the same time, at least 1.
  virtual std::size_t cores() const = 0;
};

// A thread per job, so that jobs waiting for a disk do not delay others. These threads receive no
// signals. If no thread can be created, start() runs the job itself.
class RealWorkers final : public Workers {
 public:
  std::unique_ptr<Running> start(std::function<void()> job) override;
  std::size_t cores() const override;
};

// Reads, hashes and copies the content of open files of any size. Holes in sparse files are not
// read. PATH is only for messages.

// The SHA-256 of everything in FILE, a descriptor of a regular file. More than 64 GiB of holes are
// an error.
Result<Digest> hash_content(int file, const std::string& path, LongWork& work);

struct CopyEnds {
  int from, to;  // descriptors of regular files; TO is empty
};
Status copy_content(CopyEnds ends, const std::string& path, LongWork& work);

// The SHA-256 of several files, computed in parallel.

struct FileToHash {
  std::string path;
  std::uint64_t bytes = 0;  // its size, or an estimate
};

// The digests of LIST in order. The largest files are hashed first, by this thread and by helpers
// of WORK.
std::vector<Result<Digest>> sha256_each(Files& files, const std::vector<FileToHash>& list,
                                        LongWork& work);

// The threads that hash, and what the calling thread does meanwhile.
struct WatchedHashing {
  Workers& workers;
  // Unless the amount is small: called a few times a second, at least once. False stops the
  // hashing.
  std::function<bool(const LongWork& work)> go_on;
  std::function<void()> over = [] {};  // the same, at the end
};

// Like the other sha256_each(), but only the workers hash. Files not yet hashed when HOW stops have
// ErrorKind::interrupted. Small amounts are hashed by this thread, without calls of HOW.
std::vector<Result<Digest>> sha256_each(Files& files, const std::vector<FileToHash>& list,
                                        const WatchedHashing& how);

}  // namespace orch::system
