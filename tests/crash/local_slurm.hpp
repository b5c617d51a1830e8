// A Slurm of two nodes on this machine, in a temporary folder: see slurm-local.sh.
#pragma once

#include "crash/world.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace orch::crash {

class Slurm {
 public:
  Slurm() {
    if (std::system("PATH=$PATH:/usr/sbin command -v slurmctld munged >/dev/null") != 0) {
      why_not_ = "slurm-wlm and munge are not installed (scripts/install-packages.sh test)";
      return;
    }
    // Sockets have short names.
    std::string name = "/tmp/orch-slurm-XXXXXX";
    if (!::mkdtemp(name.data())) std::abort();
    folder_ = name;
    if (control("start") != 0) why_not_ = "Slurm does not start here:\n" + read("said");
  }
  ~Slurm() {
    if (folder_.empty()) return;
    control("stop");
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Slurm(const Slurm&) = delete;
  Slurm& operator=(const Slurm&) = delete;

  // "": the cluster is up.
  const std::string& why_not() const { return why_not_; }
  // Of programs that are to find it.
  std::map<std::string, std::string> variables() const {
    return {{"SLURM_CONF", folder_ + "/etc/slurm.conf"}};
  }
  // `slurm-local.sh WORD FOLDER MORE`; its exit status.
  int control(const std::string& word, const std::string& more = "") const {
    return std::system(
        fmt::format("bash {}/tests/crash/slurm-local.sh {} {} {} >{}/said 2>&1 </dev/null",
                    ORCH_SOURCE_DIR, word, folder_, more, folder_)
            .c_str());
  }
  // What a command of Slurm prints.
  std::string ask(const std::string& command) const {
    const std::string said = fmt::format("said-{}", ::gettid());
    if (std::system(
            fmt::format("SLURM_CONF={0}/etc/slurm.conf {1} >{0}/{2} 2>&1", folder_, command, said)
                .c_str()) != 0)
      return "?";
    return read(said);
  }
  // Whether a command of Slurm succeeds.
  bool does(const std::string& command) const { return ask(command) != "?"; }
  // Lines of squeue: jobs that wait or run.
  std::string live_jobs() const { return ask("squeue --me --noheader"); }

 private:
  std::string read(const std::string& name) const {
    std::ifstream text(folder_ + "/" + name);
    return {std::istreambuf_iterator<char>(text), {}};
  }

  std::string folder_, why_not_;
};

}  // namespace orch::crash
