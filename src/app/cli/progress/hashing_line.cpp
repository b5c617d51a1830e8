#include "app/cli/progress/hashing_line.hpp"

#include "core/base/text.hpp"
#include "app/cli/say.hpp"

namespace orch::cli {

void HashingLine::show(std::uint64_t done_bytes, std::uint64_t expected_bytes) {
  if (!screen_.terminal || expected_bytes == 0) return;
  const std::string text =
      fmt::format("{}: {} of {}", what_, human_bytes(done_bytes), human_bytes(expected_bytes));
  draw(screen_.stream, "\r\x1b[K" + printable(text.substr(0, screen_.columns - 1)));
  drawn_ = true;
}

void HashingLine::erase() {
  if (std::exchange(drawn_, false)) draw(screen_.stream, "\r\x1b[K");
}

system::WatchedHashing HashingLine::shown(system::Workers& workers) {
  return {.workers = workers,
          .go_on =
              [this](const system::LongWork& work) {
                show(work.done_bytes(), work.expected_bytes());
                return true;
              },
          .over = [this] { erase(); }};
}

}  // namespace orch::cli
