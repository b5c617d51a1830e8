// The lines of a script that make a stage or a group of stages, by calling the functions of
// shell_text.hpp. The caller decides how a stage's process is started.
#pragma once

#include "run/attempt/layout.hpp"
#include "run/script/shell_text.hpp"
#include "run/script/wanted_stages.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::script {

class StageText {
 public:
  // Returns the arguments that start the process of STAGE; by default those of its command. HEAD
  // has the variables of the process as NAME=VALUE; the function may add some.
  using Starter = std::function<std::vector<std::string>(const plan::Stage& stage,
                                                         std::vector<std::string>& head)>;
  // All arguments must outlive this object.
  StageText(const WantedStages& wanted, const attempt::Layout& layout,
            const ScriptOptions& options);
  void start_by(Starter starter) { starter_ = std::move(starter); }

  // --- blocks of lines

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
  // Runs the runners' resolvers for the mutable revisions of STAGE, as `run` does.
  std::string resolve(const plan::Stage& stage);
  std::string provided(const plan::Stage& stage) const;
  std::string tasks(const WantedStages::Tasks& together);
  std::string session(const WantedStages::Session& session);
  // Comments with the points that do not run, and the commands that only these points need.
  std::string left_out();

  // --- words

  // ARGV of STAGE as shell arguments; MORE has the values of symbols that only the caller knows.
  std::vector<std::string> words(const plan::Stage& stage, const std::vector<std::string>& argv,
                                 const std::map<std::string, ShellPart>& more = {}) const;
  // How the container of STAGE is started.
  attempt::Contained contained(const plan::Stage& stage) const;
  // The prefix of the variables that name GPUs, and the line that sets them to the first COUNT of
  // LIST.
  static constexpr std::string_view k_gpu = "gpu_";
  static std::string gpu_variables(int count, std::string_view list);
  static std::string first_gpus(int count);  // "0,1"
  // One shell argument for TEXT of STAGE, whose symbols become variables.
  std::string word(const plan::Stage& stage, std::string_view text) const;
  // TEXT of STAGE with variables in place of its symbols; MORE has the values of symbols that only
  // the caller knows.
  ShellText filled(const plan::Stage& stage, std::string_view text,
                   const std::map<std::string, ShellPart>& more = {}) const;
  // The folders of runners other than the default one, by variable.
  std::map<std::string, std::string> other_runners() const;
  // The variables of resolved revisions, each with the mutable revision that it resolves.
  std::map<std::string, std::string> revisions() const;
  // The line that sets the variable of STAGE's output.
  std::string definition(const plan::Stage& stage) const;
  // The variables used by arguments and texts since the last call.
  std::set<std::string> take_used();
  void add_used(const std::set<std::string>& variables) {
    used_.insert(variables.begin(), variables.end());
  }

 private:
  ShellPart runner_file(const std::string& runner, std::string_view file) const;
  std::string runner_variable(const std::string& runner) const;
  std::optional<ShellPart> symbol(const plan::Stage& stage, std::string_view name) const;
  std::optional<ShellPart> output_of(std::string_view id) const;
  std::optional<ShellPart> of_container(const plan::Stage& stage, std::string_view what) const;
  static std::string driver_variable(std::string_view library);
  static std::string comma_names(std::string_view prefix);
  // Whether the engine of STAGE's container gives containers names and can mount single files.
  static bool names_container(const plan::Stage& stage);
  static std::string driver_files(const plan::Stage& stage);
  // The working folder of a task: {work:ID}.
  static constexpr std::string_view k_work_of = "work:";
  void add_mounts_of_members(const plan::Stage& first, std::vector<container::Mount>& mounts) const;
  std::optional<ShellPart> revision(const plan::Stage& stage, std::string_view symbol) const;
  std::optional<ShellPart> symbol_of_resolver(const ScriptResolver& resolver,
                                              const plan::Unresolved& written,
                                              std::string_view name) const;
  std::string variable(const plan::Stage& stage) const;
  std::string below(const plan::Stage& stage, const std::string& path) const;
  std::string output(const plan::Stage& stage) const;
  std::string command(const plan::Stage& stage, std::vector<std::string> head) const;
  void show_gpus(const plan::Stage& stage, std::vector<std::string>& head) const;
  int most_gpus() const;
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

  const WantedStages& wanted_;
  const plan::Plan& plan_;
  const attempt::Layout& layout_;
  const ScriptOptions& options_;
  Starter starter_;
  std::map<std::string, std::string> revisions_;  // "hf:OWNER/NAME@main" -> its variable
  mutable std::set<std::string> used_;
};

}  // namespace orch::script
