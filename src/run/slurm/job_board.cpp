#include "run/slurm/job_board.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/text.hpp"
#include "run/slurm/job_state.hpp"

namespace orch::slurm {

namespace {

constexpr std::uint64_t k_most_board_bytes = 64 << 20;

}  // namespace

bool ShownJob::is_held() const {
  return JobState{.id = id, .batch = {}, .state = state, .reason = reason}.is_held();
}

bool ShownJob::is_waiting() const { return state.empty() || state == "PENDING"; }

std::string ShownJob::text() const {
  if (id.empty()) return "job without an id: Slurm has not answered its submission";
  if (is_waiting())
    return fmt::format("job {} {}{}", id, is_held() ? "held" : "pending",
                       reason.empty() ? "" : ": " + reason);
  return fmt::format("job {} {}{}", id, lower(state), node.empty() ? "" : " on " + node);
}

void JobBoard::show(ShownJobs jobs) {
  if (jobs == shown_) return;
  if (files_.replace(path_, json_text(value_of(jobs)) + "\n")) shown_ = std::move(jobs);
}

ShownJobs JobBoard::read() {
  const auto text = files_.read_own(path_, k_most_board_bytes);
  const auto all = parse_value(text ? *text : "");
  ShownJobs jobs;
  if (all) static_cast<void>(assign(jobs, *all));
  return jobs;
}

}  // namespace orch::slurm
