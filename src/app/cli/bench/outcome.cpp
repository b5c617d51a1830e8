#include "app/cli/bench/outcome.hpp"

#include "app/cli/bench/matrix_words.hpp"
#include "app/cli/say.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace orch::cli {

void Outcome::add(record::Measurement measurement) {
  if (is_stage_of_run())
    for (auto* texts : {&measurement.verdict.reasons, &measurement.verdict.warnings})
      for (std::string& text : *texts) text = in_words_of_matrix(text);
  measurements_.push_back(std::move(measurement));
  added();
}

bool Outcome::finish() {
  if (!measurements_.empty()) completed();
  return first_failure_.empty();
}

bool Outcome::all_valid() const {
  return std::ranges::all_of(measurements_, [](const auto& one) { return one.verdict.valid; });
}

void Outcome::print(const std::string& text) {
  if (stdout_closed_) return;
  const std::string shown = safe_for(stdout, text);
  const bool written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size() &&
                       std::fflush(stdout) == 0;
  if (written) return;
  stdout_closed_ = true;
  if (errno != EPIPE) note_failure(io_error("write to", "standard output", errno));
}

void Outcome::print_verdict(const record::Measurement& one) {
  for (const std::string& reason : one.verdict.reasons)
    say(stderr, "{}: not valid: {}\n", one.load.text(), reason);
  for (const std::string& warning : one.verdict.warnings)
    say(stderr, "{}: warning: {}\n", one.load.text(), warning);
}

void Outcome::note_failure(const Status& status) {
  if (status.ok()) return;
  const std::string message = fmt::format("orchestrate {}: {}", command_, status.error().text());
  say(stderr, "{}\n", message);
  if (first_failure_.empty()) first_failure_ = message;
}

}  // namespace orch::cli
