#include "system/topology/pci_node.hpp"

#include "fakes/temp_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace orch::system {
namespace {

struct Pci {
  fakes::TempFolder folder;
  std::string path() const { return folder.path().string(); }
  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path at = folder.path() / file;
    std::filesystem::create_directories(at.parent_path());
    std::ofstream(at) << text << "\n";
  }
};

TEST(PciNode, ADeviceIsAtTheNodeThatTheKernelNames) {
  const Pci pci;
  pci.write("0000:3b:00.0/numa_node", "1");
  pci.write("0000:5e:00.0/numa_node", "-1");
  EXPECT_EQ(node_of_device("00000000:3B:00.0", pci.path()), 1);
  EXPECT_EQ(node_of_device("0000:3B:00.0", pci.path()), 1);
  EXPECT_EQ(node_of_device("00000000:5E:00.0", pci.path()), -1);
  EXPECT_EQ(node_of_device("00000000:00:01.0", pci.path()), -1);
  EXPECT_EQ(node_of_device("", pci.path()), -1);
}

}  // namespace
}  // namespace orch::system
