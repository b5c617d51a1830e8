// A podman with storage of its own in a temporary folder, and an image that holds the actor and a
// shell. The mounts of containers are seen by this process and its children alone.
#pragma once

#include "crash/world.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

namespace orch::crash {

class Podman {
 public:
  static constexpr const char* k_image = "localhost/actor:1";

  // To be made before the first thread of the process.
  Podman() {
    if (std::system("command -v podman >/dev/null") != 0) {
      why_not_ = "podman is not installed";
      return;
    }
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      why_not_ = "this process may not make a mount namespace";
      return;
    }
    // Where the kernel has cgroups of both versions, podman takes the second one and finds none.
    if (std::filesystem::exists("/sys/fs/cgroup/memory"))
      ::umount2("/sys/fs/cgroup/unified", MNT_DETACH);
    std::string name = base_folder() + "/orchestrate-podman-XXXXXX";
    if (!::mkdtemp(name.data())) std::abort();
    folder_ = name;
    import_image();
  }
  ~Podman() {
    if (folder_.empty()) return;
    run("rm --all --force --time 0");
    run("rmi --all --force");
    run("system migrate");
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Podman(const Podman&) = delete;
  Podman& operator=(const Podman&) = delete;

  // "": containers can be run.
  const std::string& why_not() const { return why_not_; }
  std::string command() const {
    return fmt::format("podman --root {0}/root --runroot {0}/run", folder_);
  }
  // Lines of the site file. The limits are those that a test may have everywhere.
  std::string site() const {
    return fmt::format(
        "container:\n  engine: podman\n  command: [podman, --root, {0}/root, --runroot, {0}/run]\n"
        "  options: [--ulimit, 'nofile=1024:1024', --ulimit, 'nproc=1000:1000']\n",
        folder_);
  }
  // What `podman WORDS` prints, without warnings such as those of layers that a kill left
  // incomplete.
  std::string ask(const std::string& words) const {
    std::FILE* pipe =
        ::popen(fmt::format("{} {} 2>>{}/log", command(), words, folder_).c_str(), "r");
    if (!pipe) std::abort();
    std::string text;
    for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    return ::pclose(pipe) == 0 ? text : "?";
  }
  const std::string& folder() const { return folder_; }
  // The names of all containers, running or not.
  std::string containers() const { return ask("ps --all --format '{{.Names}}'"); }
  // "a container is left: NAME" for each of the store's.
  std::vector<std::string> containers_of(const std::string& store) const {
    std::vector<std::string> names;
    std::istringstream lines(
        ask(fmt::format("ps --all --filter label=orchestrate.store={} --format '{{{{.Names}}}}'",
                        std::filesystem::canonical(store).string())));
    for (std::string name; std::getline(lines, name);)
      names.push_back("a container is left: " + name);
    return names;
  }

 private:
  int run(const std::string& words) const {
    return std::system(fmt::format("{} {} >>{}/log 2>&1", command(), words, folder_).c_str());
  }

  void import_image() {
    namespace fs = std::filesystem;
    fs::create_directories(folder_ + "/image/bin");
    fs::create_directories(folder_ + "/image/tmp");
    fs::copy_file(ORCH_ACTOR, folder_ + "/image/bin/actor");
    if (fs::exists("/bin/busybox")) fs::copy_file("/bin/busybox", folder_ + "/image/bin/sh");
    const std::string tar = folder_ + "/image.tar";
    if (std::system(fmt::format("tar -C {}/image -cf {} .", folder_, tar).c_str()) != 0 ||
        run(fmt::format("import {} {}", tar, k_image)) != 0)
      why_not_ = "podman cannot import an image; see " + folder_ + "/log";
    else if (run(fmt::format("run --rm --ulimit nofile=1024:1024 --ulimit nproc=1000:1000 {} "
                             "/bin/sh -c :",
                             k_image)) != 0)
      why_not_ = "podman cannot run a container here; see " + folder_ + "/log";
  }

  std::string folder_, why_not_;
};

}  // namespace orch::crash
