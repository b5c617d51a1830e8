#include "app/doctor/finding.hpp"

#include "core/base/text.hpp"
#include "os/system/launch.hpp"
#include "os/system/run_to_end.hpp"

#include <nlohmann/json.hpp>

namespace orch::doctor {

namespace {

// The names of points with a finding of Level::missing.
std::set<std::string> points_with_lacks(std::span<const Section> sections) {
  std::set<std::string> points;
  for (const Section& section : sections)
    for (const Finding& one : section.findings)
      if (one.level == Level::missing) points.insert(one.points.begin(), one.points.end());
  return points;
}

// The line that states the exit status and its reason.
std::string end_of(std::span<const Section> sections) {
  if (const std::size_t points = points_with_lacks(sections).size())
    return fmt::format("exit status 1: {} cannot run here\n", plural(points, "point"));
  if (lacks_what_was_asked_for(sections))
    return "exit status 1: something that you asked for is missing\n";
  const bool asks =
      std::ranges::any_of(sections, [](const Section& one) { return one.is_asked_for; });
  return fmt::format("exit status 0: nothing that you asked for is missing{}\n",
                     asks ? "" : "; ask with --runner NAME, --executor slurm or --store DIR");
}

// Fractions of the patience with a program that are added to it: from TERM to KILL, and until a
// killed program counts as blocked in the kernel.
constexpr double k_stop_share = 0.1, k_kill_share = 0.25;
constexpr std::size_t k_most_answer_bytes = 8 << 20;

struct Remedy {
  std::string_view program, text;
};

// Programs that Debian and Ubuntu do not package.
constexpr Remedy k_guides[] = {
    {"apptainer", "install it as described in \"Installing Apptainer\" in its Admin Guide"},
    {"nvidia-ctk",
     "install it as described in NVIDIA's \"Installing the NVIDIA Container Toolkit\""},
    {"nvidia-smi", "install the driver as described in NVIDIA's \"Driver Installation Guide\""},
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

bool Section::lacks() const {
  return std::ranges::any_of(findings,
                             [](const Finding& one) { return one.level == Level::missing; });
}

std::string text_of(const Finding& finding) {
  const std::string whose =
      finding.points.empty() ? "" : plural(finding.points.size(), "point") + ": ";
  std::string text =
      fmt::format("  {:<8} {}{}\n", to_string(finding.level), whose, printable_line(finding.what));
  if (!finding.remedy.empty())
    text += fmt::format("  {:<8}   fix: {}\n", "", printable_line(finding.remedy));
  return text;
}

std::string text_of(std::span<const Section> sections) {
  std::string text;
  for (const Section& section : sections) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", section.heading);
    for (const Finding& one : section.findings) text += text_of(one);
  }
  return text + "\n" + end_of(sections);
}

std::string json_of(std::span<const Section> sections) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Section& section : sections) {
    nlohmann::ordered_json findings = nlohmann::ordered_json::array();
    for (const Finding& one : section.findings) {
      findings.push_back({{"level", to_string(one.level)},
                          {"what", printable_line(one.what)},
                          {"remedy", printable_line(one.remedy)}});
      if (!one.points.empty()) findings.back()["points"] = one.points;
    }
    json.push_back({{"section", section.heading},
                    {"asked_for", section.is_asked_for},
                    {"findings", findings}});
  }
  return json.dump(2) + "\n";
}

bool lacks_what_was_asked_for(std::span<const Section> sections) {
  return std::ranges::any_of(sections,
                             [](const Section& one) { return one.is_asked_for && one.lacks(); });
}

std::string how_to_install(const std::string& program) {
  const std::string name = program.substr(program.rfind('/') + 1);
  for (const Remedy& row : k_guides)
    if (row.program == name) return std::string(row.text);
  for (const Remedy& row : k_packages)
    if (row.program == name) return fmt::format("apt-get install {}", row.text);
  return "";
}

std::optional<std::string> Asking::find(const std::string& name) const {
  return system::find_program(name, world_.environment).to_optional();
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
