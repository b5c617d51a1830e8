#include "app/doctor/slurm_cluster.hpp"

#include "core/base/text.hpp"
#include "os/system/process.hpp"
#include "run/slurm/slurm.hpp"

namespace orch::doctor {

namespace {

constexpr const char* k_controller_remedy =
    "check SLURM_CONF, and ask your administrators whether slurmctld and munged run";
constexpr const char* k_no_configuration =
    "Slurm's commands are installed, but find no configuration (SLURM_CONF, /etc/slurm/slurm.conf)";
// The ends of Slurm's messages if a host has no configuration: there is neither a file nor a server
// for one, or the file does not exist.
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

// Adds findings about the commands that `run --executor slurm` and `doctor` use; equal answers
// share a line. Returns why the cluster cannot be examined; "" if it can.
std::string look_at_commands(Section& section, const Asking& asking, Level lack) {
  std::string lacks;
  std::map<std::string, std::vector<std::string>> names_by_version, names_by_failure;
  for (const std::string name : {"sbatch", "squeue", "scancel", "srun", "sinfo", "scontrol"}) {
    if (!asking.find(name)) {
      lacks = "some Slurm commands are missing";
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

// Adds a finding for LINE of sinfo, "PARTITION|NODES|STATE|GRES|NAMES".
void add_group(Section& section, const std::string& line, bool& has_gres, const std::string& gres) {
  const std::vector<std::string> fields = split(line, '|');
  if (fields.size() != 5) return;
  const std::string& state = fields[2];
  has_gres = has_gres || ("," + fields[3]).find("," + gres) != std::string::npos;
  // A state such as "idle*" means that the node does not respond.
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
        fmt::format("no node has the GRES {}: stages with GPUs cannot be placed", quoted(gres)),
        "slurm: {gres: NAME} in the site file, as sinfo -o %G prints it");
}

void look_at_mpi(Section& section, const Asking& asking) {
  const Answer said = ask_slurm(asking, {"srun", "--mpi=list"});
  if ((said.output + said.errors).find("pmix") != std::string::npos)
    return section.add(Level::ok, "srun starts ranks with PMIx");
  section.add(
      Level::warning,
      said.ok ? "srun has no PMIx plugin: ranks of a server that srun starts cannot find each other"
              : "srun --mpi=list: " + said.reason,
      "ask your administrators for Slurm's PMIx plugin (mpi_pmix.so) on every node");
}

constexpr const char* k_heading = "paths on the nodes";
constexpr std::size_t k_most_nodes = 8;
constexpr int k_start_s = 10;    // seconds; a step that has not started by then leaves the queue
constexpr double k_node_s = 30;  // for one node in total

// Arguments: the program; for each folder, its token file and the file that the node leaves beside
// it; --; files of projects. A node that does not see the token has a different folder at that
// path, and leaves nothing in it. Prints a line for the program, for each folder and for each file.
constexpr const char* k_script =
    "program=$1\n"
    "shift\n"
    "if said=$(\"$program\" --version 2>&1); then cksum <\"$program\" || echo no\n"
    "else echo \"no: $said\" | head -n 1; fi\n"
    "while [ \"$1\" != -- ]; do\n"
    "  if cat \"$1\"; then cat \"$1\" >\"$2\"; else echo no; fi\n"
    "  shift 2\n"
    "done\n"
    "shift\n"
    "for file; do cksum <\"$file\" || echo no; done\n";

class Paths {
 public:
  Paths(const Asking& asking, const session::SlurmSite& site, const SharedPaths& paths)
      : asking_(asking), site_(site), paths_(paths), token_(system::new_token()) {}
  ~Paths() {
    for (const std::string& file : left_) (void)asking_.world().files.remove_tree(file).ok();
  }
  Paths(const Paths&) = delete;
  Paths& operator=(const Paths&) = delete;

  Section look(const std::vector<Node>& nodes) {
    section_ = {.heading = k_heading, .is_asked_for = true};
    for (const SharedFolder& folder : paths_.folders) {
      left_.push_back(token_file(folder));
      const Status written = asking_.world().files.put(left_.back(), token_ + "\n");
      if (written) continue;
      section_.add(Level::missing, written.error().message,
                   folder.choice + ", where you may write");
      return std::move(section_);
    }
    here_ = split(asking_.ask(script_words("here")).output, '\n');
    std::size_t asked = 0, left_out = 0;
    for (const Node& node : nodes) {
      const bool is_asked = node.is_free() && asked < k_most_nodes;
      if (!is_asked) ++left_out;
      else if (++asked; !look_at(node)) break;
    }
    if (refusals_.size() == asked) {
      section_.add(Level::missing,
                   "no node could be checked: " +
                       (refusals_.empty() ? "none is free" : refusals_.front().what),
                   refusals_.empty() ? "sinfo shows their states; try again when one is free"
                                     : refusals_.front().remedy);
      return std::move(section_);
    }
    section_.findings.insert(section_.findings.end(), refusals_.begin(), refusals_.end());
    if (left_out > 0)
      section_.add(Level::note,
                   fmt::format("{} of {} nodes were not checked: busy, not in service, or beyond "
                               "the first {}",
                               left_out, nodes.size(), k_most_nodes));
    return std::move(section_);
  }

 private:
  std::string token_file(const SharedFolder& folder) const {
    return folder.path + "/doctor-" + token_;
  }

  // The file that a node writes. Each node has its own, because an NFS client may cache for a while
  // that a file does not exist.
  std::string seen_by(const std::string& node, const SharedFolder& folder) const {
    return token_file(folder) + "-" + node;
  }

  std::vector<std::string> script_words(const std::string& node) {
    std::vector<std::string> words = {"/bin/sh", "-c", k_script, "sh", paths_.program};
    for (const SharedFolder& folder : paths_.folders) {
      left_.push_back(seen_by(node, folder));
      words.insert(words.end(), {token_file(folder), left_.back()});
    }
    words.emplace_back("--");
    words.insert(words.end(), paths_.projects.begin(), paths_.projects.end());
    return words;
  }

  // Examines NODE. Returns whether to continue with the next node.
  bool look_at(const Node& node) {
    const std::string name = "orchestrate-doctor-" + token_;
    std::vector<std::string> argv = {
        "srun",    "--nodelist=" + node.name, "--nodes=1", "--ntasks=1", "--time=1", "--chdir=/",
        "--quiet", "--job-name=" + name};
    argv.push_back(fmt::format("--immediate={}", k_start_s));
    argv.insert(argv.end(), site_.words.begin(), site_.words.end());
    for (std::string& word : script_words(node.name)) argv.push_back(std::move(word));
    const auto environment = slurm::slurm_environment(asking_.world().environment);
    const Answer said = asking_.ask(argv, environment, k_node_s);
    if (said.ok) {
      judge(node.name, split(said.output, '\n'));
      return true;
    }
    // A killed step may leave its job in the queue.
    (void)asking_.ask({"scancel", "--quiet", "--name=" + name}, environment, asking_.patience_s());
    refusals_.push_back(
        {Level::warning, fmt::format("no job started on {} ({})", node.name, said.reason),
         fmt::format("srun --nodelist={} --immediate={} true", node.name, k_start_s)});
    return !said.hangs;
  }

  static std::string line_of(const std::vector<std::string>& lines, std::size_t index) {
    return index < lines.size() ? std::string(trim(lines[index])) : "";
  }

  void judge(const std::string& node, const std::vector<std::string>& there) {
    const std::size_t before = section_.findings.size();
    std::size_t line = 0;
    const auto compare_next = [&](const std::string& what, const std::string& path) {
      compare(node, what, path, line_of(here_, line), line_of(there, line));
      ++line;
    };
    std::string all = "the program, the project";
    compare_next("the program", paths_.program);
    for (const SharedFolder& folder : paths_.folders) {
      judge_folder(node, folder, line_of(there, line++));
      all += (&folder == &paths_.folders.back() ? " and " : ", ") + folder.what;
    }
    for (const std::string& file : paths_.projects) compare_next("the project", file);
    if (section_.findings.size() == before)
      section_.add(Level::ok, fmt::format("{} has {}", node, all));
  }

  void judge_folder(const std::string& node, const SharedFolder& folder, const std::string& said) {
    const bool reads = said == token_;
    const std::string seen = asking_.world().files.read(seen_by(node, folder)).value_or("");
    if (reads && trim(seen) == token_) return;
    section_.add(Level::missing,
                 fmt::format("{} does not {} {} {}", node, reads ? "write into" : "see",
                             folder.what, folder.path),
                 folder.choice + ", on a file system that all nodes mount at the same path");
  }

  void compare(const std::string& node, const std::string& what, const std::string& path,
               const std::string& here, const std::string& there) {
    if (here == there) return;
    const bool is_absent = there.empty() || there.starts_with("no");
    section_.add(
        Level::missing,
        fmt::format("{}: {} {} {}", node, what, path,
                    is_absent ? "is not there or does not start" +
                                    (there.size() > 4 ? " (" + there.substr(4) + ")" : "")
                              : "differs from the one here"),
        "put it on a file system that all nodes mount at the same path, and run it from there");
  }

  const Asking& asking_;
  const session::SlurmSite& site_;
  const SharedPaths& paths_;
  const std::string token_;
  Section section_;
  std::vector<Finding> refusals_;  // findings about nodes on which no job started
  std::vector<std::string> here_;  // the script's output on this machine
  std::vector<std::string> left_;  // files to be removed
};

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
  Cluster cluster{.section = {.heading = "Slurm", .is_asked_for = is_asked_for}};
  Section& section = cluster.section;
  if (!is_asked_for && !asking.find("sbatch")) {
    section.add(Level::note, "no sbatch: this is not a login node of a cluster",
                how_to_install("sbatch"));
    return cluster;
  }
  const Level lack = is_asked_for ? Level::missing : Level::warning;
  cluster.unknown = look_at_commands(section, asking, lack);
  if (!cluster.unknown.empty()) return cluster;
  const Answer ping = ask_slurm(asking, {"scontrol", "ping"});
  if (!ping.ok) {
    // If the message states which controller is down, a frame of asterisks follows it.
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

Section paths_section(const Asking& asking, const session::SlurmSite& site, const Cluster& cluster,
                      const SharedPaths& paths) {
  if (cluster.unknown.empty()) return Paths(asking, site, paths).look(cluster.nodes);
  Section section{.heading = k_heading, .is_asked_for = true};
  section.add(Level::missing, fmt::format("nodes were not checked: {}", cluster.unknown));
  return section;
}

}  // namespace orch::doctor
