// The site file: settings that belong to a site rather than to an experiment, such as prices, ports
// and the machine. Of these, only the class of the machine enters digests.
#pragma once

#include "app/session/host/host_facts.hpp"
#include "core/base/result.hpp"
#include "os/lease/lease.hpp"
#include "os/system/files.hpp"
#include "os/system/ports.hpp"
#include "os/system/process.hpp"
#include "run/attempt/container_host.hpp"
#include "spec/container/container.hpp"
#include "spec/matrix/matrix.hpp"
#include "spec/runner/manifest.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orch::session {

struct Prices {
  std::optional<double> gpu_hour;      // the price of one GPU while a stage holds it
  std::optional<double> machine_hour;  // the price of the machine while anything runs
  std::string currency;
  std::optional<double> output_token_weight;  // the price of an output token in input tokens
};

// How containers are started here.
struct ContainerSite {
  container::Engine engine = container::Engine::docker;  // if a manifest names none
  std::vector<std::string> command = {};                 // the engine's command; empty: its name
  std::vector<std::string> options = {};                 // arguments after its `run`
  std::optional<bool> rootless = {};  // the root of a container is the user; nullopt: detected
};

// How stages become jobs of a Slurm cluster.
struct SlurmSite {
  std::vector<std::string> words = {};  // sbatch arguments, such as --partition=NAME
  std::vector<std::string> lines = {};  // lines of the job script before its commands
  std::string gres = "gpu";
  std::string mpi = "pmix";       // how ranks are started: see execute::Place
  double server_minutes = 240;    // the time limit of a server with its measurements
  std::int64_t most_jobs = 1000;  // at the same time
  std::int64_t most_in_array = 1000;
  attempt::SiteRequests requests = {};
};

// How the results folder at this site is shared.
struct StoreSite {
  bool is_shared = false;  // other hosts also use the folder, even if its file system appears local
  double silent_s = lease::k_silent_s;  // see store::Host::silent_s
};

struct Site {
  matrix::StatedMachine machine;
  Prices prices;
  std::string runners;  // a folder of runners, absolute; "": none
  system::PortRange ports;
  GpuIds gpu_ids;
  std::map<std::string, int> tokens;  // name -> how many there are
  ContainerSite container;
  SlurmSite slurm;
  StoreSite store;
  std::vector<std::string> nvidia_smi = {"nvidia-smi"};  // the command that sets the clocks of GPUs
  std::string bind = "127.0.0.1";                        // the IPv4 address at which servers listen
  Location bind_where;
  double grace_s = 120;                            // see execute::GuardedOptions::grace_s
  std::optional<system::Containment> containment;  // nullopt: the strongest that works here
};

// The requests of jobs on SITE's cluster that do not come from a plan.
attempt::PlaceOptions place_options(const Site& site);

// The path of the site file: FILE, or if it is "" the default path; "" if that is unknown.
std::string site_file_of(const std::string& file);

// Reads FILE. "" means $XDG_CONFIG_HOME/orchestrate/site.yaml or ~/.config/orchestrate/site.yaml,
// which may be absent.
Site read_site(system::Files& files, const std::string& file, Errors& errors);

// Reads FILE, which has the keys of `machine:` at the top level or under `machine`.
matrix::StatedMachine read_machine_file(system::Files& files, const std::string& file,
                                        Errors& errors);

// JSON Schema of the files that users write, for editors that complete and check. Generated from
// the tables of keys that the parsers use.

// The schema of a matrix, in draft 7, which yaml-language-server supports best. If RUNNER is set,
// only its parameters, facts and stages are allowed; otherwise any name is.
std::string matrix_schema(const runner::Manifest* runner);
// The schema of runner.yaml and of its parts.
std::string runner_schema();
std::string site_schema();

}  // namespace orch::session
