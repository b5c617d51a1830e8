#include "bench/load/phase_progress.hpp"

#include <fmt/format.h>

#include "bench/wire/clock.hpp"

namespace orch::load {
namespace {

constexpr double k_period_s = 1;

}  // namespace

std::string progress_text(const Tally& tally, std::int64_t max_requests, double elapsed_s,
                          double limit_s) {
  // Read in this order, so that `sent` is never less than `ended`.
  const std::int64_t tokens = tally.tokens, failed = tally.failed, ended = tally.ended,
                     sent = tally.sent;
  std::string text = max_requests > 0 ? fmt::format("{} of {} requests", ended, max_requests)
                                      : fmt::format("{} requests", ended);
  if (ended > 0 && elapsed_s > 0)
    text += fmt::format(", {:.3g} req/s", static_cast<double>(ended) / elapsed_s);
  if (tokens > 0 && elapsed_s > 0)
    text += fmt::format(", {:.0f} tok/s", static_cast<double>(tokens) / elapsed_s);
  text += fmt::format(", {} in flight", sent - ended);
  if (failed > 0) text += fmt::format(", {} failed", failed);
  text += fmt::format(", {:.0f} s", elapsed_s);
  if (limit_s > 0) text += fmt::format(" of {:g} s", limit_s);
  return text;
}

PhaseProgress::PhaseProgress(const std::function<void(std::string_view)>& report, std::string label,
                             std::int64_t max_requests, double limit_s)
    : report_(report),
      label_(std::move(label)),
      max_requests_(max_requests),
      limit_s_(limit_s),
      begin_ns_(wire::monotonic_ns()),
      thread_(report ? k_period_s : 0, [this] {
        report_now();
        return true;
      }) {}

void PhaseProgress::report_now() const {
  const double elapsed_s = static_cast<double>(wire::monotonic_ns() - begin_ns_) / 1e9;
  report_(fmt::format("{}: {}", label_, progress_text(tally_, max_requests_, elapsed_s, limit_s_)));
}

std::int64_t PhaseProgress::stop() {
  thread_.stop();
  if (report_ && !std::exchange(stopped_, true)) report_("");
  return thread_.cpu_ns();
}

}  // namespace orch::load
