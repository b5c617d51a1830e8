#include "os/system/topology/cpu_quota.hpp"

#include "os/system/topology/cpus.hpp"
#include "os/system/topology/text_folder.hpp"

#include <gtest/gtest.h>

namespace orch::system {
namespace cpu_quota_test {

// The folders of a host where this process is in the cgroup /a/b, once in v2 and once in v1.
struct Host : TextFolder {
  Host() {
    write("proc/self/mountinfo",
          fmt::format("30 24 0:26 / {0}/v2 rw - cgroup2 cgroup2 rw\n"
                      "33 24 0:30 / {0}/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct",
                      path()));
    write("proc/self/cgroup", "4:cpu,cpuacct:/a/b\n0::/a/b");
  }
  void limit_v1(const std::string& cgroup, const std::string& time_us) const {
    write("cpu,cpuacct" + cgroup + "/cpu.cfs_quota_us", time_us);
    write("cpu,cpuacct" + cgroup + "/cpu.cfs_period_us", "100000");
  }
  std::optional<double> quota() const { return cpu_quota(path() + "/proc"); }
};

TEST(CpuQuota, IsNoneWithoutALimit) {
  const Host host;
  EXPECT_EQ(host.quota(), std::nullopt);
  host.write("v2/a/b/cpu.max", "max 100000");
  host.limit_v1("/a/b", "-1");
  EXPECT_EQ(host.quota(), std::nullopt);
  EXPECT_EQ(cpu_quota("/nowhere"), std::nullopt);
}

TEST(CpuQuota, OfV2IsItsShareOfThePeriod) {
  const Host host;
  host.write("v2/a/b/cpu.max", "75000 50000");
  EXPECT_EQ(host.quota(), 1.5);
}

TEST(CpuQuota, OfV1IsItsShareOfThePeriod) {
  const Host host;
  host.limit_v1("/a/b", "250000");
  EXPECT_EQ(host.quota(), 2.5);
}

TEST(CpuQuota, IsTheLeastOfTheCgroupAndThoseAbove) {
  const Host host;
  host.write("v2/a/b/cpu.max", "400000 100000");
  host.write("v2/a/cpu.max", "300000 100000");
  EXPECT_EQ(host.quota(), 3);
  host.write("v2/cpu.max", "200000 100000");  // of a container, which sees its own as the highest
  EXPECT_EQ(host.quota(), 2);
  host.limit_v1("", "100000");
  EXPECT_EQ(host.quota(), 1);
}

TEST(CpuQuota, LimitsTheCpusThatCanBeUsed) {
  const int usable = usable_cpus();
  EXPECT_GE(usable, 1);
  EXPECT_LE(usable, std::max<int>(1, static_cast<int>(own_cpus().size())));
}

}  // namespace cpu_quota_test
}  // namespace orch::system
