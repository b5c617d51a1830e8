// The machine of a plan: facts as stated by the site, the matrix or --machine, otherwise as
// detected. Pure.
#pragma once

#include "core/base/result.hpp"
#include "os/system/gpus.hpp"
#include "os/system/machine.hpp"
#include "spec/matrix/matrix.hpp"
#include "spec/matrix/vocabulary.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace orch::session {

struct HostFacts {
  std::map<std::string, matrix::Value> facts;  // host_*; only known facts
  // Number and model of GPUs, MIG profile, CPU model: part of the digest of a measurement.
  std::string machine_class;
  std::optional<std::string> gpu_model;
};

// A stated fact replaces the detected one. If one fact of the GPUs is stated, all detected facts of
// the GPUs are discarded. STATED has passed matrix::read_machine().
HostFacts host_facts_of(const matrix::StatedMachine& stated, const system::Machine& detected);

// Appends an error for each stated fact that contradicts the detected machine: a measurement made
// here would be stored under the wrong machine.
void refuse_other_machine(const matrix::StatedMachine& stated, const system::Machine& detected,
                          Errors& errors);

// Whether STATED describes a machine other than DETECTED.
bool is_other_machine(const matrix::StatedMachine& stated, const system::Machine& detected);

// The GPUs that the user allows an experiment to use, by --gpus, the site file or
// CUDA_VISIBLE_DEVICES. Digests depend only on their number.

// GPUs as the user names them: indices, or UUIDs.
struct GpuIds {
  std::vector<std::string> ids;  // empty: every GPU, or none if a variable hides all
  Location where = {};           // the place in the site file
  std::string variable = {};     // "CUDA_VISIBLE_DEVICES=2,3", if it has chosen them; else ""

  bool is_made() const { return !ids.empty() || !variable.empty(); }
};

// Why ID is neither the index of a GPU ("4") nor a UUID ("GPU-8f3c...", "MIG-8f3c..."); "" if it is
// one.
std::string why_no_gpu_id(const std::string& id);

struct GpuChoice {
  GpuIds wanted;
  // GPUs of this machine; empty: all, or those of another machine
  std::vector<system::Gpu> gpus = {};

  bool is_made() const { return wanted.is_made(); }
  std::set<int> indices() const;
  std::string note() const;  // the GPUs chosen by an environment variable; "" for none
};

// The machine of a plan.
struct UsedMachine {
  GpuChoice choice;
  matrix::StatedMachine stated;
  system::Machine machine;
};

// The machine with only the WANTED GPUs: STATED if that is a machine other than DETECTED, else
// DETECTED. Appends an error for each GPU that the machine does not have.
UsedMachine choose_gpus(const GpuIds& wanted, const matrix::StatedMachine& stated,
                        const system::Machine& detected, Errors& errors);

// WANTED, checked against CUDA_VISIBLE_DEVICES of ENVIRONMENT by CUDA's rules: an entry that does
// not name a GPU hides itself and all entries after it. If no GPUs are wanted, returns those that
// the variable shows. Appends contradictions to ERRORS, and possibly unintended meanings to
// WARNINGS.
struct Environment {
  const std::map<std::string, std::string>& variables;
  const system::Gpus& gpus;  // the GPUs of this machine
};
GpuIds within_visible(const GpuIds& wanted, const Environment& environment, Errors& errors,
                      std::vector<std::string>& warnings);

// Appends an error unless the GPUs of CHOICE are on this machine or none was chosen.
void refuse_absent_gpus(const GpuChoice& choice, Errors& errors);

}  // namespace orch::session
