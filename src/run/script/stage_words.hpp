// The arguments and texts of stages for bash: their symbols become variables, which get their names
// here.
#pragma once

#include "run/attempt/layout.hpp"
#include "run/script/shell_text.hpp"
#include "run/script/wanted_stages.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orch::script {

// What a script is made from. Borrows everything.
struct ScriptSources {
  const WantedStages& wanted;
  const attempt::Layout& layout;
  const ScriptOptions& options;

  const plan::Plan& plan() const { return wanted.plan(); }
};

// The name of STAGE's folders and log. A measurement has one name per attempt; the script runs the
// first attempt.
std::string folder_name(const plan::Stage& stage);

// GPUs in a script.

// The prefix of the variables that name GPUs, and the line that sets them to the first COUNT of
// LIST.
inline constexpr std::string_view k_gpu = "gpu_";
std::string gpu_variables(int count, std::string_view list);
std::string first_gpus(int count);  // "0,1"
// The number of GPUs that STAGE holds.
int gpus_of(const plan::Stage& stage);
// "libcuda" for libcuda.so.1.
std::string driver_variable(std::string_view library);

// The prefix of {work:ID}, the working folder of a task.
inline constexpr std::string_view k_work_of = "work:";

class StageWords {
 public:
  // Values of symbols that only the caller knows.
  using More = std::map<std::string, ShellPart>;

  // Everything in SOURCES must outlive this.
  explicit StageWords(const ScriptSources& sources) : sources_(sources) {}

  const ScriptSources& sources() const { return sources_; }

  // ARGV of STAGE as shell arguments.
  std::vector<std::string> words(const plan::Stage& stage, const std::vector<std::string>& argv,
                                 const More& more = {}) const;
  // One shell argument for TEXT of STAGE.
  std::string word(const plan::Stage& stage, std::string_view text) const;
  // TEXT of STAGE with variables in place of its symbols.
  ShellText filled(const plan::Stage& stage, std::string_view text, const More& more = {}) const;
  // TEXT of a rendered file of STAGE: only its revisions become variables.
  ShellText rendered(const plan::Stage& stage, std::string_view text) const;
  // BELOW ("/a"), a path inside the output of STAGE, as one shell argument; "": the output itself.
  std::string output(const plan::Stage& stage, const std::string& below = "") const;
  // The line that sets the variable of STAGE's output.
  std::string definition(const plan::Stage& stage) const;

  // The file FILE of RUNNER, and the variable that has the folder of RUNNER.
  ShellPart runner_file(const std::string& runner, std::string_view file) const;
  std::string runner_variable(const std::string& runner) const;
  // The folders of runners other than the default one, by variable.
  std::map<std::string, std::string> other_runners() const;

  // Gives the mutable revision NAME ("hf:OWNER/NAME@main") the variable revisionN; returns N. 0: it
  // has a variable already.
  std::size_t add_revision(const std::string& name);
  // The variables of revisions, each with the mutable revision that it resolves.
  std::map<std::string, std::string> revisions() const;

  // The variables used by arguments and texts since the last call.
  std::set<std::string> take_used();
  void add_used(const std::set<std::string>& variables) {
    used_.insert(variables.begin(), variables.end());
  }

 private:
  std::optional<ShellPart> symbol(const plan::Stage& stage, std::string_view name) const;
  std::optional<ShellPart> output_of(std::string_view id) const;
  std::optional<ShellPart> of_container(const plan::Stage& stage, std::string_view what) const;
  std::optional<ShellPart> revision(const plan::Stage& stage, std::string_view symbol) const;
  void note_used(const ShellText& text) const;

  ScriptSources sources_;
  std::map<std::string, std::string> revisions_;  // name -> variable
  mutable std::set<std::string> used_;
};

}  // namespace orch::script
