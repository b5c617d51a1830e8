#include "app/doctor/asking.hpp"

#include "core/base/text.hpp"
#include "os/system/launch.hpp"
#include "os/system/run_to_end.hpp"

namespace orch::doctor {

namespace {

// Of the patience with a program: until it is killed, and until a killed one counts as one that
// cannot be killed, because it waits in the kernel.
constexpr double k_stop_share = 0.1, k_kill_share = 0.25;
constexpr std::size_t k_most_answer_bytes = 8 << 20;

struct Remedy {
  std::string_view program, text;
};

// What Debian and Ubuntu have no package of.
constexpr Remedy k_guides[] = {
    {"apptainer", "install it as \"Installing Apptainer\" of its Admin Guide says"},
    {"nvidia-ctk", "install it as \"Installing the NVIDIA Container Toolkit\" of NVIDIA says"},
    {"nvidia-smi", "install the driver as the \"Driver Installation Guide\" of NVIDIA says"},
};

// Packages of Debian and Ubuntu.
constexpr Remedy k_packages[] = {
    {"docker", "docker.io"},      {"git", "git"},
    {"mpirun", "openmpi-bin"},    {"podman", "podman"},
    {"python3", "python3"},       {"python3-venv", "python3-venv"},
    {"sbatch", "slurm-client"},   {"scancel", "slurm-client"},
    {"scontrol", "slurm-client"}, {"sinfo", "slurm-client"},
    {"skopeo", "skopeo"},         {"squeue", "slurm-client"},
    {"srun", "slurm-client"},     {"sh", "dash"},
};

}  // namespace

std::string how_to_install(const std::string& program) {
  const std::string name = program.substr(program.rfind('/') + 1);
  for (const Remedy& row : k_guides)
    if (row.program == name) return std::string(row.text);
  for (const Remedy& row : k_packages)
    if (row.program == name) return fmt::format("apt-get install {}", row.text);
  return "";
}

std::optional<std::string> Asking::find(const std::string& name) const {
  return system::find_program(name, world_.environment);
}

Answer Asking::ask(const std::vector<std::string>& argv) const {
  return ask(argv, world_.environment, patience_s_);
}

Answer Asking::ask(const std::vector<std::string>& argv,
                   const std::map<std::string, std::string>& env, double patience_s) const {
  using Ran = Result<system::CommandResult>;
  const auto ran =
      within<Ran>(patience_s * (1 + k_stop_share + k_kill_share),
                  [processes = std::shared_ptr(world_.open_processes()), &clock = world_.clock,
                   command = system::Command{.argv = argv,
                                             .env = env,
                                             .timeout_s = patience_s,
                                             .stop_s = patience_s * k_stop_share,
                                             .most_output_bytes = k_most_answer_bytes}] {
                    return system::run_to_end(*processes, clock, command);
                  });
  const std::string late =
      fmt::format("`{}` gave no answer within {:g} s", shell_quote(argv), patience_s);
  if (!ran) return {.hangs = true, .reason = late + ", and cannot be killed"};
  if (!ran->ok()) return {.reason = ran->error().message};
  const system::CommandResult& result = ran->value();
  Answer answer{.output = result.output, .errors = result.errors};
  answer.hangs = result.end != system::CommandResult::End::exited;
  answer.ok = !answer.hangs && result.code == 0;
  if (answer.hangs) answer.reason = late;
  else if (!answer.ok)
    answer.reason = result.reason().empty() ? fmt::format("it ended with status {}", result.code)
                                            : result.reason();
  return answer;
}

}  // namespace orch::doctor
