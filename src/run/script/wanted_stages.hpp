// The stages that a script makes, in groups that run one after the other, and the names of its
// variables for their outputs.
#pragma once

#include "plan/graph/plan.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace orch::script {

// Whether points or stages of that status are in no script.
bool is_left_out(plan::Status status);

class WantedStages {
 public:
  // PLAN must outlive this.
  explicit WantedStages(const plan::Plan& plan);

  // Tasks that one process makes: one, or those of a batch.
  using Tasks = std::vector<const plan::Stage*>;
  // A server from start to stop, with every measurement that needs it.
  struct Session {
    const plan::Stage* service;
    std::vector<const plan::Stage*> measurements;
  };
  // Each group follows those that it needs.
  const std::vector<Tasks>& tasks() const { return tasks_; }
  const std::vector<Session>& sessions() const { return sessions_; }
  // Those whose outputs are there already.
  const std::vector<const plan::Stage*>& provided() const { return provided_; }
  // Those of tasks() and sessions(), in the order of the plan.
  const std::vector<const plan::Stage*>& made() const { return made_; }

  const plan::Plan& plan() const { return plan_; }
  // "build_1a2b" of a stage of the plan; empty for other names.
  std::string variable_of(const plan::StageId& id) const;
  // The stage whose variable it is, or null.
  const plan::Stage* stage_of(const std::string& variable) const;

 private:
  void name_variables();
  void find_wanted();
  void group();
  bool is_to_make(const plan::Stage& stage) const;

  const plan::Plan& plan_;
  std::map<plan::StageId, std::string> variables_;
  std::map<std::string, const plan::Stage*> stages_;  // by variable
  std::set<plan::StageId> wanted_;
  std::vector<Tasks> tasks_;
  std::vector<Session> sessions_;
  std::vector<const plan::Stage*> provided_, made_;
};

}  // namespace orch::script
