#include "experiment/host/gpu_choice.hpp"

#include "experiment/host/host_facts.hpp"

#include <gtest/gtest.h>

namespace orch::experiment {
namespace gpu_choice_test {

std::string text_of(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) text += error.text() + "\n";
  return text;
}

system::Machine with_gpus(int count) {
  system::Machine machine;
  machine.cpu_model = "CPU";
  machine.cpus = 4;
  system::Gpus gpus{.count = count, .model = "A", .memory_gib = 80, .mig = "", .driver = "550"};
  for (int i = 0; i < count; ++i)
    gpus.each.push_back(
        {.index = i, .uuid = fmt::format("GPU-{}f", i), .model = i < 4 ? "A" : "B"});
  machine.gpus = gpus;
  return machine;
}

matrix::StatedMachine stated(const std::string& key, const std::string& value) {
  Yaml scalar;
  scalar.kind = Yaml::Kind::scalar;
  scalar.text = value;
  return {{key, scalar}};
}

struct Chosen {
  UsedMachine used;
  std::string errors;
  std::string machine_class;
};

Chosen choose(const std::vector<std::string>& ids, const matrix::StatedMachine& stated,
              const system::Machine& machine) {
  Errors errors;
  Chosen chosen{.used = choose_gpus({.ids = ids, .where = {}}, stated, machine, errors)};
  chosen.errors = text_of(errors);
  chosen.machine_class = host_facts_of(chosen.used.stated, chosen.used.machine).machine_class;
  return chosen;
}

TEST(GpuChoice, TheMachineHasOnlyTheChosenGpus) {
  const Chosen chosen = choose({"5", "GPU-4"}, {}, with_gpus(8));
  EXPECT_EQ(chosen.errors, "");
  EXPECT_EQ(chosen.used.choice.indices(), (std::set<int>{4, 5}));
  EXPECT_EQ(chosen.machine_class, "B x 2, CPU x 4");
}

TEST(GpuChoice, TheClassOfTheMachineSeesTheirNumberOnly) {
  EXPECT_EQ(choose({"0", "1"}, {}, with_gpus(8)).machine_class,
            choose({"2", "3"}, {}, with_gpus(8)).machine_class);
  EXPECT_EQ(choose({"0", "1"}, stated("gpus", "8"), with_gpus(8)).machine_class, "A x 2, CPU x 4");
}

TEST(GpuChoice, OfAMachineThatIsOnlyDescribedTheNumberCounts) {
  const Chosen chosen = choose({"4", "5"}, stated("gpus", "8"), {});
  EXPECT_EQ(chosen.errors, "");
  EXPECT_EQ(host_facts_of(chosen.used.stated, {}).facts.at("host_gpus").text, "2");
  EXPECT_EQ(choose({"8"}, stated("gpus", "8"), {}).errors,
            "GPU 8 is chosen, and the machine is stated to have 8: 0 to 7\n");
  Errors errors;
  refuse_absent_gpus(chosen.used.choice, errors);
  EXPECT_EQ(text_of(errors),
            "'4, 5' is chosen by --gpus or gpu_ids of the site file, and no GPU was detected on "
            "this machine; check that `nvidia-smi -L` works, or choose none\n");
}

TEST(GpuChoice, GpusThatAreNotThereAreErrors) {
  EXPECT_EQ(choose({"2"}, {}, with_gpus(2)).errors,
            "no GPU is '2'; the machine has 0 (GPU-0f), 1 (GPU-1f)\n");
  EXPECT_EQ(choose({"GPU-"}, {}, with_gpus(2)).errors,
            "more than one GPU is 'GPU-'; the machine has 0 (GPU-0f), 1 (GPU-1f)\n");
  EXPECT_EQ(choose({"1", "GPU-1f"}, {}, with_gpus(2)).errors,
            "'1' and 'GPU-1f' name the same GPU; name each once\n");
}

TEST(GpuChoice, NoneChosenChangesNothing) {
  const Chosen chosen = choose({}, stated("gpus", "8"), with_gpus(8));
  EXPECT_FALSE(chosen.used.choice.is_made());
  EXPECT_EQ(chosen.machine_class, "A x 8, CPU x 4");
}

}  // namespace gpu_choice_test
}  // namespace orch::experiment
