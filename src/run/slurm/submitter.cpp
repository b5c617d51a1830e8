#include "run/slurm/submitter.hpp"

#include "os/system/kill_point.hpp"

#include <algorithm>
#include <iterator>

namespace orch::slurm {

namespace {

constexpr double k_most_gathers = 20;

void refuse(std::vector<Submitter::Placed>& placed, const Error& why) {
  for (Submitter::Placed& one : placed) one.refused = why.message;
}

void name_jobs(std::vector<Submitter::Placed>& placed, const std::string& id) {
  for (Submitter::Placed& one : placed)
    one.id = placed.size() > 1 ? fmt::format("{}_{}", id, one.place.index) : id;
}

}  // namespace

void Submitter::add(const std::string& token, const std::vector<std::string>& words) {
  queue_.push_back({token, words, clock_.now_s()});
}

bool Submitter::remove(const std::string& token) {
  const bool was_there =
      std::erase_if(queue_, [&](const Queued& one) { return one.token == token; }) > 0;
  if (queue_.empty()) forget_limit();
  return was_there;
}

bool Submitter::is_gathering() const {
  const double now_s = clock_.now_s();
  return !queue_.empty() && (now_s < limited_until_s_ ||
                             (now_s < queue_.back().at_s + options_.gather_s &&
                              now_s < queue_.front().at_s + k_most_gathers * options_.gather_s));
}

std::vector<Submitter::Placed> Submitter::submit() {
  std::map<std::vector<std::string>, std::vector<std::string>> groups;
  for (Queued& one : queue_) groups[one.words].push_back(std::move(one.token));
  queue_.clear();
  std::vector<Placed> placed;
  for (const auto& [words, tokens] : groups) submit_group(words, tokens, placed);
  if (queue_.empty()) forget_limit();
  return placed;
}

void Submitter::submit_group(const std::vector<std::string>& words,
                             const std::vector<std::string>& tokens, std::vector<Placed>& into) {
  for (auto from = tokens.begin(); from != tokens.end();) {
    const std::size_t count =
        std::min({options_.most_in_array, room_, static_cast<std::size_t>(tokens.end() - from)});
    const auto to = from + static_cast<std::ptrdiff_t>(count);
    if (submit(words, {from, to}, into)) {
      from = to;
      if (room_ != SIZE_MAX) room_ = 2 * count;
    } else {
      room_ = std::max<std::size_t>(1, count / 2);
      if (count == 1) return keep(words, {from, tokens.end()});
    }
  }
}

void Submitter::forget_limit() {
  room_ = SIZE_MAX;
  limited_until_s_ = 0;
  has_told_ = false;
}

void Submitter::keep(const std::vector<std::string>& words,
                     const std::vector<std::string>& tokens) {
  const double now_s = clock_.now_s();
  for (const std::string& token : tokens) queue_.push_back({token, words, now_s});
  limited_until_s_ = now_s + options_.limited_s;
  if (std::exchange(has_told_, true)) return;
  options_.tell(fmt::format(
      "Slurm takes no more of your jobs at present ({}); the others follow when there is room",
      limit_));
}

bool Submitter::submit(const std::vector<std::string>& words,
                       const std::vector<std::string>& tokens, std::vector<Placed>& into) {
  const std::string batch = system::new_token();
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    placed.push_back({.token = tokens[i], .place = {batch, static_cast<int>(i)}});
  if (const Status written = write_batch(batch, tokens); !written) {
    refuse(placed, written.error());
  } else {
    Submission job = submission(batch, words, tokens.size());
    system::kill_point("slurm-before-submit");
    const auto id = slurm_.submit(job);
    system::kill_point("slurm-after-submit");
    if (!id && id.error().kind == ErrorKind::conflict) {
      files_.forget_batch(batch);
      limit_ = id.error().message;
      return false;
    }
    if (!id && id.error().kind == ErrorKind::unavailable)
      unsure_[batch] = {std::move(job), placed, clock_.now_s()};
    else if (!id) refuse(placed, id.error());
    else name_jobs(placed, *id);
  }
  std::move(placed.begin(), placed.end(), std::back_inserter(into));
  return true;
}

Status Submitter::write_batch(const std::string& batch, const std::vector<std::string>& tokens) {
  return files_.write_batch({.name = batch,
                             .tokens = tokens,
                             .extra = options_.extra,
                             .program = options_.program,
                             .ports = options_.ports});
}

Submission Submitter::submission(const std::string& batch, const std::vector<std::string>& words,
                                 std::size_t tasks) const {
  const std::string folder = files_.batch_folder(batch);
  Submission made{.script = folder + "/script.sh",
                  .comment = batch,
                  .name = job_name(batch),
                  .output = folder + (tasks > 1 ? "/said.%a" : "/said"),
                  .tasks = tasks,
                  .options = options_.words};
  made.options.insert(made.options.end(), words.begin(), words.end());
  return made;
}

std::optional<JobPlace> Submitter::submit_cleanup(const std::string& node) {
  const std::string batch = system::new_token();
  if (write_batch(batch, {}) &&
      slurm_.submit(submission(batch, {"--nodes=1", "--ntasks=1", "--nodelist=" + node}, 1)))
    return JobPlace{batch, 0};
  files_.forget_batch(batch);
  return std::nullopt;
}

std::vector<Submitter::Placed> Submitter::settle(
    const OwnJobs& jobs, const std::function<bool(const std::string&)>& is_wanted) {
  std::vector<Placed> refused;
  for (const JobState& job : jobs.all()) unsure_.erase(job.batch);
  for (auto at = unsure_.begin(); at != unsure_.end();) {
    Unsure& unsure = at->second;
    const bool wanted = is_wanted(at->first);
    if (wanted && clock_.now_s() < unsure.since_s + options_.settles_s) {
      ++at;
      continue;
    }
    unsure.since_s = clock_.now_s();
    const auto id = wanted ? slurm_.submit(unsure.submission) : Result<std::string>("");
    if (!id && id.error().kind == ErrorKind::unavailable) {
      ++at;
      continue;
    }
    // If the queue has no room, the launches are treated like those of a job that the controller
    // forgot.
    if (!id && id.error().kind != ErrorKind::conflict) {
      refuse(unsure.placed, id.error());
      std::move(unsure.placed.begin(), unsure.placed.end(), std::back_inserter(refused));
    }
    at = unsure_.erase(at);
  }
  return refused;
}

}  // namespace orch::slurm
