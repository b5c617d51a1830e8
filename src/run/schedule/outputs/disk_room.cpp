#include "run/schedule/outputs/disk_room.hpp"

#include "core/base/text.hpp"

#include <algorithm>

namespace orch::schedule {

namespace {

constexpr std::uint64_t k_spare_bytes = 16 << 20;
constexpr std::uint64_t k_spare_share = 20;  // on a small file system: a twentieth of its size
constexpr std::uint64_t k_spare_inodes = 64;

std::uint64_t spare_in(const system::FreeSpace& free) {
  return free.total_bytes ? std::min(k_spare_bytes, free.total_bytes / k_spare_share)
                          : k_spare_bytes;
}

}  // namespace

std::uint64_t room_in(const system::FreeSpace& free) {
  return free.bytes - std::min(free.bytes, spare_in(free));
}

std::string why_no_room(const system::FreeSpace& free, std::uint64_t needed,
                        const std::string& store) {
  const std::uint64_t spare = spare_in(free);
  if (free.bytes < spare || room_in(free) < needed)
    return fmt::format(
        "{} of the disk of {} are free, and the stage needs {}{}; free some space and run the "
        "same command again",
        human_bytes(free.bytes), store, needed ? human_bytes(needed) + " beside " : "",
        human_bytes(spare) + " of reserve");
  if (free.inodes < k_spare_inodes)
    return fmt::format(
        "{} files can be made on the disk of {}, and the stage needs {}; remove some files and run "
        "the same command again",
        free.inodes, store, k_spare_inodes);
  return "";
}

}  // namespace orch::schedule
