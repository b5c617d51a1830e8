// The lines of a script: its head, and those that make a stage or a group of stages, by calling the
// functions of shell_text.hpp. The caller decides how a stage's process is started.
#pragma once

#include "run/script/stage_words.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::script {

// The lines before those of the stages.
class ScriptHead {
 public:
  // WORDS must outlive this.
  explicit ScriptHead(StageWords& words) : words_(words), in_(words.sources()) {}

  // A comment that states the script's subject.
  std::string subject() const;
  // Sets OUT, RUNNER, ORCHESTRATE and GPUS to their defaults, and the address at which servers
  // listen.
  std::string places() const;
  // Ends the script unless the program, the runners' folders and the GPUs exist.
  std::string checks() const;
  // The sed expressions for `place` that replace references to provided stages in published texts.
  std::string sed_expressions() const;
  // The variables of all processes of the script.
  static std::string own_variables();
  // Runs the runners' resolvers for the mutable revisions of all stages, as `run` does.
  std::string resolve();

 private:
  int most_gpus() const;
  std::string resolve(const plan::Stage& stage);
  std::optional<ShellPart> symbol_of_resolver(const ScriptResolver& resolver,
                                              const plan::Unresolved& written,
                                              std::string_view name) const;

  StageWords& words_;
  const ScriptSources& in_;
};

// The lines of stages.
class StageText {
 public:
  // Returns the arguments that start the process of STAGE; by default those of its command. HEAD
  // has the variables of the process as NAME=VALUE; the function may add some.
  using Starter = std::function<std::vector<std::string>(const plan::Stage& stage,
                                                         std::vector<std::string>& head)>;
  // WORDS must outlive this.
  explicit StageText(const StageWords& words) : words_(words), in_(words.sources()) {}
  void start_by(Starter starter) { starter_ = std::move(starter); }

  std::string provided(const plan::Stage& stage) const;
  std::string tasks(const WantedStages::Tasks& together) const;
  std::string session(const WantedStages::Session& session) const;
  // Comments with the points that do not run, and the commands that only these points need.
  std::string left_out() const;
  // How the container of STAGE is started.
  attempt::Contained contained(const plan::Stage& stage) const;

 private:
  void add_mounts_of_members(const plan::Stage& first, std::vector<container::Mount>& mounts) const;
  std::string command(const plan::Stage& stage, std::vector<std::string> head) const;
  void show_gpus(const plan::Stage& stage, std::vector<std::string>& head) const;
  std::string title(const plan::Stage& stage, const std::string& before = "\n") const;
  std::string files(const plan::Stage& stage) const;
  std::string jobs(const WantedStages::Tasks& together) const;
  std::string process(const plan::Stage& stage, const std::string& function, double limit_s) const;
  std::string check(const plan::Stage& stage) const;
  std::string start(const plan::Stage& service) const;
  std::string visible_gpus(const plan::Stage& stage) const;
  std::string lock_clocks(const plan::Stage& service) const;
  std::string wait_ready(const plan::Stage& service) const;
  std::string find_ports(const std::vector<std::string>& ports) const;

  const StageWords& words_;
  const ScriptSources& in_;
  Starter starter_;
};

}  // namespace orch::script
