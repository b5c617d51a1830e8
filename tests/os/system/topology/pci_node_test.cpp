#include "os/system/topology/pci_node.hpp"

#include "os/system/topology/text_folder.hpp"

#include <gtest/gtest.h>

namespace orch::system {
namespace pci_node_test {

TEST(PciNode, ADeviceIsAtTheNodeThatTheKernelNames) {
  const TextFolder pci;
  pci.write("0000:3b:00.0/numa_node", "1");
  pci.write("0000:5e:00.0/numa_node", "-1");
  EXPECT_EQ(node_of_device("00000000:3B:00.0", pci.path()), 1);
  EXPECT_EQ(node_of_device("0000:3B:00.0", pci.path()), 1);
  EXPECT_EQ(node_of_device("00000000:5E:00.0", pci.path()), -1);
  EXPECT_EQ(node_of_device("00000000:00:01.0", pci.path()), -1);
  EXPECT_EQ(node_of_device("", pci.path()), -1);
}

}  // namespace pci_node_test
}  // namespace orch::system
