#include "os/system/own_cgroup.hpp"

#include "os/system/topology/text_folder.hpp"

#include <gtest/gtest.h>

namespace orch::system {
namespace own_cgroup_test {

struct Proc : TextFolder {
  Proc(const std::string& mounts, const std::string& cgroups) {
    write("self/mountinfo", mounts);
    write("self/cgroup", cgroups);
  }
  std::string folder_of(std::string_view controller) const {
    const auto own = own_cgroup(controller, path());
    return own ? own->folder + " in " + own->mount : "none";
  }
};

constexpr const char* k_hybrid =
    "24 1 0:20 / / rw - ext4 /dev/sda rw\n"
    "30 24 0:26 / /sys/fs/cgroup/unified rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"
    "33 24 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "34 24 0:31 / /sys/fs/cgroup/cpuset rw shared:10 - cgroup cgroup rw,cpuset";

TEST(OwnCgroup, OfEachFileSystemIsFound) {
  const Proc proc(k_hybrid,
                  "5:cpuset:/\n4:cpu,cpuacct:/user.slice\n1:name=systemd:/a:b\n0::/a:b/c");
  EXPECT_EQ(proc.folder_of(""), "/sys/fs/cgroup/unified/a:b/c in /sys/fs/cgroup/unified");
  EXPECT_EQ(proc.folder_of("cpu"),
            "/sys/fs/cgroup/cpu,cpuacct/user.slice in /sys/fs/cgroup/cpu,cpuacct");
  EXPECT_EQ(proc.folder_of("cpuset"), "/sys/fs/cgroup/cpuset in /sys/fs/cgroup/cpuset");
  EXPECT_EQ(proc.folder_of("memory"), "none");
}

TEST(OwnCgroup, OfAContainerIsTheMountOfItsPart) {
  const Proc proc(
      "33 24 0:30 /docker/abc /sys/fs/cgroup/cpu ro master:9 - cgroup cgroup rw,cpu\n"
      "35 24 0:32 / /sys/fs/cgroup/unified ro - cgroup2 cgroup rw",
      "4:cpu:/docker/abc/below\n0::/../other");
  EXPECT_EQ(proc.folder_of("cpu"), "/sys/fs/cgroup/cpu/below in /sys/fs/cgroup/cpu");
  EXPECT_EQ(proc.folder_of(""), "none");
}

TEST(OwnCgroup, IsNoneWhereProcIsNot) {
  EXPECT_FALSE(own_cgroup("", "/nowhere"));
  const Proc only_v1("33 24 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu", "4:cpu:/");
  EXPECT_EQ(only_v1.folder_of(""), "none");
}

}  // namespace own_cgroup_test
}  // namespace orch::system
