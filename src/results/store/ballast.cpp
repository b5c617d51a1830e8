#include "results/store/ballast.hpp"

#include <cerrno>

namespace orch::store {

namespace {

constexpr std::uint64_t k_most_bytes = std::uint64_t{4} << 20,
                        k_least_bytes = std::uint64_t{64} << 10;
constexpr std::uint64_t k_share = 16;  // of the free space, at most one part in so many

// A file system that compresses would give zeros no space.
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
