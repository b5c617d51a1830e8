#include "run/script/script.hpp"

#include "core/base/digest.hpp"
#include "core/base/text.hpp"
#include "run/script/shell_text.hpp"
#include "run/script/stage_text.hpp"

#include <map>

namespace orch::script {

namespace {

constexpr std::uint64_t k_most_bytes = 64 << 20;

// Digests by file name.
std::map<std::string, std::string> read_list(system::Files& files, const std::string& path) {
  std::map<std::string, std::string> digests;
  const auto text = files.read_own(path, k_most_bytes);
  for (const std::string& line : split(text ? *text : "", '\n'))
    if (const std::size_t at = line.find("  ");
        at != std::string::npos && line.find('/') == std::string::npos)
      digests[line.substr(at + 2)] = line.substr(0, at);
  return digests;
}

}  // namespace

std::string to_script(const plan::Plan& plan, const attempt::Layout& layout,
                      const ScriptOptions& options) {
  const WantedStages wanted(plan);
  StageWords words({wanted, layout, options});
  ScriptHead head(words);
  const StageText stages(words);
  std::string text = "#!/usr/bin/env bash\n" + head.subject();
  text += fmt::format(fmt::runtime(k_script_usage), shell_quote(options.file));
  text += head.places();
  text += k_script_functions;
  text += "\nmake_out\nbegin\n" + head.checks() + ScriptHead::own_variables();
  text += head.sed_expressions() + head.resolve();
  for (const plan::Stage* stage : wanted.provided()) text += stages.provided(*stage);
  for (const auto& together : wanted.tasks()) text += stages.tasks(together);
  for (const auto& session : wanted.sessions()) text += stages.session(session);
  return text + "\nsay \"done: $OUT/artifacts\"\n" + stages.left_out();
}

bool leaves_out_all_points(const plan::Plan& plan) {
  return std::ranges::all_of(plan.points,
                             [](const auto& point) { return is_left_out(point.status); });
}

Status write_scripts(system::Files& files, const std::string& folder,
                     const std::vector<ScriptFile>& scripts) {
  const std::string list = folder + "/" + k_written_list;
  std::map<std::string, std::string> earlier = read_list(files, list);
  const auto is_own = [&](const std::string& name) {
    const auto text = files.read_own(folder + "/" + name, k_most_bytes);
    const auto known = earlier.find(name);
    return text && known != earlier.end() && sha256(*text).hex() == known->second;
  };
  for (const ScriptFile& script : scripts)
    if (files.exists(folder + "/" + script.name) && !is_own(script.name))
      return invalid(
          fmt::format("{} is not as `plan --script` wrote it, so it stays; move it away, or name "
                      "another folder",
                      quoted(folder + "/" + script.name)));
  ORCH_TRY(files.make_folder(folder));
  std::string written;
  for (const ScriptFile& script : scripts) {
    ORCH_TRY(files.write(folder + "/" + script.name, script.text));
    written += fmt::format("{}  {}\n", sha256(script.text).hex(), script.name);
    earlier.erase(script.name);
  }
  for (const auto& [name, digest] : earlier)
    if (is_own(name)) ORCH_TRY(files.remove_tree(folder + "/" + name));
  return files.write(list, written);
}

}  // namespace orch::script
