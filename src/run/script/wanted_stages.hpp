// The stages that a script makes, in groups that run one after the other, and the names of its
// variables for their outputs.
#pragma once

#include "core/base/text.hpp"
#include "os/system/ports.hpp"
#include "plan/graph/plan.hpp"
#include "run/attempt/container_host.hpp"
#include "spec/runner/manifest.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orch::script {

// A script's options in addition to its plan.

// A resolver, and the name of the runner whose files it uses; "": the default runner.
struct ScriptResolver {
  runner::Resolver command;
  std::string runner = "";
};

struct ScriptOptions {
  std::string matrix_file = "";                // appears only in the header, like `file`
  std::string file = "plan.sh";                // the name of the script itself
  std::vector<ScriptResolver> resolvers = {};  // those of the runners
  system::PortRange ports = {};                // that the script's servers may use
  // The GPUs that the script may use, by index or UUID; empty: the first ones of the machine.
  std::vector<std::string> gpus = {};
  bool hides_gpus = false;      // the machine has GPUs, which are hidden from stages that hold none
  bool jobs_have_gpus = false;  // a cluster chooses the GPUs, not the script
  // The host that starts the containers of its stages.
  attempt::ContainerHost containers = {};
  std::vector<std::string> nvidia_smi = {"nvidia-smi"};  // the command that sets the clocks of GPUs
};

// The names of ports in a script.

// The name of PORT in its own service, from STAGE.NAME, STAGE.NAME.1 or NAME.1.
inline std::string_view port_name(std::string_view port) {
  const std::size_t dot = port.find('.');
  const bool is_of_another =
      dot != std::string_view::npos && !is_digit(port.substr(dot + 1).front());
  return is_of_another ? port.substr(dot + 1) : port;
}

// The bash variable that has the number of PORT.
inline std::string port_variable(std::string_view port) {
  std::string name = "port_";
  for (const char c : port) name += is_letter_or_digit(c) ? c : '_';
  return name;
}

// Whether points or stages with STATUS are excluded from scripts.
bool is_left_out(plan::Status status);

class WantedStages {
 public:
  // PLAN must outlive this object.
  explicit WantedStages(const plan::Plan& plan);

  // Tasks made by one process: a single one, or those of a batch.
  using Tasks = std::vector<const plan::Stage*>;
  // A server from start to stop, with every measurement that needs it.
  struct Session {
    const plan::Stage* service;
    std::vector<const plan::Stage*> measurements;
  };
  // The groups, in an order in which each follows those that it needs.
  const std::vector<Tasks>& tasks() const { return tasks_; }
  const std::vector<Session>& sessions() const { return sessions_; }
  // The needed stages whose outputs already exist.
  const std::vector<const plan::Stage*>& provided() const { return provided_; }
  // The stages of tasks() and sessions(), in plan order.
  const std::vector<const plan::Stage*>& made() const { return made_; }

  const plan::Plan& plan() const { return plan_; }
  // The variable of the stage ID, such as "build_1a2b"; "" if it is not a stage of the plan.
  std::string variable_of(const plan::StageId& id) const;
  // The stage to which VARIABLE belongs; null if there is none.
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
