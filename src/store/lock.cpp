#include "store/lock.hpp"

#include <unistd.h>

#include <array>
#include <ctime>
#include <sstream>

namespace orch::store {

namespace {

constexpr std::uint64_t k_holder_bytes = 4096;

std::string utc(double wall_s) {
  const auto now = static_cast<std::time_t>(wall_s);
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

Holder read_holder(system::Files& files, const std::filesystem::path& file) {
  Holder holder;
  const auto text = files.read_text(file.string(), k_holder_bytes);
  std::istringstream in(text ? *text : "");
  in >> holder.pid >> holder.host >> holder.since;
  return holder;
}

}  // namespace

std::string Holder::text() const {
  if (pid == 0) return "a process that has just started";
  return fmt::format("pid {} on {} since {}", pid, host, since);
}

Result<Lock> Lock::take(const Host& host, const std::filesystem::path& file) {
  // holder() in another process takes the lock for microseconds: a few tries tell it from a writer.
  static constexpr int k_tries = 6;
  ORCH_ASSIGN(auto taken, system::FileLock::try_file(file.string()));
  for (int attempt = 1; !taken; ++attempt) {
    if (attempt == k_tries)
      return Error{
          .kind = ErrorKind::conflict,
          .message = fmt::format(
              "the store {} is in use by {}; wait for it, or name another one with --store",
              file.parent_path().string(), read_holder(host.files, file).text()),
          .where = {}};
    host.clock.sleep_s(0.02);
    ORCH_ASSIGN(taken, system::FileLock::try_file(file.string()));
  }
  ORCH_TRY(host.files.truncate(file.string(), 0));
  // Only messages read it: on a full disk it may be missing.
  static_cast<void>(host.files
                        .append(file.string(), fmt::format("{} {} {}\n", getpid(), host_name(),
                                                           utc(host.clock.wall_s())))
                        .ok());
  return Lock(std::move(*taken));
}

std::optional<Holder> Lock::holder(system::Files& files, const std::filesystem::path& file) {
  if (!system::FileLock::is_held(file.string())) return std::nullopt;
  return read_holder(files, file);
}

}  // namespace orch::store
