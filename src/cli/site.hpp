// What belongs to a place and not to an experiment: the site file, the machine as a site, a matrix
// or --machine states it, prices and ports. Never in a digest, except the machine's class.
#pragma once

#include "base/result.hpp"
#include "matrix/facts.hpp"
#include "matrix/matrix.hpp"
#include "system/files.hpp"
#include "system/machine.hpp"
#include "system/ports.hpp"
#include "system/process.hpp"

#include <optional>
#include <string>

namespace orch::cli {

struct Prices {
  std::optional<double> gpu_hour;      // of one GPU while a stage holds it
  std::optional<double> machine_hour;  // of the machine while anything runs
  std::string currency;
};

struct Site {
  matrix::StatedMachine machine;
  Prices prices;
  system::PortRange ports;
  double grace_s = 120;  // how long what runs lives on when orchestrate is gone
  std::optional<system::Containment> containment;  // empty: the strongest that works here
};

// FILE "" means ~/.config/orchestrate/site.yaml, or $XDG_CONFIG_HOME/orchestrate/site.yaml, which
// need not be there.
Site read_site(system::Files& files, const std::string& file, Errors& errors);

// FILE: the keys of `machine:`, at the top or under `machine`.
matrix::StatedMachine read_machine_file(system::Files& files, const std::string& file,
                                        Errors& errors);

// Facts of the machine that is planned for. Stated facts stand instead of what was detected: as
// soon as one of the GPUs' is stated, nothing detected is said about them.
struct Host {
  std::map<std::string, matrix::Value> facts;  // host_*: what is known
  std::string
      machine_class;  // GPU model x count, MIG profile, CPU model: in the digest of a measurement
  std::optional<std::string> gpu_model;
};

// STATED was checked by read_machine().
Host host_of(const matrix::StatedMachine& stated, const system::Machine& detected);

// Appends to ERRORS what STATED says that this machine is seen not to be: measuring here would put
// a lie on record.
void refuse_other_machine(const matrix::StatedMachine& stated, const system::Machine& detected,
                          Errors& errors);

}  // namespace orch::cli
