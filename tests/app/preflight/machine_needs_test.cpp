#include "app/preflight/machine_needs.hpp"

#include "app/doctor/machine_of_scripts.hpp"
#include "fakes/memory_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::preflight {
namespace machine_needs_test {

using doctor::lines_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::uint64_t k_gib = 1ULL << 30;

class MachineNeeds : public testing::Test {
 protected:
  MachineNeeds() {
    for (const char* name : {"a", "b", "c"}) {
      plan::PlannedPoint point;
      point.point.name = name;
      plan.points.push_back(point);
    }
  }
  static system::Gpus gpus(int count) {
    return {.count = count,
            .model = "NVIDIA H100 80GB HBM3",
            .memory_gib = 79.6,
            .mig = {},
            .driver = "535.54.03",
            .cuda = 12020};
  }
  std::vector<std::string> driver_of(const DriverNeed& need) {
    Findings found(plan, "");
    judge_driver(found, all, "i:1", need, gpus(1));
    return lines_of(found.section());
  }
  std::vector<std::string> disk_of(const DiskNeed& need, std::optional<std::uint64_t> free) {
    Findings found(plan, "");
    judge_disk(found, all, need, free, "results");
    return lines_of(found.section());
  }

  plan::Plan plan;
  const Points all = {0, 1, 2};
  Needs needs;
};

TEST_F(MachineNeeds, PointsWithMoreGpusThanThereAreCannotRun) {
  needs.gpus = {{2, {0, 1}}, {8, {2}}};
  Findings found(plan, "");
  judge_gpus(found, needs, gpus(2), {});
  EXPECT_THAT(
      lines_of(found.section()),
      ElementsAre("missing a stage needs 8 GPUs, but 2 may be used here -> a machine with 8 "
                  "GPUs, smaller tp and pp, or --gpus with more",
                  "ok 2 x NVIDIA H100 80GB HBM3, 79.6 GiB, driver 535.54.03, CUDA 12.2"));
  EXPECT_THAT(found.section().findings[0].points, ElementsAre("c"));
  EXPECT_THAT(found.section().findings[1].points, ElementsAre("a", "b"));
}

TEST_F(MachineNeeds, WithoutADriverNoPointWithAGpuCanRun) {
  needs.gpus = {{1, {0}}};
  Findings found(plan, "");
  judge_gpus(found, needs, std::nullopt, {});
  EXPECT_THAT(lines_of(found.section()),
              ElementsAre(StartsWith("missing a stage needs 1 GPU, but none was detected here -> "
                                     "check `nvidia-smi -L`")));
}

TEST_F(MachineNeeds, MemoryThatOthersHoldIsAWarningWithItsProcesses) {
  needs.gpus = {{1, {0}}};
  Findings found(plan, "");
  judge_gpus(found, needs, gpus(3),
             {{.index = 0, .uuid = {}, .memory_gib = 79.6, .used_gib = 0.6, .pids = {}},
              {.index = 1, .uuid = {}, .memory_gib = 79.6, .used_gib = 60, .pids = {41, 42}},
              {.index = 2, .uuid = {}, .memory_gib = 79.6, .used_gib = 9, .pids = {}}});
  EXPECT_THAT(
      lines_of(found.section()),
      ElementsAre(
          StartsWith("ok "),
          StartsWith("warning GPU 1 has 60.0 of 79.6 GiB in use by process 41, 42 -> "
                     "end it, leave GPU 1 out with --gpus"),
          StartsWith("warning GPU 2 has 9.0 of 79.6 GiB in use, by no process visible from here")));
}

TEST_F(MachineNeeds, AStatedMachineIsComparedWithThisOne) {
  system::Machine here;
  here.gpus = gpus(2);
  Findings found(plan, "");
  fakes::MemoryFiles files;
  static_cast<void>(files.make_folder("/s").ok());
  static_cast<void>(files.put("/s/m.yaml", "{gpus: 8, gpu_model: H100, gpu_memory_gib: 141}").ok());
  Errors errors;
  judge_stated(found, all, session::read_machine_file(files, "/s/m.yaml", errors), here);
  EXPECT_THAT(
      lines_of(found.section()),
      ElementsAre(HasSubstr("'gpus' is stated as '8', but this machine has '2' -> remove the "
                            "statement to run here"),
                  "missing 'gpu_memory_gib' is stated as 141, but the GPUs here have 79.6 -> "
                  "remove the statement, so that rules use what is here"));
}

TEST_F(MachineNeeds, AnImageForANewerCudaNeedsANewerDriver) {
  const DriverNeed newer{.require = "cuda>=12.6 brand=unknown,driver>=560,driver<561", .cuda = ""};
  EXPECT_THAT(
      driver_of(newer),
      ElementsAre("missing image i:1 requires cuda>=12.6, but driver 535.54.03 supports CUDA "
                  "12.2 -> a newer driver, or an image for an older CUDA"));
  EXPECT_THAT(driver_of({.require = "cuda>=12.2", .cuda = ""}), IsEmpty());
  EXPECT_THAT(driver_of({.require = "cuda>=12.4 brand=tesla,driver>=535,driver<536", .cuda = ""}),
              ElementsAre(StartsWith("warning image i:1 accepts driver 535.54.03 for some cards "
                                     "only: brand=tesla")));
}

TEST_F(MachineNeeds, WithoutARequirementTheMajorVersionOfCudaDecides) {
  EXPECT_THAT(driver_of({.require = "", .cuda = "13.0.2"}),
              ElementsAre(StartsWith("missing image i:1 has CUDA 13.0.2, but driver 535.54.03 "
                                     "supports CUDA 12.2")));
  EXPECT_THAT(driver_of({.require = "", .cuda = "12.6.3"}), IsEmpty());
}

TEST_F(MachineNeeds, StagesThatDoNotFitAloneKeepTheirPoints) {
  DiskNeed need{.bytes = 9 * k_gib, .at_once = 2 * k_gib};
  need.stages = {{"build-1", 4 * k_gib, {1}}, {"build-2", 2 * k_gib, {2}}};
  Findings found(plan, "");
  judge_disk(found, all, need, 3 * k_gib, "results");
  EXPECT_THAT(lines_of(found.section()).front(),
              StartsWith("missing stage build-1 writes 4.0 GiB, but 3.0 GiB free at results -> "
                         "orchestrate gc"));
  EXPECT_EQ(found.section().findings.front().points.size(), 1u);
  need.stages.push_back({"build-3", 5 * k_gib, {0, 1}});
  Findings more(plan, "");
  judge_disk(more, all, need, 3 * k_gib, "results");
  EXPECT_THAT(lines_of(more.section()).front(),
              StartsWith("missing 2 stages write up to 5.0 GiB each, such as build-3, but 3.0 GiB "
                         "free at results"));
  EXPECT_EQ(more.section().findings.front().points.size(), 2u);
}

TEST_F(MachineNeeds, WhatIsWrittenTogetherMustFit) {
  EXPECT_THAT(disk_of({.bytes = 9 * k_gib, .at_once = 9 * k_gib}, 3 * k_gib),
              ElementsAre(StartsWith("missing 9.0 GiB to be written, but 3.0 GiB free at results "
                                     "-> orchestrate gc")));
  EXPECT_THAT(disk_of({.bytes = 2 * k_gib, .at_once = 2 * k_gib}, 3 * k_gib),
              ElementsAre("ok 2.0 GiB to be written, 3.0 GiB free at results"));
  EXPECT_THAT(
      disk_of({.bytes = 9 * k_gib, .at_once = 2 * k_gib}, 3 * k_gib),
      ElementsAre("ok 9.0 GiB to be written, 2.0 GiB of it at once, 3.0 GiB free at results"));
}

TEST_F(MachineNeeds, WhatUndecidedStagesWriteIsUnknown) {
  EXPECT_THAT(
      disk_of({.undecided = 4}, 3 * k_gib),
      ElementsAre("unknown the amount to be written is unknown: 4 stages are undecided; 3.0 "
                  "GiB free at results"));
  EXPECT_THAT(disk_of({.bytes = k_gib, .at_once = k_gib, .undecided = 1}, 3 * k_gib),
              ElementsAre("unknown at least 1.0 GiB to be written (1 stage is undecided); 3.0 GiB "
                          "free at results"));
}

TEST_F(MachineNeeds, TheDiskOfAStatedMachineIsUnknown) {
  EXPECT_THAT(disk_of({.bytes = 9 * k_gib, .at_once = 9 * k_gib, .without_bytes = 2}, std::nullopt),
              ElementsAre(StartsWith("unknown at least 9.0 GiB to be written; the disk of the "
                                     "stated machine")));
}

TEST_F(MachineNeeds, ASmallSharedMemoryIsAWarningWithTheCommandThatMendsIt) {
  needs.shared_memory = {{"16g", {0, 1}}};
  const auto with = [&](std::uint64_t free) {
    Findings found(plan, "");
    judge_shared_memory(found, needs, free);
    return lines_of(found.section());
  };
  EXPECT_THAT(
      with(64ULL << 20),
      ElementsAre("warning /dev/shm has 64.0 MiB free, but processes that share work "
                  "among GPUs need 16g there -> mount -o remount,size=16g /dev/shm, or start "
                  "the container that this runs in with --shm-size 16g"));
  EXPECT_THAT(with(8 * k_gib), ElementsAre(StartsWith("warning /dev/shm has 8.0 GiB free")));
  EXPECT_THAT(with(16 * k_gib), IsEmpty());
}

TEST_F(MachineNeeds, APinnedPortInUseKeepsItsPointsFromRunning) {
  needs.ports = {{"http", {0}}, {"grpc.1", {1}}, {"grpc.2", {1}}, {"metrics", {2}}};
  Findings found(plan, "");
  judge_ports(found, needs, {{"http", {8000}}, {"grpc", {8001, 8011}}}, {8011, 9000});
  EXPECT_THAT(lines_of(found.section()),
              ElementsAre("missing port 8011 (grpc) is in use -> end what listens there (ss -ltnp "
                          "'sport = :8011'), or pin another number under `ports` of the matrix"));
}

}  // namespace machine_needs_test
}  // namespace orch::preflight
