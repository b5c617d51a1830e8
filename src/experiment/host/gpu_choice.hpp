// The GPUs that the user allows an experiment to use, by --gpus or the site file. Digests see their
// number only.
#pragma once

#include "base/result.hpp"
#include "matrix/matrix.hpp"
#include "system/gpus.hpp"
#include "system/machine.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orch::experiment {

// GPUs as the user names them: indices, or UUIDs.
struct GpuIds {
  std::vector<std::string> ids;  // empty: every GPU
  Location where;                // in the site file
};

// Why ID is neither the index of a GPU ("4") nor a UUID ("GPU-8f3c...", "MIG-8f3c..."); "" when it
// is one.
std::string why_no_gpu_id(const std::string& id);

struct GpuChoice {
  GpuIds wanted;
  std::vector<system::Gpu> gpus;  // of this machine; empty: all, or those of another machine

  bool is_made() const { return !wanted.ids.empty(); }
  std::set<int> indices() const;
};

// What a plan is made for.
struct UsedMachine {
  GpuChoice choice;
  matrix::StatedMachine stated;
  system::Machine machine;
};

// The machine that has only the WANTED GPUs of STATED, where that states another machine than
// DETECTED, else of DETECTED. Appends to ERRORS: GPUs that the machine does not have.
UsedMachine choose_gpus(const GpuIds& wanted, const matrix::StatedMachine& stated,
                        const system::Machine& detected, Errors& errors);

// Appends an error unless the GPUs of CHOICE are on this machine, or none was chosen.
void refuse_absent_gpus(const GpuChoice& choice, Errors& errors);

}  // namespace orch::experiment
