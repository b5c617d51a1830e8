#include "app/preflight/preflight.hpp"
#include "core/base/text.hpp"
#include "run/attempt/container_host.hpp"
#include "run/slurm/slurm.hpp"

namespace orch::preflight {

namespace {

using Words = std::vector<std::string>;

constexpr double k_minute_s = 60;

// VALUE of "NAME=VALUE" among the words of LINE, which blanks separate; "" if there is none.
std::string value_in(const std::string& line, const std::string& name) {
  for (const std::string& word : split(line, ' '))
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  return "";
}

// Minutes in "1-12:00:00" or "08:00:00"; 0 for UNLIMITED.
double minutes_of(const std::string& text) {
  const std::size_t dash = text.find('-');
  double minutes = dash == std::string::npos ? 0 : std::strtod(text.c_str(), nullptr) * 24 * 60;
  const auto parts = split(text.substr(dash == std::string::npos ? 0 : dash + 1), ':');
  if (parts.size() != 3) return 0;
  return minutes + std::strtod(parts[0].c_str(), nullptr) * 60 +
         std::strtod(parts[1].c_str(), nullptr) + std::strtod(parts[2].c_str(), nullptr) / 60;
}

// The value of an sbatch option among the site's arguments, or "".
std::string option_of(const Words& words, const std::string& option) {
  for (const std::string& word : words)
    if (word.starts_with(option + "=")) return word.substr(option.size() + 1);
  return "";
}

// A kind of job: all jobs with the same requests.
struct Job {
  execute::Place place;
  std::string what;  // a stage of that kind
  Points points;
};

bool is_measured_in_a_job(const plan::Stage& stage) {
  return stage.spec.kind == runner::Kind::measure && !stage.needs.empty();
}

std::map<Words, Job> jobs_of(const Place& place, const attempt::PlaceOptions& options) {
  std::map<Words, Job> jobs;
  for (const plan::Stage& stage : place.plan.stages) {
    const Points points = points_of(place.plan, stage);
    if (!is_to_run(stage) || is_measured_in_a_job(stage) || points.empty()) continue;
    const execute::Place wanted = attempt::place_of(place.plan, stage, options);
    Job& job = jobs[slurm::place_words(wanted, place.experiment.site.slurm.gres)];
    job.place = wanted;
    if (job.what.empty()) job.what = stage.spec.name;
    job.points.insert(points.begin(), points.end());
  }
  return jobs;
}

}  // namespace

std::optional<Partition> parse_partition(std::string_view text, const std::string& name) {
  for (const std::string& line : split(std::string(text), '\n')) {
    const std::string own = value_in(line, "PartitionName");
    if (own.empty() || (name.empty() ? value_in(line, "Default") != "YES" : own != name)) continue;
    return Partition{
        .name = own,
        .is_up = value_in(line, "State") == "UP",
        .minutes = minutes_of(value_in(line, "MaxTime")),
        .nodes = static_cast<int>(to_integer(value_in(line, "MaxNodes")).value_or(0)),
        .memory_mib = static_cast<double>(to_integer(value_in(line, "MaxMemPerNode")).value_or(0))};
  }
  return std::nullopt;
}

void judge_partition(Findings& findings, const Points& points, const std::string& what,
                     const execute::Place& place, const Partition& partition) {
  const auto lack = [&](const std::string& wanted, const std::string& limit,
                        const std::string& remedy) {
    findings.add(Level::missing, points,
                 fmt::format("jobs of '{}' ask for {}, but partition {} allows {}", what, wanted,
                             partition.name, limit),
                 remedy + ", or another `slurm.partition` of the site file");
  };
  const int minutes = slurm::time_limit_of(place).minutes;
  if (partition.minutes > 0 && minutes > partition.minutes)
    lack(fmt::format("{} minutes", minutes), fmt::format("{:.0f} (MaxTime)", partition.minutes),
         place.is_server ? "a smaller `slurm.server_minutes` of the site file"
                         : "a smaller `timeout_s` of the stage");
  if (partition.nodes > 0 && place.nodes > partition.nodes)
    lack(fmt::format("{} nodes", place.nodes), fmt::format("{} (MaxNodes)", partition.nodes),
         "smaller tp and pp");
  const double mib = place.memory_gib * 1024 / place.nodes;
  if (partition.memory_mib > 0 && mib > partition.memory_mib)
    lack(fmt::format("{:.0f} MiB per node", mib),
         fmt::format("{:.0f} (MaxMemPerNode)", partition.memory_mib), "less memory for the stage");
}

void judge_time_limits(Findings& findings, const plan::Plan& plan, double server_s) {
  std::map<plan::StageId, double> seconds;  // of servers, including the measurements on them
  std::map<plan::StageId, const plan::Stage*> servers;
  for (const plan::Stage& stage : plan.stages) {
    if (!is_to_run(stage)) continue;
    const double own = std::max(stage.estimate.seconds.value_or(0), stage.estimate.least_seconds);
    if (stage.spec.kind == runner::Kind::service) {
      servers[stage.id] = &stage;
      seconds[stage.id] += own;
    } else if (stage.spec.kind == runner::Kind::measure) {
      for (const auto& [name, id] : stage.needs)
        if (servers.contains(id)) seconds[id] += own;
    } else if (own > stage.spec.timeout_s) {
      findings.add(
          Level::warning, points_of(plan, stage),
          fmt::format("'{}' is expected to take {:.0f} minutes, but is ended after {:.0f}",
                      stage.spec.name, own / k_minute_s, stage.spec.timeout_s / k_minute_s),
          "a larger `timeout_s` of the stage");
    }
  }
  for (const auto& [id, stage] : servers)
    if (server_s > 0 && seconds[id] > server_s)
      findings.add(Level::warning, points_of(plan, *stage),
                   fmt::format("a server with its measurements is expected to take {:.0f} minutes, "
                               "but its job ends after {:.0f}",
                               seconds[id] / k_minute_s, server_s / k_minute_s),
                   "a larger `slurm.server_minutes` of the site file");
}

std::string remedy_of_refusal(std::string_view said, const std::string& gres) {
  const auto says = [&](std::string_view words) { return said.find(words) != std::string::npos; };
  if (says("account")) return "`slurm.account` of the site file, as sacctmgr show assoc prints it";
  if (says("qos") || says("QOS"))
    return "`slurm.qos` of the site file, as sacctmgr show qos prints it";
  if (says("gres") || says("generic resource"))
    return fmt::format("`slurm.gres` of the site file in place of {}, as sinfo -o %G prints it",
                       gres);
  if (says("partition")) return "`slurm.partition` of the site file, as sinfo prints it";
  if (says("time limit"))
    return "a smaller `slurm.server_minutes` of the site file, or another `slurm.partition`";
  return "scontrol show node says what nodes have; fewer GPUs, cores or memory, or another "
         "partition";
}

void look_at_slurm(Findings& findings, const Place& place) {
  const session::SlurmSite& site = place.experiment.site.slurm;
  const auto environment = slurm::slurm_environment(place.asking.world().environment);
  const auto ask = [&](const Words& argv) {
    return place.asking.ask(argv, environment, place.asking.patience_s());
  };
  const attempt::PlaceOptions options = session::place_options(place.experiment.site);
  const auto jobs = jobs_of(place, options);
  Points all;
  for (const auto& [words, job] : jobs) all.insert(job.points.begin(), job.points.end());
  if (!place.asking.find("sbatch"))
    return findings.add(Level::missing, all, "no sbatch: this is not a login node of a cluster",
                        doctor::how_to_install("sbatch"));
  const std::string wanted = option_of(site.words, "--partition");
  const doctor::Answer shown = ask({"scontrol", "show", "partition", "--oneliner"});
  if (!shown.ok)
    return findings.add(Level::missing, all, "the controller does not answer: " + shown.reason,
                        "check SLURM_CONF, and ask your administrators whether slurmctld runs");
  const auto partition = parse_partition(shown.output, wanted);
  if (!partition)
    return findings.add(Level::missing, all,
                        wanted.empty() ? "the cluster has no default partition"
                                       : fmt::format("no partition {}", quoted(wanted)),
                        remedy_of_refusal("partition", site.gres));
  if (!partition->is_up)
    findings.add(Level::warning, all,
                 fmt::format("partition {} is not up: jobs wait", partition->name),
                 "another `slurm.partition` of the site file");
  for (const auto& [words, job] : jobs) {
    judge_partition(findings, job.points, job.what, job.place, *partition);
    Words argv = {"sbatch", "--test-only", "--wrap=true"};
    argv.insert(argv.end(), site.words.begin(), site.words.end());
    argv.insert(argv.end(), words.begin(), words.end());
    const doctor::Answer said = ask(argv);
    if (said.ok)
      findings.add(Level::ok, job.points,
                   fmt::format("Slurm accepts jobs of '{}': {}", job.what, join(words, " ")));
    else
      findings.add(said.hangs ? Level::unknown : Level::missing, job.points,
                   fmt::format("Slurm refuses jobs of '{}' ({}): {}", job.what, join(words, " "),
                               said.reason),
                   remedy_of_refusal(said.reason, site.gres));
  }
  judge_time_limits(findings, place.plan, options.server_s);
}

}  // namespace orch::preflight
