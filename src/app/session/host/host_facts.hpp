// The machine that a plan is made for: facts as the site, the matrix or --machine states them, else
// as detected. Reads no file and asks no device.
#pragma once

#include "core/base/result.hpp"
#include "spec/matrix/facts.hpp"
#include "spec/matrix/matrix.hpp"
#include "os/system/machine.hpp"

#include <map>
#include <optional>
#include <string>

namespace orch::session {

struct HostFacts {
  std::map<std::string, matrix::Value> facts;  // host_*; only known ones
  // GPU model x count, MIG profile, CPU model: part of the digest of a measurement.
  std::string machine_class;
  std::optional<std::string> gpu_model;
};

// A stated fact replaces the detected one. Stating one fact of the GPUs discards every detected
// fact of them. STATED has passed matrix::read_machine().
HostFacts host_facts_of(const matrix::StatedMachine& stated, const system::Machine& detected);

// Appends an error for each stated fact that contradicts the detected machine: a measurement made
// here would be stored under the wrong machine.
void refuse_other_machine(const matrix::StatedMachine& stated, const system::Machine& detected,
                          Errors& errors);

// Whether STATED describes another machine than DETECTED.
bool is_elsewhere(const matrix::StatedMachine& stated, const system::Machine& detected);

}  // namespace orch::session
