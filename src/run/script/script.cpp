#include "run/script/script.hpp"

#include "core/base/text.hpp"
#include "run/script/script_functions.hpp"
#include "run/script/stage_text.hpp"

namespace orch::script {

std::string to_script(const plan::Plan& plan, const attempt::Layout& layout,
                      const ScriptOptions& options) {
  const WantedStages wanted(plan);
  StageText stages(wanted, layout, options);
  std::string text = "#!/usr/bin/env bash\n" + stages.subject();
  text += fmt::format(fmt::runtime(k_script_usage), shell_quote(options.file));
  text += stages.places();
  text += k_script_functions;
  text += "\nmake_out\nbegin\n" + stages.checks() + StageText::own_variables();
  text += stages.elsewhere();
  for (const plan::Stage* stage : wanted.made()) text += stages.resolve(*stage);
  for (const plan::Stage* stage : wanted.provided()) text += stages.provided(*stage);
  for (const auto& together : wanted.tasks()) text += stages.tasks(together);
  for (const auto& session : wanted.sessions()) text += stages.session(session);
  return text + "\nsay \"done: $OUT/artifacts\"\n" + stages.left_out();
}

bool leaves_out_all_points(const plan::Plan& plan) {
  return std::ranges::all_of(plan.points,
                             [](const auto& point) { return is_left_out(point.status); });
}

}  // namespace orch::script
