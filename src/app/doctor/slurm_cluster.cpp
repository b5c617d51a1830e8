#include "app/doctor/slurm_cluster.hpp"

#include "core/base/text.hpp"
#include "run/slurm/slurm.hpp"

#include <algorithm>
#include <map>

namespace orch::doctor {

namespace {

constexpr const char* k_controller_remedy =
    "check SLURM_CONF, and ask your administrators whether slurmctld and munged run";
constexpr const char* k_no_configuration =
    "Slurm's commands are installed, but find no configuration (SLURM_CONF, /etc/slurm/slurm.conf)";
// The ends of what the commands of Slurm say then: no file and no server of one, or no such file.
constexpr std::string_view k_of_no_configuration[] = {"Could not establish a configuration source",
                                                      "Unable to process configuration file"};

Answer ask_slurm(const Asking& asking, const std::vector<std::string>& argv) {
  return asking.ask(argv, slurm::slurm_environment(asking.world().environment),
                    asking.patience_s());
}

bool finds_no_configuration(const Answer& said) {
  return std::ranges::any_of(k_of_no_configuration, [&](std::string_view end) {
    return !said.ok && said.errors.find(end) != std::string::npos;
  });
}

// Why not all commands work that `run --executor slurm` and this use; "". Equal answers share a
// line.
std::string look_at_commands(Section& section, const Asking& asking, Level lack) {
  std::string lacks;
  std::map<std::string, std::vector<std::string>> names_by_version, names_by_failure;
  for (const std::string name : {"sbatch", "squeue", "scancel", "srun", "sinfo", "scontrol"}) {
    if (!asking.find(name)) {
      lacks = "not all commands of Slurm are here";
      section.add(lack, "no " + name, how_to_install(name));
      continue;
    }
    const Answer said = ask_slurm(asking, {name, "--version"});
    if (said.hangs) {
      section.add(lack, said.reason, k_controller_remedy);
      return "a command of Slurm hangs";
    }
    if (finds_no_configuration(said)) {
      section.add(lack == Level::missing ? lack : Level::note, k_no_configuration);
      return "Slurm's commands find no configuration";
    }
    if (said.ok) names_by_version[std::string(trim(said.output))].push_back(name);
    else if (said.reason.starts_with(name + ": "))
      names_by_failure[said.reason.substr(name.size() + 2)].push_back(name);
    else names_by_failure[said.reason].push_back(name);
  }
  for (const auto& [version, names] : names_by_version)
    section.add(Level::ok, fmt::format("{}: {}", join(names, ", "), version));
  for (const auto& [failure, names] : names_by_failure)
    section.add(Level::warning, fmt::format("{}: {}", join(names, ", "), failure),
                k_controller_remedy);
  return lacks;
}

// "PARTITION|NODES|STATE|GRES|NAMES" of sinfo.
void add_group(Section& section, const std::string& line, bool& has_gres, const std::string& gres) {
  const std::vector<std::string> fields = split(line, '|');
  if (fields.size() != 5) return;
  const std::string& state = fields[2];
  has_gres = has_gres || ("," + fields[3]).find("," + gres) != std::string::npos;
  // "idle*": the node does not answer.
  const bool is_bad = state.ends_with('*') || state.starts_with("down") ||
                      state.starts_with("drain") || state.starts_with("fail") ||
                      state.starts_with("unknown");
  section.add(is_bad ? Level::warning : Level::ok,
              fmt::format("partition {}: {} x {}, GRES {} ({})", fields[0], fields[1], state,
                          fields[3], fields[4]),
              is_bad ? "sinfo -R says why; ask your administrators to return it to service" : "");
}

void look_at_partitions(Section& section, const Asking& asking, const std::string& gres) {
  const Answer said = ask_slurm(asking, {"sinfo", "--noheader", "--format=%P|%D|%T|%G|%N"});
  if (!said.ok) return section.add(Level::missing, "sinfo: " + said.reason, k_controller_remedy);
  bool has_gres = false;
  for (const std::string& line : split(said.output, '\n')) add_group(section, line, has_gres, gres);
  if (!has_gres)
    section.add(
        Level::warning,
        fmt::format("no node has the GRES {}: stages with GPUs find no place", quoted(gres)),
        "slurm: {gres: NAME} in the site file, as sinfo -o %G prints it");
}

void look_at_mpi(Section& section, const Asking& asking) {
  const Answer said = ask_slurm(asking, {"srun", "--mpi=list"});
  if ((said.output + said.errors).find("pmix") != std::string::npos)
    return section.add(Level::ok, "srun starts ranks by PMIx");
  section.add(
      Level::warning,
      said.ok ? "srun has no PMIx plugin: ranks of a server that srun starts cannot find each other"
              : "srun --mpi=list: " + said.reason,
      "ask your administrators for Slurm's PMIx plugin (mpi_pmix.so) on every node");
}

}  // namespace

std::vector<Node> parse_nodes(std::string_view text) {
  std::vector<Node> nodes;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t bar = line.find('|');
    if (bar == std::string::npos) continue;
    Node node{.name = line.substr(0, bar), .state = std::string(trim(line.substr(bar + 1)))};
    if (std::ranges::none_of(nodes, [&](const Node& known) { return known.name == node.name; }))
      nodes.push_back(std::move(node));
  }
  return nodes;
}

Cluster look_at_cluster(const Asking& asking, const session::SlurmSite& site, bool is_asked_for) {
  Cluster cluster{
      .section = {.heading = "Slurm", .is_asked_for = is_asked_for}, .nodes = {}, .unknown = {}};
  Section& section = cluster.section;
  if (!is_asked_for && !asking.find("sbatch")) {
    section.add(Level::note, "no sbatch: this is no login node of a cluster",
                how_to_install("sbatch"));
    return cluster;
  }
  const Level lack = is_asked_for ? Level::missing : Level::warning;
  cluster.unknown = look_at_commands(section, asking, lack);
  if (!cluster.unknown.empty()) return cluster;
  const Answer ping = ask_slurm(asking, {"scontrol", "ping"});
  if (!ping.ok) {
    // Where it says which one is down, a frame of asterisks follows.
    const std::string said(trim(ping.output));
    section.add(lack,
                "the controller does not answer: " +
                    (said.starts_with("Slurmctld") ? said.substr(0, said.find('\n')) : ping.reason),
                k_controller_remedy);
    cluster.unknown = "the controller does not answer";
    return cluster;
  }
  section.add(Level::ok, std::string(trim(ping.output)));
  look_at_partitions(section, asking, site.gres);
  look_at_mpi(section, asking);
  std::vector<std::string> list = {"sinfo", "--noheader", "--Node", "--format=%N|%T"};
  for (const std::string& word : site.words)
    if (word.starts_with("--partition=")) list.push_back(word);
  const Answer listed = ask_slurm(asking, list);
  if (listed.ok) cluster.nodes = parse_nodes(listed.output);
  if (cluster.nodes.empty())
    cluster.unknown = listed.ok ? "sinfo lists no node" : "sinfo: " + listed.reason;
  return cluster;
}

}  // namespace orch::doctor
