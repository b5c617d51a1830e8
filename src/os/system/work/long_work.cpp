#include "os/system/work/long_work.hpp"

#include "core/base/text.hpp"
#include "os/system/topology/cpu_quota.hpp"

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orch::system {

namespace {

class RunningThread final : public Workers::Running {
 public:
  explicit RunningThread(const std::function<void()>& job) {
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // the thread inherits it
    try {
      thread_ = std::thread(job);
    } catch (const std::system_error&) {
      // There are too many threads: see below.
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!thread_.joinable()) job();
  }
  ~RunningThread() override {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

constexpr std::size_t k_hashed_bytes = 256 << 10;  // at a time: part of a core's cache
constexpr std::size_t k_copied_bytes = 16 << 20;
constexpr std::array<char, k_hashed_bytes> k_zeros{};
// The zeros of holes take no disk space, but hours to hash.
constexpr off_t k_most_bytes_of_holes = off_t{64} << 30;

Status refuse_holes(int file, const std::string& path) {
  constexpr off_t k_block = 512;
  struct stat status {};
  if (::fstat(file, &status) != 0) return io_error("read", path, errno);
  // Compressed files and those on some mounts have fewer blocks even without a hole.
  if (status.st_size - status.st_blocks * k_block <= k_most_bytes_of_holes) return {};
  off_t holes = 0;
  for (off_t hole = ::lseek(file, 0, SEEK_HOLE); hole >= 0 && hole < status.st_size;) {
    const off_t data = ::lseek(file, hole, SEEK_DATA);
    holes += (data < 0 ? status.st_size : data) - hole;
    hole = data < 0 ? status.st_size : ::lseek(file, data, SEEK_HOLE);
  }
  ::lseek(file, 0, SEEK_SET);
  if (holes <= k_most_bytes_of_holes) return {};
  return invalid(
      fmt::format("{} has {}, of which {} were never written (holes); at most {} of holes "
                  "are hashed; write the file without holes",
                  path, human_bytes(static_cast<std::uint64_t>(status.st_size)),
                  human_bytes(static_cast<std::uint64_t>(holes)),
                  human_bytes(static_cast<std::uint64_t>(k_most_bytes_of_holes))));
}

// A part of a file, small enough that a stop is noticed soon.
struct Piece {
  off_t at = 0;
  std::size_t bytes = 0;
  bool is_hole = false;  // zeros that need not be read
};

// The pieces of FILE in order. The last one begins where the file ended when it was opened, and is
// data, because the file may have grown.
class Pieces {
 public:
  Pieces(int file, std::size_t most) : file_(file), most_(most) {
    struct stat status {};
    if (::fstat(file, &status) == 0) size_ = status.st_size;
    ::posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
  }

  // The piece after the one that ends at AT.
  Piece from(off_t at) {
    if (at >= size_) return {.at = at, .bytes = most_, .is_hole = false};
    if (at >= extent_end_) find_extent(at);
    return {.at = at,
            .bytes = std::min(most_, static_cast<std::size_t>(extent_end_ - at)),
            .is_hole = in_hole_};
  }

 private:
  // A file system without support for holes reports only data.
  void find_extent(off_t at) {
    const off_t data = ::lseek(file_, at, SEEK_DATA);
    in_hole_ = data > at || (data < 0 && errno == ENXIO);
    const off_t end = in_hole_ ? data : data < 0 ? data : ::lseek(file_, at, SEEK_HOLE);
    extent_end_ = end > at ? std::min(end, size_) : size_;
  }

  int file_;
  std::size_t most_;
  off_t size_ = 0, extent_end_ = 0;
  bool in_hole_ = false;
};

// The number of bytes read; 0 at the end of the file.
Result<std::size_t> read_piece(int file, const std::string& path, const Piece& piece,
                               std::vector<char>& block) {
  while (true) {
    const ssize_t count =
        ::pread(file, block.data(), std::min(piece.bytes, block.size()), piece.at);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return io_error("read", path, errno);
  }
}

Status write_piece(int file, const std::string& path, std::string_view text, off_t at) {
  while (!text.empty()) {
    const ssize_t count = ::pwrite(file, text.data(), text.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_error("copy", path, errno);
    text.remove_prefix(static_cast<std::size_t>(count));
    at += count;
  }
  return {};
}

// Copies PIECE, within the kernel if the file systems support it. Returns the number of bytes
// copied; 0 at the end of the file.
Result<std::size_t> copy_piece(CopyEnds ends, const std::string& path, const Piece& piece,
                               std::vector<char>& block) {
  off_t from = piece.at, to = piece.at;
  const ssize_t count = ::copy_file_range(ends.from, &from, ends.to, &to, piece.bytes, 0);
  if (count > 0) return static_cast<std::size_t>(count);
  block.resize(k_hashed_bytes);
  ORCH_ASSIGN(const std::size_t read, read_piece(ends.from, path, piece, block));
  ORCH_TRY(write_piece(ends.to, path, {block.data(), read}, piece.at));
  return read;
}

constexpr std::uint64_t k_worth_a_thread = 4 << 20;  // bytes
constexpr std::chrono::milliseconds k_watch{100};

std::uint64_t bytes_of(const std::vector<FileToHash>& list) {
  std::uint64_t bytes = 0;
  for (const FileToHash& file : list) bytes += file.bytes;
  return bytes;
}

std::vector<std::size_t> largest_first(const std::vector<FileToHash>& list) {
  std::vector<std::size_t> order(list.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return list[a].bytes > list[b].bytes; });
  return order;
}

}  // namespace

std::unique_ptr<Workers::Running> RealWorkers::start(std::function<void()> job) {
  return std::make_unique<RunningThread>(job);
}

std::size_t RealWorkers::cores() const { return static_cast<std::size_t>(usable_cpus()); }

Result<Digest> hash_content(int file, const std::string& path, LongWork& work) {
  ORCH_TRY(work.go_on());
  ORCH_TRY(refuse_holes(file, path));
  Sha256 hash;
  Pieces pieces(file, k_hashed_bytes);
  std::vector<char> block(k_hashed_bytes);
  for (off_t at = 0;;) {
    ORCH_TRY(work.go_on());
    const Piece piece = pieces.from(at);
    std::size_t bytes = piece.bytes;
    if (!piece.is_hole) {
      ORCH_ASSIGN(bytes, read_piece(file, path, piece, block));
    }
    if (bytes == 0) return hash.finish();
    hash.update({piece.is_hole ? k_zeros.data() : block.data(), bytes});
    work.add(bytes);
    at += static_cast<off_t>(bytes);
  }
}

Status copy_content(CopyEnds ends, const std::string& path, LongWork& work) {
  Pieces pieces(ends.from, k_copied_bytes);
  std::vector<char> block;
  off_t at = 0;
  while (true) {
    ORCH_TRY(work.go_on());
    const Piece piece = pieces.from(at);
    std::size_t bytes = piece.bytes;
    if (!piece.is_hole) {
      ORCH_ASSIGN(bytes, copy_piece(ends, path, piece, block));
    }
    if (bytes == 0) break;
    work.add(bytes);
    at += static_cast<off_t>(bytes);
  }
  // Sets the size, because a hole at the end was not written.
  if (::ftruncate(ends.to, at) != 0) return io_error("copy", path, errno);
  return {};
}

std::vector<Result<Digest>> sha256_each(Files& files, const std::vector<FileToHash>& list,
                                        LongWork& work) {
  const std::uint64_t bytes = bytes_of(list);
  work.expect(bytes);
  std::vector<Result<Digest>> digests(list.size(), Digest());
  const std::vector<std::size_t> order = largest_first(list);
  std::atomic<std::size_t> next = 0;
  const auto hash_some = [&] {
    for (std::size_t i = next++; i < order.size(); i = next++)
      digests[order[i]] = files.sha256(list[order[i]].path, work);
  };
  std::vector<std::unique_ptr<Workers::Running>> helping;
  if (Workers* helpers = work.helpers()) {
    const std::size_t most = std::min<std::uint64_t>(list.size(), 1 + bytes / k_worth_a_thread);
    while (helping.size() + 1 < std::min(most, helpers->cores()))
      helping.push_back(helpers->start(hash_some));
  }
  hash_some();
  helping.clear();
  return digests;
}

std::vector<Result<Digest>> sha256_each(Files& files, const std::vector<FileToHash>& list,
                                        const WatchedHashing& how) {
  LongWork work(&how.workers);
  if (bytes_of(list) < k_worth_a_thread) return sha256_each(files, list, work);
  std::vector<Result<Digest>> digests;
  std::mutex mutex;
  std::condition_variable ended;
  bool is_over = false;
  auto running = how.workers.start([&] {
    digests = sha256_each(files, list, work);
    const std::lock_guard lock(mutex);
    is_over = true;
    ended.notify_one();
  });
  std::unique_lock lock(mutex);
  do {
    lock.unlock();
    if (!how.go_on(work)) work.stop();
    lock.lock();
  } while (!ended.wait_for(lock, k_watch, [&] { return is_over; }));
  lock.unlock();
  running.reset();
  how.over();
  return digests;
}

}  // namespace orch::system
