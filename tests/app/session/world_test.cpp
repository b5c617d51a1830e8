#include "app/session/world.hpp"

#include "app/session/project_of_files.hpp"

namespace orch::session {
namespace world_test {

TEST(World, HandsItsFilesAndItsClockToTheStore) {
  ProjectOfFiles project;
  const store::Host host = project.world.host();
  EXPECT_EQ(&host.files, &project.world.files);
  EXPECT_EQ(&host.clock, &project.world.clock);
}

TEST(World, MakesDevicesOnDemand) {
  ProjectOfFiles project;
  EXPECT_TRUE(project.world.open_gpu_memory()->read().empty());
  EXPECT_EQ(project.world.open_ports({})->lease(2)->size(), 2u);
  EXPECT_EQ(project.world.detect_machine().host, "here");
}

}  // namespace world_test
}  // namespace orch::session
