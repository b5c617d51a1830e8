#include "doctor/shared_paths.hpp"

#include "base/text.hpp"
#include "cluster/slurm.hpp"
#include "system/process.hpp"

#include <filesystem>

namespace orch::doctor {

namespace {

constexpr const char* k_heading = "paths on the nodes";
constexpr std::size_t k_most_nodes = 8;
constexpr int k_start_s = 10;    // a step that has not started by then leaves the queue
constexpr double k_node_s = 30;  // for one node in all

// The lines that a node says.
enum Line : std::size_t { k_token, k_program, k_projects };

// Words: the token file, the file that the node leaves beside it, the program, files of projects.
// A node that does not see the token has another folder there, and leaves nothing in it.
constexpr const char* k_script =
    "token=$1 seen=$2 program=$3\n"
    "shift 3\n"
    "if cat \"$token\"; then cat \"$token\" >\"$seen\"; else echo no; fi\n"
    "if said=$(\"$program\" --version 2>&1); then cksum <\"$program\"\n"
    "else echo \"no: $said\" | head -n 1; fi\n"
    "for file; do cksum <\"$file\" || echo no; done\n";

class Paths {
 public:
  Paths(const Asking& asking, const experiment::SlurmSite& site, const SharedPaths& paths)
      : asking_(asking),
        site_(site),
        paths_(paths),
        token_(system::new_token()),
        file_(paths.store + "/doctor-" + token_) {}
  ~Paths() {
    left_.push_back(file_);
    for (const std::string& file : left_) (void)asking_.world().files.remove_tree(file).ok();
  }
  Paths(const Paths&) = delete;
  Paths& operator=(const Paths&) = delete;

  Section look(const std::vector<Node>& nodes) {
    section_ = {.heading = k_heading, .is_asked_for = true};
    if (const Status written = asking_.world().files.put(file_, token_ + "\n"); !written) {
      section_.add(Level::missing, written.error().message, "--store DIR, where you may write");
      return std::move(section_);
    }
    here_ = split(asking_.ask(script_words(seen_by("here"))).output, '\n');
    std::size_t asked = 0, left_out = 0;
    for (const Node& node : nodes) {
      const bool is_asked = node.is_free() && asked < k_most_nodes;
      if (!is_asked) ++left_out;
      else if (++asked; !look_at(node)) break;
    }
    if (refusals_.size() == asked) {
      section_.add(Level::missing,
                   "no node could be looked at: " +
                       (refusals_.empty() ? "none is free" : refusals_.front().what),
                   refusals_.empty() ? "sinfo shows their states; try again when one is free"
                                     : refusals_.front().remedy);
      return std::move(section_);
    }
    section_.findings.insert(section_.findings.end(), refusals_.begin(), refusals_.end());
    if (left_out > 0)
      section_.add(Level::note,
                   fmt::format("{} of {} nodes were not looked at: busy, not in service, or beyond "
                               "the first {}",
                               left_out, nodes.size(), k_most_nodes));
    return std::move(section_);
  }

 private:
  // A file of its own for each node: a client of NFS may believe for a while that a file that it
  // has once not found, or has removed, is not there.
  std::string seen_by(const std::string& node) {
    left_.push_back(file_ + "-" + node);
    return left_.back();
  }

  std::vector<std::string> script_words(const std::string& seen) const {
    std::vector<std::string> words = {"/bin/sh", "-c", k_script, "sh", file_, seen, paths_.program};
    words.insert(words.end(), paths_.projects.begin(), paths_.projects.end());
    return words;
  }

  // Whether it makes sense to go on with the next node.
  bool look_at(const Node& node) {
    const std::string name = "orchestrate-doctor-" + token_;
    std::vector<std::string> argv = {
        "srun",    "--nodelist=" + node.name, "--nodes=1", "--ntasks=1", "--time=1", "--chdir=/",
        "--quiet", "--job-name=" + name};
    argv.push_back(fmt::format("--immediate={}", k_start_s));
    argv.insert(argv.end(), site_.words.begin(), site_.words.end());
    const std::string seen = seen_by(node.name);
    for (std::string& word : script_words(seen)) argv.push_back(std::move(word));
    const auto environment = cluster::slurm_environment(asking_.world().environment);
    const Answer said = asking_.ask(argv, environment, k_node_s);
    if (said.ok) {
      judge(node.name, seen, split(said.output, '\n'));
      return true;
    }
    // A step that was killed may leave its job in the queue.
    (void)asking_.ask({"scancel", "--quiet", "--name=" + name}, environment, asking_.patience_s());
    refusals_.push_back(
        {Level::warning, fmt::format("no job started on {} ({})", node.name, said.reason),
         fmt::format("srun --nodelist={} --immediate={} true", node.name, k_start_s)});
    return !said.hangs;
  }

  static std::string line_of(const std::vector<std::string>& lines, std::size_t index) {
    return index < lines.size() ? std::string(trim(lines[index])) : "";
  }

  void judge(const std::string& node, const std::string& seen,
             const std::vector<std::string>& there) {
    const std::size_t before = section_.findings.size();
    compare(node, "the program", paths_.program, line_of(here_, k_program),
            line_of(there, k_program));
    for (std::size_t i = 0; i < paths_.projects.size(); ++i)
      compare(node, "the project", paths_.projects[i], line_of(here_, k_projects + i),
              line_of(there, k_projects + i));
    const bool reads = line_of(there, k_token) == token_;
    const bool writes = trim(asking_.world().files.read(seen).value_or("")) == token_;
    if (!reads || !writes)
      section_.add(Level::missing,
                   fmt::format("{} does not {} the results folder {}", node,
                               reads ? "write into" : "see", paths_.store),
                   "--store DIR, on a file system that all nodes mount at the same path");
    if (section_.findings.size() == before)
      section_.add(Level::ok,
                   fmt::format("{} has the program, the project and the results folder", node));
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
                              : "is another one than here"),
        "put it on a file system that all nodes mount at the same path, and call it there");
  }

  const Asking& asking_;
  const experiment::SlurmSite& site_;
  const SharedPaths& paths_;
  const std::string token_, file_;
  Section section_;
  std::vector<Finding> refusals_;  // of nodes where no job started
  std::vector<std::string> here_;  // what the script says on this machine
  std::vector<std::string> left_;  // files that are to be removed
};

}  // namespace

Section paths_section(const Asking& asking, const experiment::SlurmSite& site,
                      const Cluster& cluster, const SharedPaths& paths) {
  if (cluster.unknown.empty()) return Paths(asking, site, paths).look(cluster.nodes);
  Section section{.heading = k_heading, .is_asked_for = true};
  section.add(Level::missing, fmt::format("nodes were not looked at: {}", cluster.unknown));
  return section;
}

}  // namespace orch::doctor
