#include "os/system/topology/cpus.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace orch::system {
namespace binding_test {

TEST(Binding, KeepsThisProcessOnCpusUntilItIsUndone) {
  const CpuSet before = own_cpus();
  ASSERT_FALSE(before.empty());
  const CpuSet one = {*before.rbegin()};
  ASSERT_TRUE(bind_to(one, {}).ok());
  EXPECT_EQ(own_cpus(), one);
  ASSERT_TRUE(bind_to({}, {}).ok());
  EXPECT_EQ(own_cpus(), before);
}

TEST(Binding, RefusesCpusThatThereAreNotAndChangesNothing) {
  const CpuSet before = own_cpus();
  const Status bound = bind_to({4000}, {});
  ASSERT_FALSE(bound.ok());
  EXPECT_NE(bound.error().text().find("4000"), std::string::npos) << bound.error().text();
  EXPECT_EQ(own_cpus(), before);
}

TEST(Binding, TakesMemoryFromANodeUntilItIsUndone) {
  const auto policy = [] {
    int mode = -1;
    return ::syscall(SYS_get_mempolicy, &mode, nullptr, 0, nullptr, 0) == 0 ? mode : -1;
  };
  if (policy() < 0) GTEST_SKIP() << "this kernel has no memory policies";
  ASSERT_TRUE(bind_to({}, {0}).ok());
  EXPECT_EQ(policy(), 2) << "MPOL_BIND";
  ASSERT_TRUE(bind_to({}, {}).ok());
  EXPECT_EQ(policy(), 0) << "MPOL_DEFAULT";
}

}  // namespace binding_test
}  // namespace orch::system
