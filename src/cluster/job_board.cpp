#include "cluster/job_board.hpp"

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "cluster/job_state.hpp"

#include <nlohmann/json.hpp>

namespace orch::cluster {

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
  nlohmann::json all = nlohmann::json::object();
  for (const auto& [token, job] : jobs)
    all[token] = {{"id", job.id}, {"state", job.state}, {"reason", job.reason}, {"node", job.node}};
  if (files_.replace(path_, dump(all) + "\n")) shown_ = std::move(jobs);
}

ShownJobs JobBoard::read() {
  const auto text = files_.read_own(path_, k_most_board_bytes);
  const auto all = nlohmann::json::parse(text ? *text : "", nullptr, false);
  ShownJobs jobs;
  if (!all.is_object()) return jobs;
  try {
    for (const auto& [token, job] : all.items())
      jobs[token] = {.id = job.at("id"),
                     .state = job.at("state"),
                     .reason = job.at("reason"),
                     .node = job.at("node")};
  } catch (const nlohmann::json::exception&) {
    jobs.clear();
  }
  return jobs;
}

}  // namespace orch::cluster
