#include "cli/site.hpp"
#include "fakes/memory_files.hpp"

#include <gtest/gtest.h>

namespace orch::cli {
namespace {

std::string text_of(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) text += error.text() + "\n";
  return text;
}

struct Read {
  Site site;
  std::string errors;
};

Read site_of(const std::string& yaml) {
  fakes::MemoryFiles files;
  static_cast<void>(files.make_folder("/s").ok());
  static_cast<void>(files.put("/s/site.yaml", yaml).ok());
  Errors errors;
  Read read;
  read.site = read_site(files, "/s/site.yaml", errors);
  read.errors = text_of(errors);
  return read;
}

system::Machine laptop() {
  system::Machine machine;
  machine.cpu_model = "Some CPU";
  machine.cpus = 8;
  return machine;
}

matrix::StatedMachine stated(const std::string& yaml) {
  return site_of("machine: " + yaml).site.machine;
}

std::string value(const Host& host, const std::string& fact) {
  return host.facts.contains(fact) ? host.facts.at(fact).text : "unknown";
}

TEST(Site, states_machine_prices_and_ports) {
  const Read read = site_of(
      "machine: {gpus: 8, gpu_model: H100, gpu_memory_gib: 80}\nprices: {gpu_hour: 2.5, currency: "
      "EUR}\nports: {first: 21000, last: 21999}\n");
  EXPECT_EQ(read.errors, "");
  EXPECT_EQ(read.site.machine.size(), 3u);
  EXPECT_EQ(read.site.prices.gpu_hour, 2.5);
  EXPECT_FALSE(read.site.prices.machine_hour);
  EXPECT_EQ(read.site.prices.currency, "EUR");
  EXPECT_EQ(read.site.ports.first, 21000);
  EXPECT_EQ(read.site.ports.last, 21999);
}

TEST(Site, says_everything_that_is_wrong_at_its_place) {
  EXPECT_EQ(
      site_of("machine: {gpus: many, gpu_modell: H100}\nprices: {gpu_hour: -1}\nports: {first: 9, "
              "last: 3}\nprizes: {}\n")
          .errors,
      "/s/site.yaml:1:17: 'gpus' must be a whole number, not 'many'\n"
      "/s/site.yaml:1:23: unknown key 'gpu_modell' in 'machine'; did you mean 'gpu_model'?\n"
      "/s/site.yaml:2:20: 'prices.gpu_hour' must be a number of at least 0, not the value '-1'\n"
      "/s/site.yaml:3:8: 'ports' from 9 to 3 is no range of ports; write ports: {first: 20000, "
      "last: 29999}\n"
      "/s/site.yaml:4:1: unknown key 'prizes' in the site file; did you mean 'prices'?\n");
}

TEST(Site, need_not_be_there_unless_it_is_named) {
  fakes::MemoryFiles files;
  Errors errors;
  ::setenv("XDG_CONFIG_HOME", "/nowhere", 1);
  read_site(files, "", errors);
  EXPECT_TRUE(errors.empty());
  read_site(files, "/s/other.yaml", errors);
  EXPECT_EQ(errors.size(), 1u);
}

TEST(Host, without_a_GPU_in_sight_does_not_know_how_many_there_are) {
  const Host host = host_of({}, laptop());
  EXPECT_EQ(value(host, "host_gpus"), "unknown");
  EXPECT_EQ(value(host, "host_cpu_model"), "Some CPU");
  EXPECT_EQ(host.machine_class, "Some CPU x 8");
  EXPECT_FALSE(host.gpu_model);
}

TEST(Host, takes_what_is_stated_for_what_is_seen) {
  const Host host = host_of(stated("{gpus: 8, gpu_model: H100, gpu_memory_gib: 80}"), laptop());
  EXPECT_EQ(value(host, "host_gpus"), "8");
  EXPECT_EQ(value(host, "host_gpu_memory_gib"), "80");
  EXPECT_EQ(value(host, "host_mig"), "");
  EXPECT_EQ(host.machine_class, "H100 x 8, Some CPU x 8");
  EXPECT_EQ(host.gpu_model, "H100");
}

TEST(Host, has_whole_GPUs_unless_it_is_stated_that_they_are_split) {
  EXPECT_EQ(value(host_of(stated("{gpus: 8, gpu_model: H100}"), laptop()), "host_mig"), "");
  EXPECT_EQ(value(host_of(stated("{gpus: 8, mig: false}"), laptop()), "host_mig"), "");
  EXPECT_EQ(value(host_of(stated("{gpus: 8, mig: Disabled}"), laptop()), "host_mig"), "");
  EXPECT_EQ(value(host_of(stated("{gpus: 7, mig: 1g.10gb}"), laptop()), "host_mig"), "1g.10gb");
  EXPECT_EQ(value(host_of({}, laptop()), "host_mig"), "unknown");
}

TEST(Host, says_nothing_of_the_GPUs_seen_once_any_fact_of_them_is_stated) {
  system::Machine machine = laptop();
  machine.gpus =
      system::Gpus{.count = 2, .model = "L4", .memory_gib = 22.5, .mig = "", .driver = "550"};
  EXPECT_EQ(host_of({}, machine).machine_class, "L4 x 2, Some CPU x 8");
  const Host host = host_of(stated("{gpus: 4}"), machine);
  EXPECT_EQ(value(host, "host_gpu_model"), "unknown");
  EXPECT_EQ(host.machine_class, "GPU x 4, Some CPU x 8");
}

TEST(Host, stated_as_what_it_is_seen_to_be_is_the_same_machine) {
  system::Machine machine = laptop();
  machine.gpus = system::Gpus{
      .count = 2, .model = "NVIDIA L4", .memory_gib = 22.5, .mig = "", .driver = "550"};
  EXPECT_EQ(host_of(stated("{gpu_model: L4, cpu_model: some}"), machine).machine_class,
            host_of({}, machine).machine_class);
}

TEST(Host, is_not_measured_on_as_another_machine) {
  system::Machine machine = laptop();
  Errors errors;
  refuse_other_machine(stated("{gpus: 0, cpu_model: some}"), machine, errors);
  EXPECT_EQ(text_of(errors), "");
  refuse_other_machine(stated("{gpus: 8, gpu_model: H100}"), machine, errors);
  EXPECT_EQ(text_of(errors),
            "/s/site.yaml:1:17: 'gpus' is stated as '8', and no GPU is seen on this machine; run "
            "without stating it, or plan for that machine with `orchestrate plan`\n");
  errors.clear();
  machine.gpus = system::Gpus{
      .count = 2, .model = "NVIDIA L4", .memory_gib = 22.5, .mig = "", .driver = "550"};
  refuse_other_machine(stated("{gpus: 2, gpu_model: l4, gpu_memory_gib: 24}"), machine, errors);
  EXPECT_EQ(text_of(errors), "");
  refuse_other_machine(stated("{gpus: 8}"), machine, errors);
  EXPECT_EQ(text_of(errors),
            "/s/site.yaml:1:17: 'gpus' is stated as '8', and this machine has '2'; run without "
            "stating it, or plan for that machine with `orchestrate plan`\n");
}

}  // namespace
}  // namespace orch::cli
