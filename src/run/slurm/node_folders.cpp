#include "run/slurm/node_folders.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <filesystem>

namespace orch::slurm {

namespace {

constexpr const char* k_runtime_folder = "XDG_RUNTIME_DIR";

}  // namespace

void rename_folder(execute::Launch& launch, const std::string& from, const std::string& to) {
  if (from.empty()) return;
  std::vector<std::string*> texts = {&launch.hidden_file};
  const auto add = [&](std::vector<std::string>& words) {
    for (std::string& word : words) texts.push_back(&word);
  };
  add(launch.argv);
  add(launch.place.container);
  for (auto* around : {&launch.before, &launch.after}) std::ranges::for_each(*around, add);
  for (auto& [name, value] : launch.env) texts.push_back(&value);
  for (std::string* text : texts)
    for (std::size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size())
      text->replace(at, from.size(), to);
}

void use_folders_of_node(system::Files& files, execute::Launch& launch) {
  const std::string below = std::filesystem::path(launch.tmp).parent_path().string();
  if (!launch.tmp.empty() && !files.stat(below)) {
    const std::string here = "/tmp/" + launch.token;
    rename_folder(launch, launch.tmp, here);
    launch.tmp = here;
  }
  const auto& inherited = launch.place.inherited;
  const auto runtime = launch.env.find(k_runtime_folder);
  if (runtime != launch.env.end() && !files.stat(runtime->second) &&
      std::ranges::find(inherited, k_runtime_folder) != inherited.end())
    launch.env.erase(runtime);
}

}  // namespace orch::slurm
