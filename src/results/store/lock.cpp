#include "results/store/lock.hpp"

#include <cerrno>
#include <sstream>

namespace orch::store {

namespace {

constexpr std::uint64_t k_holder_bytes = 4096;

lease::LeaseTools tools_of(const Host& host) {
  return {.files = host.files,
          .clock = host.clock,
          .self = lease::this_process(host.clock.wall_s()),
          .says = host.says};
}

Holder read_holder(system::Files& files, const std::filesystem::path& file) {
  Holder holder;
  const auto text = files.read_text(file.string(), k_holder_bytes);
  std::istringstream in(text ? *text : "");
  in >> holder.pid >> holder.host >> holder.since;
  return holder;
}

Result<system::FileLock> take_file(const Host& host, const std::filesystem::path& file) {
  // Tries several times, because holder() in another process takes the lock for microseconds, and
  // is not a writer.
  static constexpr int k_tries = 6;
  ORCH_ASSIGN(auto taken, system::FileLock::try_file(file.string()));
  for (int attempt = 1; !taken; ++attempt) {
    if (attempt == k_tries)
      return Error{
          ErrorKind::conflict,
          fmt::format("the store {} is in use by {}; wait for it, or name another one with --store",
                      file.parent_path().string(), read_holder(host.files, file).text())};
    host.clock.sleep_s(0.02);
    ORCH_ASSIGN(taken, system::FileLock::try_file(file.string()));
  }
  return std::move(*taken);
}

constexpr std::uint64_t k_most_bytes = std::uint64_t{4} << 20,
                        k_least_bytes = std::uint64_t{64} << 10;
constexpr std::uint64_t k_share = 16;  // at most 1 / k_share of the free space

// Random bytes: a file system that compresses would allocate no space for zeros.
std::string noise(std::size_t bytes) {
  std::string out(bytes, '\0');
  std::uint64_t state = 1;
  for (char& c : out) {
    state = state * 6364136223846793005 + 1442695040888963407;
    c = static_cast<char>(state >> 56);
  }
  return out;
}

}  // namespace

// The decision whether the store is shared is made under the kernel lock. Once the store has a
// lease folder, every command uses the lease and ignores the kernel lock, which may stay taken
// forever if its host has died.
Result<Lock> Lock::take(const Host& host, const Layout& layout) {
  const std::string folder = layout.lease().string(), file = layout.lock().string();
  std::optional<system::FileLock> lock;
  if (!host.files.exists(folder)) {
    ORCH_ASSIGN(lock, take_file(host, file));
    if (host.is_shared || host.files.file_system(layout.root.string()).is_shared)
      ORCH_TRY(host.files.make_folder(folder));
  }
  if (host.files.exists(folder)) {
    ORCH_ASSIGN(lease::Lease lease, lease::Lease::take(tools_of(host), folder, host.silent_s));
    return Lock(std::move(lease));
  }
  const lease::Owner self = lease::this_process(host.clock.wall_s());
  ORCH_TRY(host.files.truncate(file, 0));
  // The text is used only in messages, so it may be missing on a full disk.
  static_cast<void>(
      host.files.append(file, fmt::format("{} {} {}\n", self.pid, self.host, self.since)).ok());
  return Lock(std::move(*lock));
}

std::optional<Holder> Lock::holder(const Host& host, const Layout& layout) {
  if (host.files.exists(layout.lease().string()))
    return lease::Lease::holder(tools_of(host), layout.lease().string());
  if (!system::FileLock::is_held(layout.lock().string())) return std::nullopt;
  return read_holder(host.files, layout.lock());
}

void Ballast::keep() {
  if (files_.exists(path_)) return;
  const auto space = files_.free_space(root_);
  const std::uint64_t bytes = space ? std::min(k_most_bytes, space->bytes / k_share) : 0;
  if (bytes < k_least_bytes) return;
  if (!files_.put(path_, noise(static_cast<std::size_t>(bytes))).ok())
    static_cast<void>(files_.remove_tree(path_).ok());
}

bool Ballast::release() { return files_.exists(path_) && files_.remove_tree(path_).ok(); }

void Ballast::release_if_low() {
  const auto space = files_.free_space(root_);
  if (space && space->bytes < k_least_bytes * k_share) release();
}

bool is_full(const Error& error) { return error.number == ENOSPC || error.number == EDQUOT; }

}  // namespace orch::store
