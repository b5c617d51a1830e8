#include "run/schedule/outputs/needless_outputs.hpp"

#include "core/base/text.hpp"
#include "os/system/kill_point.hpp"

#include <algorithm>

namespace orch::schedule {

using runner::Kind;

namespace {

constexpr std::string_view k_stage = "{stage:";

// Adds the stages that TEXT names as {stage:ID} to FOUND.
void find_names(std::string_view text, std::set<plan::StageId>& found) {
  for (auto at = text.find(k_stage); at != text.npos; at = text.find(k_stage, at)) {
    at += k_stage.size();
    found.emplace(text.substr(at, text.find('}', at) - at));
  }
}

// The stages named in the texts of STAGE.
std::set<plan::StageId> named_by(const plan::Stage& stage) {
  std::set<plan::StageId> found;
  for (const std::string& word : stage.spec.argv) find_names(word, found);
  for (const auto* map : {&stage.spec.env, &stage.spec.job})
    for (const auto& [name, text] : *map) find_names(text, found);
  for (const runner::Copy& copy : stage.spec.copy) find_names(copy.from, found);
  for (const runner::Place& place : stage.spec.place) find_names(place.from, found);
  return found;
}

}  // namespace

NeedlessOutputs::NeedlessOutputs(RunState& run)
    : run_(run),
      any_(run.options.removes_outputs &&
           std::ranges::any_of(run.plan.stages,
                               [](const plan::Stage& stage) { return stage.passing; })) {
  if (!any_) return;
  find_users();
  find_chains();
  gone_.resize(run.plan.stages.size());
  for (Index i = 0; i < run.plan.stages.size(); ++i) run_.ended.insert(i);
}

void NeedlessOutputs::find_users() {
  const auto& stages = run_.plan.stages;
  users_.resize(stages.size());
  for (Index i = 0; i < stages.size(); ++i) {
    // These users last: an in-place output, which may read its inputs later, and a rendered text,
    // which all readers of its stage's output read.
    std::set<plan::StageId> rendered, named = named_by(stages[i]);
    for (const auto& [file, text] : stages[i].rendered) find_names(text, rendered);
    for (const auto& [name, id] : stages[i].needs) named.insert(id);
    // A container sees the outputs of everything that its stage needs.
    if (stages[i].spec.container)
      for (const Index need : run_.graph.with_needs({i})) named.insert(stages[need].id);
    named.erase(stages[i].id);
    named.insert(rendered.begin(), rendered.end());
    for (const plan::StageId& id : named)
      if (const auto found = run_.graph.index.find(id); found != run_.graph.index.end())
        users_[found->second].push_back(
            {.stage = i, .lasts = stages[i].spec.in_place || rendered.contains(id)});
  }
}

void NeedlessOutputs::find_chains() {
  const auto& stages = run_.plan.stages;
  std::map<std::vector<Index>, std::uint64_t> by_needs;  // many measurements have the same needs
  for (Index i = 0; i < stages.size(); ++i) {
    if (run_.kind(i) != Kind::measure) continue;
    measurements_.push_back(i);
    auto [known, is_new] = by_needs.try_emplace(run_.graph.needs[i], 0);
    if (is_new)
      for (const Index need : run_.graph.with_needs({i}))
        if (run_.stages.in_run(need)) known->second += run_.demands.of(need).disk_bytes;
    most_bytes_ = std::max(most_bytes_, known->second);
  }
}

bool NeedlessOutputs::is_settled(Index i) const {
  const plan::Stage& stage = run_.stage(i);
  if (stage.status == plan::Status::reuse || stage.status == plan::Status::reject) return true;
  if (stage.after_until || run_.options.given_up.contains(stage.id)) return false;
  if (stage.status != plan::Status::run) return stage.status != plan::Status::undecided;
  switch (run_.stages.get(i)) {
    case State::done:
    case State::reused: return true;
    case State::failed: return !run_.stages[i].is_tried_again;
    case State::skipped: {
      const auto& needs = run_.graph.needs[i];
      return std::ranges::all_of(needs, [&](Index need) {
        const State state = run_.stages.get(need);
        return (state != State::failed && state != State::skipped && state != State::cancelled) ||
               is_settled(need);
      });
    }
    default: return false;
  }
}

bool NeedlessOutputs::is_needless(Index task) const {
  return std::ranges::all_of(users_[task], [&](const User& user) {
    if (!is_settled(user.stage)) return false;
    if (user.lasts) return is_needless(user.stage);
    const auto& measurements = run_.graph.dependants[user.stage];
    return run_.kind(user.stage) != Kind::service ||
           std::ranges::all_of(measurements,
                               [&](Index measurement) { return is_settled(measurement); });
  });
}

void NeedlessOutputs::remove() {
  if (!any_ || run_.ended.empty() || run_.log.has_uncommitted()) return;
  std::set<Index> looked_at;
  for (const Index ended : std::exchange(run_.ended, {}))
    for (const Index stage : run_.graph.with_needs({ended})) looked_at.insert(stage);
  for (const Index i : looked_at) {
    const plan::Stage& stage = run_.stage(i);
    const bool is_made = stage.status != plan::Status::run || run_.stages.get(i) == State::done;
    if (!stage.passing || gone_[i] || !is_made || !is_needless(i)) continue;
    gone_[i] = true;
    std::vector<std::string> tokens = run_.tools.journal.makers_of(stage.id).value_or({});
    if (tokens.empty()) continue;
    run_.stages[i].is_removed = true;
    const std::string token = tokens.back();
    run_.log.note(OutputRemoved{.stage = stage.id, .tokens = std::move(tokens), .at = run_.wall()});
    run_.log.after_commit([this, &stage, token] {
      system::kill_point("removal-recorded");
      ++removing_;
      run_.file_work.start(
          "output " + token,
          [this, &stage, &workspace = run_.tools.workspace](system::LongWork&) -> FileWork::Next {
            workspace.remove_output(stage);
            system::kill_point("output-removed");
            return [this, &workspace] {
              --removing_;
              workspace.tell_warnings();
            };
          });
    });
  }
}

std::optional<Index> NeedlessOutputs::first_left() const {
  const auto is_over = [&](Index i) {
    return !run_.stages.in_run(i) || is_final(run_.stages.get(i));
  };
  while (first_ < measurements_.size() && is_over(measurements_[first_])) ++first_;
  for (std::size_t at = first_; at < measurements_.size(); ++at) {
    const Index i = measurements_[at];
    // Measurements that are made alone come last.
    if (!is_over(i) && (run_.stages.only_alone_left() || !run_.stage(i).alone)) return i;
  }
  return std::nullopt;
}

bool NeedlessOutputs::is_held_back(Index task) const {
  if (!any_) return false;
  const auto room = run_.host.ledger().disk_left();
  const std::uint64_t bytes = run_.demands.of(task).disk_bytes;
  if (!room || bytes == 0 || *room >= bytes + most_bytes_) return false;
  if (removing_ > 0 && *room < bytes) return true;
  const std::vector<Index>& chain = first_chain();
  return !chain.empty() && !contains(chain, task);
}

const std::vector<Index>& NeedlessOutputs::first_chain() const {
  const auto first = first_left();
  if (first != chain_of_) chain_ = first ? run_.graph.with_needs({*first}) : std::vector<Index>();
  chain_of_ = first;
  return chain_;
}

}  // namespace orch::schedule
