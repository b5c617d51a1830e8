#include "load/phase_progress.hpp"

#include <fmt/format.h>

#include "wire/clock.hpp"

namespace orch::load {
namespace {

constexpr double k_period_s = 1;

}  // namespace

std::string standing(const Tally& tally, std::int64_t most, double for_s, double within_s) {
  // In this order: of what has ended all was sent.
  const std::int64_t failed = tally.failed, ended = tally.ended, sent = tally.sent;
  std::string text =
      most > 0 ? fmt::format("{} of {} requests", ended, most) : fmt::format("{} requests", ended);
  text += fmt::format(", {} in flight", sent - ended);
  if (failed > 0) text += fmt::format(", {} failed", failed);
  text += fmt::format(", {:.0f} s", for_s);
  if (within_s > 0) text += fmt::format(" of {:g} s", within_s);
  return text;
}

PhaseProgress::PhaseProgress(const std::function<void(std::string_view)>& say, std::string what,
                             std::int64_t most, double within_s)
    : say_(say),
      what_(std::move(what)),
      most_(most),
      within_s_(within_s),
      begin_ns_(wire::monotonic_ns()),
      thread_(say ? k_period_s : 0, [this] { return tell(), true; }) {}

void PhaseProgress::tell() const {
  const double for_s = static_cast<double>(wire::monotonic_ns() - begin_ns_) / 1e9;
  say_(fmt::format("{}: {}", what_, standing(tally_, most_, for_s, within_s_)));
}

std::int64_t PhaseProgress::stop() {
  thread_.stop();
  if (say_ && !std::exchange(stopped_, true)) say_("");
  return thread_.cpu_ns();
}

}  // namespace orch::load
