#include "app/doctor/this_machine.hpp"

#include "app/doctor/machine_of_scripts.hpp"
#include "fakes/memory_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::doctor {
namespace this_machine_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(NvidiaDevice, IsOneOfThisVendorThatDisplays) {
  fakes::MemoryFiles files;
  files.folders.insert("/pci");
  files.files["/pci/bridge/vendor"] = "0x10de\n";
  files.files["/pci/bridge/class"] = "0x068000\n";
  files.files["/pci/screen/vendor"] = "0x1234\n";
  files.files["/pci/screen/class"] = "0x030000\n";
  EXPECT_FALSE(has_nvidia_device(files, "/pci"));
  EXPECT_FALSE(has_nvidia_device(files, "/nowhere"));
  files.files["/pci/gpu/vendor"] = "0x10de\n";
  files.files["/pci/gpu/class"] = "0x030200\n";
  EXPECT_TRUE(has_nvidia_device(files, "/pci"));
}

TEST(MachineSection, SaysHowManyProcessorsThereAre) {
  system::Machine machine;
  machine.host = "here";
  machine.kernel = "6.1";
  machine.cpu_model = "AMD EPYC";
  machine.memory_gib = 4;
  machine.cpus = 2;
  EXPECT_THAT(lines_of(machine_section(machine)),
              ElementsAre("ok here, kernel 6.1", "ok 2 processors, AMD EPYC; 4.0 GiB of memory"));
  machine.cpus = 1;
  EXPECT_THAT(lines_of(machine_section(machine)),
              ElementsAre("ok here, kernel 6.1", "ok 1 processor, AMD EPYC; 4.0 GiB of memory"));
  machine.cpu_quota = 1.5;
  EXPECT_THAT(
      lines_of(machine_section(machine)),
      ElementsAre("ok here, kernel 6.1", "ok 1 processor, AMD EPYC; 4.0 GiB of memory",
                  "warning a cgroup allows the time of 1.5 CPUs, although more are visible; "
                  "no more are counted -> measure without a limit of CPU time, such as "
                  "docker's --cpus"));
}

TEST(Gpus, AreNamedWithTheirDriver) {
  system::Machine machine;
  machine.gpus = system::Gpus{};
  machine.gpus->count = 8;
  machine.gpus->model = "H100";
  machine.gpus->memory_gib = 79.6;
  machine.gpus->driver = "550.1";
  const Driver driver{.listed = Answer{.ok = true}, .machine = machine};
  EXPECT_THAT(lines_of(gpu_section(driver, true)),
              ElementsAre("ok 8 x H100, 79.6 GiB; driver 550.1"));
}

TEST(Gpus, WithoutADriverNeedOne) {
  const Driver driver{.listed = {}, .machine = system::Machine{}};
  EXPECT_THAT(lines_of(gpu_section(driver, true)),
              ElementsAre(HasSubstr("no driver for it -> install the driver as ")));
  EXPECT_THAT(lines_of(gpu_section(driver, false)), ElementsAre("note no NVIDIA GPU"));
}

TEST(Gpus, ThatOnlyNvidiaSmiSeesAreAWarning) {
  Driver driver{.listed = Answer{.reason = "Driver/library version mismatch"},
                .machine = system::Machine{}};
  EXPECT_THAT(lines_of(gpu_section(driver, true)),
              ElementsAre(StartsWith("warning nvidia-smi finds no GPU: Driver/library")));
  driver.listed->ok = true;
  EXPECT_THAT(lines_of(gpu_section(driver, true)),
              ElementsAre(StartsWith("warning nvidia-smi lists GPUs, but the driver's library")));
}

TEST(Ports, AreThoseOfTheSiteThatNobodyListensOn) {
  fakes::MemoryFiles files;
  files.files["/proc/net/tcp"] =
      "  sl  local_address rem_address st\n"
      "   0: 0100007F:4E20 00000000:0000 0A 0\n"   // 20000, listens
      "   1: 0100007F:4E21 00000000:0000 01 0\n";  // 20001, a connection
  session::Site site;
  site.ports = {20000, 20009};
  EXPECT_THAT(lines_of(ports_section(files, site)),
              ElementsAre("ok 9 of 10 ports of 20000-20009 are free"));
  files.files["/proc/sys/net/ipv4/ip_local_port_range"] = "20005\t60999\n";
  EXPECT_THAT(lines_of(ports_section(files, site)),
              ElementsAre(StartsWith("ok "),
                          HasSubstr("-> set ports: in the site file to a range below 20005")));
}

}  // namespace this_machine_test
}  // namespace orch::doctor
