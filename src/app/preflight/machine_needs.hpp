// Judges whether a machine has what points need of it: GPUs, their driver, disk, shared memory,
// ports. Pure: facts are passed as values.
#pragma once

#include "app/preflight/needs.hpp"
#include "os/system/gpus.hpp"
#include "os/system/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orch::preflight {

// GPUS are those that stages may use; USE is their current use.
void judge_gpus(Findings& findings, const Needs& needs, const std::optional<system::Gpus>& gpus,
                const std::vector<system::GpuUse>& use);

// Reports each fact of STATED that the detected MACHINE contradicts.
void judge_stated(Findings& findings, const Points& points, const matrix::StatedMachine& stated,
                  const system::Machine& machine);

// The driver that an image requires, according to its variables.
struct DriverNeed {
  std::string require;  // NVIDIA_REQUIRE_CUDA: "cuda>=12.4 brand=tesla,driver>=470,driver<471"
  std::string cuda;     // CUDA_VERSION: "12.4.1"
};
// NAME is that of the image.
void judge_driver(Findings& findings, const Points& points, const std::string& name,
                  const DriverNeed& need, const std::optional<system::Gpus>& gpus);

// How much a run writes, as far as it is known.
struct DiskNeed {
  std::uint64_t bytes = 0;    // all stages together
  std::uint64_t at_once = 0;  // see forecast::Disk
  struct OfStage {
    std::string id;
    std::uint64_t bytes = 0;
    Points points;
  };
  std::vector<OfStage> stages = {};  // stages whose output has a known size
  std::size_t without_bytes = 0;     // the number of other stages to run
  std::size_t undecided = 0;         // the number of undecided stages
};
DiskNeed disk_need_of(const plan::Plan& plan);
// FREE is the number of free bytes at FOLDER; nullopt: FOLDER is on a machine that cannot be
// queried from here.
void judge_disk(Findings& findings, const Points& points, const DiskNeed& need,
                std::optional<std::uint64_t> free, const std::string& folder);

// FREE is the number of free bytes of the host's /dev/shm.
void judge_shared_memory(Findings& findings, const Needs& needs, std::uint64_t free);

// PINNED are the ports that the matrix pins; LISTENING are the numbers on which processes listen.
void judge_ports(Findings& findings, const Needs& needs, const plan::PinnedPorts& pinned,
                 const std::set<int>& listening);

// Programs of this host, and the hubs and repositories that it can reach.

// Examines the programs that stages start here, and the commands that print versions.
void look_at_programs(Findings& findings, const Place& place, const Needs& needs);

// Examines whether the files of each source can be fetched from here with this user's token, by the
// command `reach` of the runner's resolver.
void look_at_sources(Findings& findings, const Place& place, const Needs& needs);

}  // namespace orch::preflight
