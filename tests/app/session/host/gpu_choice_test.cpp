#include "app/session/host/host_facts.hpp"

#include <gtest/gtest.h>

namespace orch::session {
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
            "GPU 8 is chosen, but the machine is stated to have 8: 0 to 7\n");
  Errors errors;
  refuse_absent_gpus(chosen.used.choice, errors);
  EXPECT_EQ(text_of(errors),
            "'4, 5' is chosen by --gpus or gpu_ids of the site file, but no GPU was detected on "
            "this machine; check that `nvidia-smi -L` works, or choose none\n");
}

TEST(GpuChoice, GpusThatAreNotThereAreErrors) {
  EXPECT_EQ(choose({"2"}, {}, with_gpus(2)).errors,
            "no GPU matches '2'; the machine has 0 (GPU-0f), 1 (GPU-1f)\n");
  EXPECT_EQ(choose({"GPU-"}, {}, with_gpus(2)).errors,
            "more than one GPU matches 'GPU-'; the machine has 0 (GPU-0f), 1 (GPU-1f)\n");
  EXPECT_EQ(choose({"1", "GPU-1f"}, {}, with_gpus(2)).errors,
            "'1' and 'GPU-1f' name the same GPU; name it only once\n");
}

TEST(GpuChoice, NoneChosenChangesNothing) {
  const Chosen chosen = choose({}, stated("gpus", "8"), with_gpus(8));
  EXPECT_FALSE(chosen.used.choice.is_made());
  EXPECT_EQ(chosen.machine_class, "A x 8, CPU x 4");
}

struct Seen {
  GpuIds ids;
  std::string errors;
  std::vector<std::string> warnings;
};

Seen visible(const std::string& value, const std::vector<std::string>& wanted = {},
             std::map<std::string, std::string> variables = {}, const std::string& mig = "") {
  variables["CUDA_VISIBLE_DEVICES"] = value;
  system::Gpus gpus = *with_gpus(4).gpus;
  gpus.mig = mig;
  Errors errors;
  Seen seen;
  seen.ids = within_visible({.ids = wanted, .where = {}}, {variables, gpus}, errors, seen.warnings);
  seen.errors = text_of(errors);
  return seen;
}
using Ids = std::vector<std::string>;

TEST(VisibleGpus, AreTheOnesThatStagesUse) {
  EXPECT_EQ(visible("2,3").ids.ids, (Ids{"2", "3"}));
  EXPECT_EQ(visible(" 3 , GPU-1 ").ids.ids, (Ids{"1", "3"}));
  EXPECT_EQ(visible("2").warnings, Ids());
  EXPECT_EQ(GpuChoice{visible("2,3").ids}.note(),
            "CUDA_VISIBLE_DEVICES=2,3 of the environment: stages use GPUs 2, 3");
}

TEST(VisibleGpus, OfAnEmptyListAreNone) {
  const Seen none = visible("");
  EXPECT_EQ(none.warnings, Ids());
  Errors errors;
  const UsedMachine used = choose_gpus(none.ids, {}, with_gpus(4), errors);
  EXPECT_EQ(used.machine.gpus->count, 0);
  EXPECT_TRUE(used.choice.is_made());
  refuse_absent_gpus(used.choice, errors);
  EXPECT_EQ(text_of(errors), "");
  EXPECT_EQ(used.choice.note(), "CUDA_VISIBLE_DEVICES= of the environment: stages use no GPU");
}

TEST(VisibleGpus, EndBeforeAnEntryThatNamesNone) {
  for (const std::string value : {"1,9,2", "1,-1,2", "1,1,2", "1,GPU-7,2", "1,,2"}) {
    const Seen seen = visible(value);
    EXPECT_EQ(seen.ids.ids, Ids{"1"}) << value;
    ASSERT_EQ(seen.warnings.size(), 1u) << value;
  }
  EXPECT_EQ(
      visible("1,9,2").warnings.front(),
      "CUDA_VISIBLE_DEVICES=1,9,2: '9' is not another GPU of this machine, so by CUDA's rules it "
      "and the entries after it are ignored, which leaves GPUs 1; set it to indices or "
      "UUIDs that `nvidia-smi -L` prints, or unset it");
}

TEST(VisibleGpus, AreNoneThatTheUserChoosesBesideThem) {
  EXPECT_EQ(visible("2,3", {"3"}).ids.ids, Ids{"3"});
  EXPECT_EQ(visible("2,3", {"3"}).errors, "");
  EXPECT_EQ(visible("2,3", {"1", "3"}).errors,
            "GPU 1 is chosen by --gpus or gpu_ids of the site file, but CUDA_VISIBLE_DEVICES=2,3 "
            "in the environment shows GPUs 2, 3; choose among these, or unset the variable\n");
}

TEST(VisibleGpus, AreNumberedInTheOrderOfTheBus) {
  system::Gpus two = *with_gpus(8).gpus;
  two.model = "A + B";
  const auto warnings = [&](std::map<std::string, std::string> variables) {
    Errors errors;
    std::vector<std::string> found;
    within_visible({}, {variables, two}, errors, found);
    return found;
  };
  ASSERT_EQ(warnings({{"CUDA_VISIBLE_DEVICES", "0,5"}}).size(), 1u);
  EXPECT_EQ(warnings({{"CUDA_VISIBLE_DEVICES", "0,5"}}).front(),
            "CUDA_VISIBLE_DEVICES=0,5 indexes GPUs of several models (A + B): here in nvidia-smi's "
            "order, elsewhere the fastest first; set CUDA_DEVICE_ORDER=PCI_BUS_ID too, or set "
            "it to UUIDs");
  EXPECT_EQ(warnings({{"CUDA_VISIBLE_DEVICES", "0,5"}, {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}}),
            Ids());
  EXPECT_EQ(warnings({{"CUDA_VISIBLE_DEVICES", "GPU-5"}}), Ids());
}

TEST(VisibleGpus, OfSplitGpusAreNamedByUuid) {
  EXPECT_EQ(visible("GPU-1", {}, {}, "on").errors, "");
  EXPECT_EQ(visible("1", {}, {}, "on").errors,
            "CUDA_VISIBLE_DEVICES=1 has indices, but GPUs of this machine are split (MIG); set it "
            "to UUIDs as `nvidia-smi -L` prints them, or unset it and use --gpus\n");
}

}  // namespace gpu_choice_test
}  // namespace orch::session
