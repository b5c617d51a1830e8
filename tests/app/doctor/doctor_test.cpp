// The whole look at a machine: a bare one, one whose programs hang, one that has what a runner
// needs.
#include "app/doctor/doctor.hpp"

#include "app/doctor/machine_of_scripts.hpp"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace orch::doctor {
namespace doctor_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* k_runner = R"(runner: own
parameters:
  engine: {type: text, optional: true, help: path of the engine}
  tp: {type: integer, default: 1, help: ranks}
rules: [{name: gpus, require: tp <= host_gpus, because: "{tp} GPUs of {host_gpus}"}]
stages:
  find:
    kind: task
    reads: [engine, tp]
    version:
      - {when: engine IS NULL, then: [own-engine, --version]}
      - {when: engine IS NOT NULL, then: ["{engine}", --version]}
    argv: [/usr/bin/env, own-find, "{out}"]
    outputs: [found]
)";

class Doctor : public testing::Test {
 protected:
  Doctor() {
    std::filesystem::create_directories(machine.folder.file("runners/own"));
    std::ofstream(machine.folder.file("runners/own/runner.yaml")) << k_runner;
    std::ofstream(machine.folder.file("site.yaml")) << "machine: {gpus: 1}\n";
    asked.runners = machine.folder.file("runners");
    asked.store = machine.folder.file("results");
    asked.site_file = machine.folder.file("site.yaml");
    asked.runner = "own";
  }
  std::vector<Section> look() {
    return examine({.world = machine.world,
                    .is_shared = [](const std::string&) { return false; },
                    .versions = {{"SQLite", "3.40.1"}}},
                   asked, errors);
  }
  static Section section_of(const std::vector<Section>& sections, const std::string& heading) {
    for (const Section& one : sections)
      if (one.heading == heading) return one;
    ADD_FAILURE() << "no section " << heading;
    return {};
  }

  MachineOfScripts machine;
  Asked asked;
  Errors errors;
};

TEST_F(Doctor, OnABareMachineSaysWhatIsNotThereAndChangesNothing) {
  std::ofstream(machine.folder.file("site.yaml")) << "{}\n";
  const auto sections = look();
  ASSERT_TRUE(errors.empty()) << errors.front().text();
  EXPECT_THAT(lines_of(section_of(sections, "versions")), ElementsAre("ok SQLite 3.40.1"));
  EXPECT_THAT(lines_of(section_of(sections, "Slurm")), ElementsAre(StartsWith("note no sbatch")));
  EXPECT_THAT(lines_of(section_of(sections, "containers")),
              ElementsAre("note no docker -> apt-get install docker.io",
                          "note no podman -> apt-get install podman",
                          StartsWith("note no apptainer -> install it as described in \"Installing "
                                     "Apptainer\"")));
  EXPECT_THAT(lines_of(section_of(sections, "runner own")),
              ElementsAre("missing it needs GPUs, but none was detected here -> machine: {gpus: N, "
                          "gpu_model: NAME} in the site file, for the machine that runs it",
                          "missing no own-find -> install it, or add its folder to PATH",
                          "missing no own-engine -> install it, or set 'engine' in the matrix "
                          "(orchestrate explain engine)"));
  EXPECT_TRUE(lacks_what_was_asked_for(sections));
  EXPECT_FALSE(std::filesystem::exists(asked.store));
}

class DoctorOfAServer : public Doctor {
 protected:
  // RULES and GPUS of a stage.
  std::vector<std::string> look_at(const std::string& rules, const std::string& machine_facts) {
    std::ofstream(machine.folder.file("site.yaml")) << "machine: " << machine_facts << "\n";
    std::ofstream(machine.folder.file("runners/own/runner.yaml"))
        << "runner: own\n"
           "parameters:\n"
           "  gpus: {type: integer, default: 2, help: GPUs}\n"
           "  templates: {type: path, default: /no/such/templates, help: templates}\n"
        << rules
        << "stages:\n"
           "  environment: {kind: task, argv: [/bin/true, '{out}'], outputs: [versions.json]}\n"
           "  build:\n"
           "    kind: task\n"
           "    needs: [environment]\n"
           "    reads: [gpus]\n"
           "    resources: {gpus: gpus}\n"
           "    argv: [/bin/true, '{out}']\n"
           "    outputs: [built]\n"
        << more;
    return lines_of(section_of(look(), "runner own"));
  }
  std::string more;
};

TEST_F(DoctorOfAServer, SaysOnceThatGpusAreMissing) {
  const std::string own =
      "rules: [{name: few, require: gpus <= host_gpus, because: '{gpus} GPUs of {host_gpus}'}]\n";
  const std::string remedy =
      " -> machine: {gpus: 2, gpu_model: NAME} in the site file, for the machine that runs it";
  EXPECT_THAT(look_at(own, "{gpus: 1}"), ElementsAre("missing few: 2 GPUs of 1" + remedy));
  EXPECT_THAT(look_at("", "{gpus: 1}"),
              ElementsAre("missing it needs 2 GPUs, but the machine has 1" + remedy));
  for (const std::string& rules : {own, std::string()})
    EXPECT_THAT(look_at(rules, "{}"),
                ElementsAre("missing it needs 2 GPUs, but none was detected here" + remedy));
  EXPECT_THAT(look_at(own, "{gpus: 2}"), ElementsAre(StartsWith("ok nothing is missing for ")));
}

TEST_F(DoctorOfAServer, DoesNotJudgeNodesByThisMachine) {
  asked.slurm = true;
  EXPECT_THAT(
      look_at("", "{}"),
      ElementsAre("missing it needs 2 GPUs, but those of the nodes are not stated -> machine: "
                  "{gpus: 2, gpu_model: NAME} in the site file, for the nodes that run it"));
}

TEST_F(DoctorOfAServer, NamesToolsThatItDoesNotLookFor) {
  more = "    tools: {from: '{stage:environment}/versions.json', names: [engine, builder]}\n";
  EXPECT_THAT(look_at("", "{gpus: 2}"),
              ElementsAre("note not checked: builder, engine; stage 'environment' of a run "
                          "checks for them"));
}

TEST_F(DoctorOfAServer, LooksForPathsThatAStageReads) {
  more =
      "  templates:\n    kind: task\n    reads: [templates]\n    argv: [/bin/true, '{out}']\n"
      "    outputs: [copied]\n";
  EXPECT_THAT(look_at("", "{gpus: 2}"),
              ElementsAre(StartsWith("missing no /no/such/templates (templates) -> install it")));
}

TEST_F(Doctor, SaysHowToStartADaemon) {
  machine.say("docker", "echo 'Cannot connect to the Docker daemon' >&2; exit 1");
  const bool has_systemd = std::filesystem::exists("/run/systemd/system");
  EXPECT_THAT(
      lines_of(section_of(look(), "containers")),
      Contains(StartsWith(
          "warning docker does not work: Cannot connect to the Docker daemon "
          "-> " +
          std::string(has_systemd ? "systemctl start docker; " : "service docker start; "))));
}

TEST_F(Doctor, AsksAnEngineForItsVersion) {
  machine.say("own-engine", "echo own 1.2");
  machine.say("own-find", ":");
  const auto sections = look();
  EXPECT_THAT(lines_of(section_of(sections, "runner own")),
              ElementsAre("ok own 1.2 (stage 'find')"));
  EXPECT_FALSE(lacks_what_was_asked_for(sections));
}

TEST_F(Doctor, NamesWhyAnEngineDoesNotAnswer) {
  machine.say("own-engine", "echo 'no module torch' >&2; exit 3");
  machine.say("own-find", ":");
  EXPECT_THAT(lines_of(section_of(look(), "runner own")),
              ElementsAre(StartsWith("missing stage 'find': no module torch -> install it, or set "
                                     "'engine'")));
}

TEST_F(Doctor, WaitsForNoProgramThatHangs) {
  // On a busy machine a program outlives its second chance, too.
  if (const auto why = why_no_thread_may_stay(); !why.empty()) GTEST_SKIP() << why;
  asked.patience_s = 0.3;
  for (const char* name : {"nvidia-smi", "docker", "podman", "sbatch", "own-engine"})
    machine.hang(name);
  machine.say("own-find", ":");
  const auto sections = look();
  EXPECT_THAT(lines_of(section_of(sections, "GPUs")),
              Contains(HasSubstr("`nvidia-smi -L` gave no answer within 0.3 s")));
  EXPECT_THAT(lines_of(section_of(sections, "containers")),
              Contains(StartsWith("warning podman does not work: ")));
  EXPECT_THAT(lines_of(section_of(sections, "runner own")),
              ElementsAre(StartsWith("warning stage 'find': `own-engine --version` gave no")));
}

// What waits in the kernel cannot be killed.
class Unkillable final : public system::Processes {
 public:
  Result<system::Tree> spawn(const system::Spawn& spawn) override { return real_.spawn(spawn); }
  std::vector<system::Exit> wait(double wait_s) override { return real_.wait(wait_s); }
  void signal(const system::Tree&, int) override {}
  bool alive(const system::Tree&) override { return true; }
  bool end(const system::Tree& tree, double within_s) override {
    real_.end(tree, within_s);
    for (;;) ::pause();
  }

 private:
  system::RealProcesses real_;
};

TEST_F(Doctor, WaitsForNoProgramThatCannotBeKilledAndThenAsksNoDriver) {
  if (const auto why = why_no_thread_may_stay(); !why.empty()) GTEST_SKIP() << why;
  asked.patience_s = 0.1;
  machine.hang("nvidia-smi");
  machine.world.open_processes = [] { return std::make_unique<Unkillable>(); };
  machine.world.detect_machine = [] {
    ADD_FAILURE() << "a thread that waits there would keep this process from ending";
    return system::Machine{};
  };
  const auto sections = look();
  EXPECT_THAT(lines_of(section_of(sections, "GPUs")),
              ElementsAre(HasSubstr("gave no answer within 0.1 s, and cannot be killed")));
  EXPECT_THAT(lines_of(section_of(sections, "machine")),
              ElementsAre(StartsWith("warning the GPU driver does not answer")));
}

TEST_F(Doctor, WaitsForNoDriverThatHangs) {
  asked.patience_s = 0.3;
  std::promise<void> release;
  const auto released = std::make_shared<std::shared_future<void>>(release.get_future().share());
  machine.world.detect_machine = [released] {
    released->wait();
    return system::Machine{};
  };
  EXPECT_THAT(lines_of(section_of(look(), "machine")),
              ElementsAre(StartsWith("warning the GPU driver does not answer")));
  release.set_value();
}

TEST_F(Doctor, NamesAResultsFolderOnlyWhereItWasAskedFor) {
  machine.say("own-engine", "echo own 1.2");
  machine.say("own-find", ":");
  asked.store = "/proc/nothing";
  EXPECT_FALSE(lacks_what_was_asked_for(look()));
  asked.names_store = true;
  EXPECT_TRUE(lacks_what_was_asked_for(look()));
}

TEST_F(Doctor, KnowsTheRunnersThatThereAre) {
  asked.runner = "onw";
  EXPECT_TRUE(look().empty());
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].message, "no runner 'onw'; did you mean 'own'?");
}

TEST_F(Doctor, LacksSlurmOnlyWhereItWasAskedFor) {
  asked.slurm = true;
  machine.say("own-engine", "echo own 1.2");
  machine.say("own-find", ":");
  EXPECT_TRUE(lacks_what_was_asked_for(look()));
  asked.slurm = false;
  EXPECT_FALSE(lacks_what_was_asked_for(look()));
}

}  // namespace doctor_test
}  // namespace orch::doctor
