#include "os/system/lines.hpp"

#include "core/base/text.hpp"

namespace orch::system {

namespace {

constexpr std::size_t k_block_bytes = 1 << 20;

}  // namespace

Error Lines::too_long() const {
  const auto facts = files_.stat(path_);
  return invalid(fmt::format("{} has {}, and its line at byte {} is longer than {}", path_,
                             human_bytes(facts ? facts->bytes : 0), position_,
                             human_bytes(longest_)));
}

Result<bool> Lines::next(std::string& line) {
  line.clear();
  terminated_ = false;
  while (true) {
    const std::size_t end = block_.find('\n', begin_);
    terminated_ = end != std::string::npos;
    line.append(block_, begin_, terminated_ ? end - begin_ : std::string::npos);
    if (line.size() > longest_) return too_long();
    if (terminated_) {
      begin_ = end + 1;
      position_ += line.size() + 1;
      return true;
    }
    ORCH_ASSIGN(block_, files_.read_block(path_, read_to_, k_block_bytes));
    begin_ = 0;
    read_to_ += block_.size();
    if (block_.empty()) {
      position_ += line.size();
      return !line.empty();
    }
  }
}

}  // namespace orch::system
