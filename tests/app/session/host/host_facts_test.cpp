#include "app/session/host/host_facts.hpp"

#include "app/session/site.hpp"
#include "fakes/memory_files.hpp"

#include <gtest/gtest.h>

namespace orch::session {
namespace host_facts_test {

std::string text_of(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) text += error.text() + "\n";
  return text;
}

system::Machine laptop() {
  system::Machine machine;
  machine.cpu_model = "Some CPU";
  machine.cpus = 8;
  return machine;
}

matrix::StatedMachine stated(const std::string& yaml) {
  fakes::MemoryFiles files;
  static_cast<void>(files.make_folder("/s").ok());
  static_cast<void>(files.put("/s/site.yaml", "machine: " + yaml).ok());
  Errors errors;
  return read_site(files, "/s/site.yaml", errors).machine;
}

std::string value(const HostFacts& host, const std::string& fact) {
  return host.facts.contains(fact) ? host.facts.at(fact).text : "unknown";
}

TEST(HostFacts, LeavesTheGpusUnknownWhenNoneIsDetected) {
  const HostFacts host = host_facts_of({}, laptop());
  EXPECT_EQ(value(host, "host_gpus"), "unknown");
  EXPECT_EQ(value(host, "host_cpu_model"), "Some CPU");
  EXPECT_EQ(host.machine_class, "Some CPU x 8");
  EXPECT_FALSE(host.gpu_model);
}

TEST(HostFacts, PrefersStatedFactsToDetectedOnes) {
  const HostFacts host =
      host_facts_of(stated("{gpus: 8, gpu_model: H100, gpu_memory_gib: 80}"), laptop());
  EXPECT_EQ(value(host, "host_gpus"), "8");
  EXPECT_EQ(value(host, "host_gpu_memory_gib"), "80");
  EXPECT_EQ(value(host, "host_mig"), "");
  EXPECT_EQ(host.machine_class, "H100 x 8, Some CPU x 8");
  EXPECT_EQ(host.gpu_model, "H100");
}

TEST(HostFacts, HasOneNodeUnlessMoreAreStated) {
  EXPECT_EQ(value(host_facts_of({}, laptop()), "host_nodes"), "1");
  const HostFacts host = host_facts_of(stated("{nodes: 2}"), laptop());
  EXPECT_EQ(value(host, "host_nodes"), "2");
  EXPECT_EQ(host.machine_class, "Some CPU x 8") << "it says nothing of the machine";
}

TEST(HostFacts, HasWholeGpusUnlessMigIsStated) {
  EXPECT_EQ(value(host_facts_of(stated("{gpus: 8, gpu_model: H100}"), laptop()), "host_mig"), "");
  EXPECT_EQ(value(host_facts_of(stated("{gpus: 8, mig: false}"), laptop()), "host_mig"), "");
  EXPECT_EQ(value(host_facts_of(stated("{gpus: 8, mig: Disabled}"), laptop()), "host_mig"), "");
  EXPECT_EQ(value(host_facts_of(stated("{gpus: 7, mig: 1g.10gb}"), laptop()), "host_mig"),
            "1g.10gb");
  EXPECT_EQ(value(host_facts_of({}, laptop()), "host_mig"), "unknown");
}

TEST(HostFacts, DiscardsDetectedGpusOnceAnyFactOfThemIsStated) {
  system::Machine machine = laptop();
  machine.gpus =
      system::Gpus{.count = 2, .model = "L4", .memory_gib = 22.5, .mig = "", .driver = "550"};
  EXPECT_EQ(host_facts_of({}, machine).machine_class, "L4 x 2, Some CPU x 8");
  const HostFacts host = host_facts_of(stated("{gpus: 4}"), machine);
  EXPECT_EQ(value(host, "host_gpu_model"), "unknown");
  EXPECT_EQ(host.machine_class, "GPU x 4, Some CPU x 8");
}

TEST(HostFacts, KeepsItsClassWhenStatedAsDetected) {
  system::Machine machine = laptop();
  machine.gpus = system::Gpus{
      .count = 2, .model = "NVIDIA L4", .memory_gib = 22.5, .mig = "", .driver = "550"};
  EXPECT_EQ(host_facts_of(stated("{gpu_model: L4, cpu_model: some}"), machine).machine_class,
            host_facts_of({}, machine).machine_class);
}

TEST(HostFacts, IsRefusedWhenStatedAsAnotherMachine) {
  system::Machine machine = laptop();
  Errors errors;
  refuse_other_machine(stated("{gpus: 0, cpu_model: some}"), machine, errors);
  EXPECT_EQ(text_of(errors), "");
  refuse_other_machine(stated("{gpus: 8, gpu_model: H100}"), machine, errors);
  EXPECT_EQ(
      text_of(errors),
      "/s/site.yaml:1:17: 'gpus' is stated as '8', but no GPU was detected on this machine; remove "
      "the statement to run here, or only plan for that machine with `orchestrate plan`\n");
  errors.clear();
  machine.gpus = system::Gpus{
      .count = 2, .model = "NVIDIA L4", .memory_gib = 22.5, .mig = "", .driver = "550"};
  refuse_other_machine(stated("{gpus: 2, gpu_model: l4, gpu_memory_gib: 24}"), machine, errors);
  EXPECT_EQ(text_of(errors), "");
  refuse_other_machine(stated("{gpus: 8}"), machine, errors);
  EXPECT_EQ(text_of(errors),
            "/s/site.yaml:1:17: 'gpus' is stated as '8', but this machine has '2'; remove the "
            "statement to run here, or only plan for that machine with `orchestrate plan`\n");
}

}  // namespace host_facts_test
}  // namespace orch::session
