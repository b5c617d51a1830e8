#include "app/doctor/container_engines.hpp"

#include "core/base/text.hpp"

namespace orch::doctor {

namespace {

using container::Engine;

constexpr const char* k_systemd = "/run/systemd/system";  // is there where systemd is process 1

// The words behind an engine's command that print its version. Those of docker ask its daemon;
// podman's must not, because it makes its storage when it looks for it.
std::vector<std::string> version_words(Engine engine) {
  if (engine == Engine::docker) return {"version", "--format", "{{.Server.Version}}"};
  return {"--version"};
}

std::string how_to_start_docker(system::Files& files) {
  return fmt::format("{}; usermod -aG docker $USER lets you use it",
                     files.exists(k_systemd) ? "systemctl start docker" : "service docker start");
}

void look_at(Section& section, const Asking& asking, Engine engine,
             std::vector<std::string> command) {
  const std::string name{to_string(engine)};
  if (!asking.find(command.front())) {
    section.add(Level::note, fmt::format("no {}", command.front()), how_to_install(name));
    return;
  }
  for (const std::string& word : version_words(engine)) command.push_back(word);
  const Answer said = asking.ask(command);
  const std::string line = said.output.substr(0, said.output.find('\n'));
  if (said.ok)
    return section.add(Level::ok, line.find(name) == std::string::npos ? name + " " + line : line);
  section.add(Level::warning, fmt::format("{} does not work: {}", name, said.reason),
              engine == Engine::docker ? how_to_start_docker(asking.world().files)
                                       : fmt::format("{} info", name));
}

}  // namespace

Section containers_section(const Asking& asking, const session::ContainerSite& site,
                           bool has_gpus) {
  Section section{.heading = "containers"};
  for (const Engine engine : {Engine::docker, Engine::podman, Engine::apptainer}) {
    const bool is_of_site = engine == site.engine && !site.command.empty();
    look_at(section, asking, engine,
            is_of_site ? site.command : std::vector<std::string>{std::string(to_string(engine))});
  }
  const bool asks_registries = site.engine == Engine::apptainer || site.engine == Engine::cluster;
  if (asks_registries && !asking.find("skopeo"))
    section.add(Level::warning, "no skopeo: tags of images cannot be resolved",
                how_to_install("skopeo") + ", or image: NAME@sha256:...");
  if (has_gpus && !asking.find("nvidia-ctk"))
    section.add(Level::warning, "no nvidia-ctk: containers may not see the GPUs",
                how_to_install("nvidia-ctk") +
                    "; for podman also: nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml");
  return section;
}

}  // namespace orch::doctor
