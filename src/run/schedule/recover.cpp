#include "run/schedule/recover.hpp"

#include "os/system/kill_point.hpp"
#include "run/schedule/outputs/publisher.hpp"
#include "run/slurm/slurm.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace orch::schedule {

namespace {

using execute::Recovered;
using runner::Kind;

// How long a killed tree may take to be gone; longer than an executor waits for a hanging guardian
// or a silent job.
constexpr double k_end_s = 130;

class Recovery {
 public:
  Recovery(const plan::Plan& plan, RecoverTools tools) : tools_(std::move(tools)) {
    for (const plan::Stage& stage : plan.stages) stages_[stage.id] = &stage;
  }

  Result<std::vector<Adopted>> all(std::vector<Unfinished> unfinished) {
    find_sessions(unfinished);
    // Servers come first: to end a measurement, its server may have to be queried.
    std::map<std::pair<bool, std::string>, std::vector<Unfinished>> processes;
    for (Unfinished& one : unfinished)
      processes[{one.kind != runner::Kind::service, one.process}].push_back(std::move(one));
    std::vector<Adopted> adopted;
    for (auto& [key, members] : processes) {
      // The member that gave the process its token comes first.
      std::stable_partition(members.begin(), members.end(), [&](const Unfinished& member) {
        return member.token == member.process;
      });
      Adopted one{.members = std::move(members)};
      ORCH_ASSIGN(const std::string why, take_over(one));
      // This run holds the lock of this store, so the orchestrator that is attached works on
      // another store.
      if (one.found.fate == Recovered::Fate::held)
        return Error{
            ErrorKind::conflict,
            fmt::format(
                "attempt {} of stage {} is still running ({}): this store is a copy of one that "
                "is in use; wait for that run's end, or name another store with --store",
                one.token(), one.members.front().attempt.stage, one.found.why)};
      if (why.empty()) adopted.push_back(std::move(one));
      else lose(one, why);
      // One commit for each process: after a crash here, the next recovery handles the rest.
      ORCH_TRY(tools_.journal.commit());
    }
    catch_up(adopted);
    ORCH_TRY(tools_.journal.commit());
    return adopted;
  }

  void lose(const Adopted& one, const std::string& why) {
    system::kill_point("recover-before-lost");
    for (const Unfinished& member : one.members) {
      tools_.workspace.forget(member.token);
      tools_.journal.append(AttemptLost{member.token, why, tools_.clock.wall_s()});
    }
    system::kill_point("recover-after-lost");
  }

  // Kills the tree of TOKEN and waits until none of its processes is left.
  Status end(const std::string& token) {
    tools_.executor.kill(token);
    const double until = tools_.clock.now_s() + k_end_s;
    while (tools_.clock.now_s() < until) {
      for (execute::Ended& one : tools_.executor.poll(0.5))
        ended_.emplace(one.token, std::move(one));
      if (ended_.contains(token)) return {};
    }
    return Error{ErrorKind::timeout,
                 fmt::format("processes of a dead run do not end (ORCHESTRATE_ATTEMPT={} in their "
                             "environment); nothing is started beside them",
                             token)};
  }

 private:
  void find_sessions(std::vector<Unfinished>& unfinished) const {
    for (Unfinished& one : unfinished) {
      const plan::Stage* stage = one.kind == Kind::measure ? wanted(one) : nullptr;
      if (!stage) continue;
      for (const Unfinished& server : unfinished) {
        const bool needed = std::ranges::any_of(
            stage->needs, [&](const auto& need) { return need.second == server.attempt.stage; });
        if (server.kind != Kind::service || !needed) continue;
        one.session = server.attempt;
        one.session_measured = server.measured;
      }
    }
  }

  const plan::Stage* wanted(const Unfinished& one) const {
    const auto stage = stages_.find(one.attempt.stage);
    return stage != stages_.end() && stage->second->status == plan::Status::run ? stage->second
                                                                                : nullptr;
  }

  bool needs_are_there(const plan::Stage& stage) const {
    return std::ranges::all_of(stage.needs, [&](const auto& need) {
      const plan::Stage& needed = *stages_.at(need.second);
      return needed.status == plan::Status::reuse || needed.spec.kind == Kind::service;
    });
  }

  execute::Launch launch_of(const Unfinished& one) {
    const plan::Stage* stage = wanted(one);
    if (!stage) return tools_.workspace.remnant(one.token, one.log);
    const std::vector<attempt::Attempt> attempts = {{.stage = stage,
                                                     .number = one.attempt.number,
                                                     .token = one.token,
                                                     .ports = one.ports,
                                                     .gpus = one.gpus}};
    return tools_.workspace.describe(attempts).front().launch;
  }

  // Updates the processes that were running when they were taken over and have ended since.
  void catch_up(std::vector<Adopted>& adopted) {
    std::erase_if(adopted, [&](Adopted& one) {
      const auto ended = ended_.find(one.token());
      if (one.found.fate != Recovered::Fate::running || ended == ended_.end()) return false;
      one.found = {.fate = Recovered::Fate::ended, .ended = ended->second};
      const std::string why = unwanted(one);
      if (!why.empty()) lose(one, why);
      return !why.empty();
    });
  }

  // Returns "" if ONE continues in this run. Otherwise ends its processes and returns why it does
  // not.
  Result<std::string> take_over(Adopted& one) {
    const Unfinished& first = one.members.front();
    if (first.token != first.process)
      return std::string("the run died before its batch was started");
    if (first.host != tools_.host) return out_of_reach(first.host);
    one.found = tools_.executor.recover(launch_of(first), first.handle);
    if (one.found.fate == Recovered::Fate::held) return one.found.why;
    if (one.found.fate == Recovered::Fate::lost)
      return one.found.why.empty() ? std::string("the run died") : one.found.why;
    const std::string why = unwanted(one);
    if (!why.empty() && one.found.fate == Recovered::Fate::running) ORCH_TRY(end(first.token));
    return why;
  }

  // Why an attempt on HOST cannot be taken over. This run holds the store's lock, so no run on HOST
  // uses the store any longer.
  static std::string out_of_reach(const std::string& host) {
    return host == slurm::k_jobs.reached_as
               ? "it was a job of Slurm, and this run starts stages on this machine"
               : "it ran on " + host + ", whose run is gone; it ends there by itself";
  }

  std::string unwanted(const Adopted& one) const {
    const Unfinished& first = one.members.front();
    for (const auto& [id, count] : first.attempts) {
      const auto stage = stages_.find(id);
      if (count > 0 && stage != stages_.end() && stage->second->status == plan::Status::run &&
          !stage->second->forgets_prompts)
        return "it may have cached the prompts of a measurement that was broken off";
    }
    for (const Unfinished& member : one.members) {
      const plan::Stage* stage = wanted(member);
      if (!stage) return "no stage needs it any more";
      if (!needs_are_there(*stage)) return "a stage that it needs has to run again";
    }
    if (one.found.fate == Recovered::Fate::running)
      return first.kind == Kind::measure ? "a measurement is not taken over but repeated" : "";
    if (first.kind == Kind::service) return "its server ended";
    if (one.found.ended->abandoned) return "no run came back within the grace period";
    if (one.found.ended->guardian_lost) return "its guardian was killed";
    if (first.kind == Kind::measure && !one.found.ended->has_measured())
      return "a measurement that failed while its run died is repeated";
    return "";
  }

  RecoverTools tools_;
  std::map<plan::StageId, const plan::Stage*> stages_;
  // Ends that were reported while waiting for another end.
  std::map<std::string, execute::Ended> ended_;
};

}  // namespace

void hold(const std::vector<Unfinished>& unfinished, execute::Executor& executor,
          const attempt::Workspace& workspace, const std::string& host) {
  for (const Unfinished& one : unfinished)
    if (one.token == one.process && one.host == host)
      executor.hold(workspace.remnant(one.token, one.log), one.handle);
}

void make_room(const std::vector<Unfinished>& unfinished, execute::Executor& executor,
               attempt::Workspace& workspace, const std::string& host) {
  const auto free = workspace.free_space();
  if (!free || why_no_room(*free, 0, workspace.layout().store).empty()) return;
  std::set<std::string> useless;  // tokens of processes
  for (const Unfinished& one : unfinished) {
    if (one.token != one.process || one.host != host) continue;
    const Recovered found = executor.recover(workspace.remnant(one.token, one.log), one.handle);
    const bool failed = found.fate == Recovered::Fate::ended && !found.ended->has_measured();
    if (failed || found.fate == Recovered::Fate::lost) useless.insert(one.token);
  }
  for (const Unfinished& one : unfinished)
    if (useless.contains(one.process)) workspace.drop_outputs(one.token);
}

Result<std::vector<Adopted>> recover(const plan::Plan& plan, std::vector<Unfinished> unfinished,
                                     RecoverTools tools) {
  return Recovery(plan, std::move(tools)).all(std::move(unfinished));
}

Status make_way(std::vector<Adopted>& adopted, const plan::Plan& plan, RecoverTools tools) {
  std::set<plan::StageId> runs;
  bool wants_gpus = false;
  for (const plan::Stage& stage : plan.stages) {
    if (stage.status != plan::Status::run) continue;
    runs.insert(stage.id);
    wants_gpus = wants_gpus || stage.gpus > 0;
  }
  const auto in_the_way =
      std::stable_partition(adopted.begin(), adopted.end(), [&](const Adopted& one) {
        const Unfinished& first = one.members.front();
        return !wants_gpus || first.gpus.empty() || runs.contains(first.attempt.stage);
      });
  std::vector<Adopted> ended(std::make_move_iterator(in_the_way),
                             std::make_move_iterator(adopted.end()));
  adopted.erase(in_the_way, adopted.end());
  return let_go(std::move(ended), std::move(tools), "stages that run first need its GPUs");
}

Status let_go(std::vector<Adopted> adopted, RecoverTools tools, const std::string& why) {
  static const plan::Plan k_none;
  Journal& journal = tools.journal;
  Recovery recovery(k_none, std::move(tools));
  for (const Adopted& one : adopted) {
    if (one.found.fate == Recovered::Fate::running) ORCH_TRY(recovery.end(one.token()));
    recovery.lose(one, why);
  }
  return journal.commit();
}

}  // namespace orch::schedule
