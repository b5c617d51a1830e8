#include "store/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <thread>

namespace orch::store {

namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "?";
  return name.data();
}

Holder read_holder(const std::filesystem::path& file) {
  Holder holder;
  std::ifstream in(file);
  in >> holder.pid >> holder.host >> holder.since;
  return holder;
}

bool try_lock(int descriptor) {
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR) return false;
  return true;
}

}  // namespace

std::string Holder::text() const {
  if (pid == 0) return "a process that has just started";
  return fmt::format("pid {} on {} since {}", pid, host, since);
}

Result<Lock> Lock::take(const std::filesystem::path& file) {
  system::Descriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!descriptor) return io_error("open", file.string(), errno);
  // A process that only asks who holds the lock has it for microseconds: a few tries tell it from a
  // holder.
  static constexpr int k_tries = 6;
  for (int attempt = 1; !try_lock(descriptor.get()); ++attempt) {
    if (errno != EWOULDBLOCK) return io_error("lock", file.string(), errno);
    if (attempt == k_tries)
      return Error{
          .kind = ErrorKind::conflict,
          .message = fmt::format(
              "the store {} is in use by {}; wait for it, or name another one with --store",
              file.parent_path().string(), read_holder(file).text()),
          .where = {}};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::string text = fmt::format("{} {} {}\n", getpid(), host_name(), utc_now());
  if (ftruncate(descriptor.get(), 0) != 0 ||
      pwrite(descriptor.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return io_error("write", file.string(), errno);
  return Lock(std::move(descriptor));
}

std::optional<Holder> Lock::holder(const std::filesystem::path& file) {
  const system::Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor || try_lock(descriptor.get())) return std::nullopt;
  return read_holder(file);
}

}  // namespace orch::store
