#include "core/base/text.hpp"
#include "os/system/nvml/nvml.hpp"
#include "plan/graph/containers.hpp"
#include "run/attempt/workspace_parts.hpp"
#include "spec/render/symbols.hpp"
#include "spec/render/template.hpp"

#include <nlohmann/json.hpp>

namespace orch::attempt {

namespace {

constexpr std::uint64_t k_image_bytes = 64 << 10;

struct SymbolContext {
  const WorkspaceParts& parts;
  const Layout& layout;
  const Prepared& of;

  std::string folder() const { return parts.folder_of(of); }
  const std::string& runner() const { return of.attempt.stage->spec.runner; }
};
using In = const SymbolContext&;
using View = std::string_view;
using Text = std::optional<std::string>;

Text port_of(In in, View name) {
  const auto port = in.of.attempt.ports.find(std::string(name));
  if (port == in.of.attempt.ports.end() || port->second == 0) return std::nullopt;
  return std::to_string(port->second);
}

Text gpu_of(In in, View number) {
  const std::vector<std::string> gpus = gpus_of(in.parts, in.of.attempt);
  const auto n = to_integer(number);
  if (!n || static_cast<std::size_t>(*n) >= gpus.size()) return std::nullopt;
  return gpus[static_cast<std::size_t>(*n)];
}

Text library_of(In in, View name) {
  if (in.parts.config.places) return std::nullopt;
  return system::library_of_driver(name);
}

Text of_container(In in, View what) {
  const RunnerFolders folders = in.layout.folders_of(in.runner());
  if (what == "shm") return in.of.launch.shm_folder;
  if (what == "image") return built_image(in.parts, in.of);
  if (what == "user") return own_user();
  if (what == "runner") return folders.runner;
  if (what != "common") return std::nullopt;
  return folders.common.empty() ? in.layout.runner_file("common/.", in.runner()) : folders.common;
}

constexpr render::Provider<std::string, SymbolContext> k_provided[] = {
    {"out", [](In in, View) { return Text(in.of.out); }},
    {"work", [](In in, View) { return Text(in.folder() + "/work"); }},
    {"tmp", [](In in, View) { return Text(in.of.launch.tmp); }},
    {"jobs", [](In in, View) { return Text(in.folder() + "/jobs.json"); }},
    {"token", [](In in, View) { return Text(in.of.attempt.token); }},
    {"block", [](In, View) { return Text("0"); }},  // every attempt sends the same prompts
    {"orchestrate", [](In in, View) { return Text(in.layout.orchestrate); }},
    {"bind", [](In in, View) { return in.layout.address("bind"); }},
    {"connect", [](In in, View) { return in.layout.address("connect"); }},
    {"file:", [](In in, View file) { return Text(in.layout.runner_file(file, in.runner())); }},
    {"stage:", [](In in, View id) { return Text(output_of(in.parts, std::string(id))); }},
    {"port:", port_of},
    {container::k_held_gpu, gpu_of},
    {container::k_driver, library_of},
    {plan::k_container, of_container},
};
static_assert(render::provides(k_provided, {render::Known::launched, render::Known::placed}));

}  // namespace

std::string with_files(const Layout& layout, std::string_view runner, std::string_view text,
                       const std::map<std::string, std::string, std::less<>>& more) {
  return render::replace_symbols(text, [&](View symbol) -> Text {
    if (const auto file = render::file_of(symbol)) return layout.runner_file(*file, runner);
    const auto value = more.find(symbol);
    return value == more.end() ? std::nullopt : Text(value->second);
  });
}

Provided provided_by(const plan::Plan& plan) {
  Provided provided;
  for (const plan::Stage& stage : plan.stages)
    if (!stage.provided.empty()) provided[stage.id] = stage.provided;
  return provided;
}

std::optional<std::string> symbol_value(const WorkspaceParts& in, const Prepared& prepared,
                                        std::string_view symbol) {
  return render::value_of(k_provided, SymbolContext{in, in.layout, prepared}, symbol);
}

std::string filled(const WorkspaceParts& in, const Prepared& prepared, std::string_view text) {
  return render::replace_symbols(
      text, [&](std::string_view symbol) { return symbol_value(in, prepared, symbol); });
}

std::string output_of(const WorkspaceParts& in, const plan::StageId& id) {
  const auto elsewhere = in.config.provided.find(id);
  return elsewhere == in.config.provided.end() ? in.layout.artifact_out(id) : elsewhere->second;
}

std::vector<std::string> gpus_of(const WorkspaceParts& in, const Attempt& attempt) {
  std::vector<std::string> names;
  for (const int gpu : attempt.gpus) {
    const auto name = in.config.gpu_names.find(gpu);
    names.push_back(name == in.config.gpu_names.end() ? std::to_string(gpu) : name->second);
  }
  return names;
}

std::string built_image(const WorkspaceParts& in, const Prepared& prepared) {
  const auto& container = prepared.attempt.stage->spec.container;
  if (!container) return "";
  const auto text = in.files.read_text(filled(in, prepared, container->built), k_image_bytes);
  const auto image = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  if (!image.is_object()) return "";
  const auto id = image.find("id");
  return id != image.end() && id->is_string() ? id->get<std::string>() : "";
}

}  // namespace orch::attempt
