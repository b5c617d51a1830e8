// A matrix planned on a machine whose programs are scripts.
#pragma once

#include "app/doctor/machine_of_scripts.hpp"
#include "app/preflight/preflight.hpp"
#include "app/session/planning.hpp"

#include <gtest/gtest.h>

namespace orch::preflight {

// Fetches a model, builds in a container where the matrix names an image, and serves with GPUs.
inline constexpr const char* k_own_runner = R"(runner: own
parameters:
  model: {type: text, optional: true}
  image: {type: text, optional: true}
  tp: {type: integer, default: 1}
  shm: {type: text, default: 16g}
  tools: {type: text, default: /app/tools}
resolve:
  hf:
    argv: [/bin/sh, -c, 'exit 1']
    reach: [/bin/sh, "{file:reach.sh}", "{model.source}", "{model.revision}"]
    inherit: [HF_*]
container:
  when: image IS NOT NULL
  image: "{image}"
  engine: podman
  shm_size: "{shm}"
stages:
  fetch:
    kind: task
    when: model IS NOT NULL
    reads: [model]
    argv: [/bin/sh, "{model.source}", "{model.revision}", "{out}"]
    outputs: [config.json]
  build:
    kind: task
    reads: [tp, tools]
    needs: [fetch]
    container: true
    argv: [/usr/bin/env, own-build, "{tools}/build.py", "--tp={tp}", "{out}"]
    resources: {disk_gib: 0.25 * tp}
    outputs: [engine]
  serve:
    kind: service
    needs: [build]
    reads: [tp]
    container: true
    argv: [/usr/bin/env, own-serve, "{stage:build}"]
    resources: {gpus: tp}
    ports: [http]
    ready: {port: http, get: [/]}
  bench: {kind: measure, needs: [serve], reads: [], argv: [/bin/sh], outputs: [y]}
)";

class PlaceOfScripts : public testing::Test {
 protected:
  PlaceOfScripts() {
    write("site.yaml", site);
    write("runners/own/runner.yaml", k_own_runner);
    write("runners/own/reach.sh", "echo \"$1 is there\"");
  }
  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = machine.folder.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  // Plans the matrix whose lines are YAML.
  const plan::Plan& plan(const std::string& yaml) {
    write("m.yaml", "name: a\nrunner: own\n" + yaml);
    write("site.yaml", site);
    options.matrix_file = machine.folder.file("m.yaml");
    options.site_file = machine.folder.file("site.yaml");
    Errors errors;
    loaded = session::load_experiment(machine.world, options, errors);
    planning.emplace(machine.world.files, loaded, machine.folder.file("results"), wanted);
    planning->plan(errors);
    EXPECT_TRUE(errors.empty()) << (errors.empty() ? "" : errors.front().text());
    return planning->current();
  }
  std::vector<doctor::Section> look_at(const std::string& yaml) {
    const plan::Plan& planned = plan(yaml);
    return look({.world = machine.world,
                 .experiment = loaded,
                 .layout = planning->layout(),
                 .plan = planned});
  }
  // The lines of the section HEADING: "LEVEL WHAT -> REMEDY".
  std::vector<std::string> lines(const std::string& heading, const std::string& yaml) {
    for (const doctor::Section& section : look_at(yaml))
      if (section.heading == heading) return doctor::lines_of(section);
    return {};
  }
  void has_gpus(int count, double memory_gib = 79.6) {
    machine.world.detect_machine = [=] {
      system::Machine here;
      here.host = "here";
      here.gpus = system::Gpus{.count = count,
                               .model = "NVIDIA H100 80GB HBM3",
                               .memory_gib = memory_gib,
                               .mig = {},
                               .driver = "535.54.03",
                               .cuda = 12020};
      return here;
    };
  }

  doctor::MachineOfScripts machine;
  session::ExperimentOptions options;
  plan::Options wanted;
  std::string site = "{}\n";
  session::Experiment loaded;
  std::optional<session::Planning> planning;
};

}  // namespace orch::preflight
