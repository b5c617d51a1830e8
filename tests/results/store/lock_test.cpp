// One process writes to a store, and the lock ends with it.
#include "results/store/sample.hpp"

#include <regex>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch {
namespace lock_test {

using namespace sample;
using store::Mode;
using store::Store;

TEST(StoreLock, refuses_a_second_writer_and_names_the_first) {
  const TemporaryFolder folder;
  EXPECT_TRUE(Store::free_to_write(real_host(), folder.path() / "nowhere"));
  EXPECT_TRUE(Store::free_to_write(real_host(), folder.path()));
  const Store first = open_store(folder.path());
  const auto second = Store::open(real_host(), folder.path(), Mode::write);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, ErrorKind::conflict);
  EXPECT_TRUE(std::regex_match(
      second.error().text(),
      std::regex(
          fmt::format("the store .* is in use by pid {} on \\S+ since 20[0-9-]{{8}}T[0-9:]{{8}}Z; "
                      "wait for it, or name another one with --store",
                      getpid()))))
      << second.error().text();
  EXPECT_EQ(Store::free_to_write(real_host(), folder.path()).error().text(), second.error().text());
  ASSERT_TRUE(Store::writer(real_host(), folder.path()));
  EXPECT_EQ(Store::writer(real_host(), folder.path())->pid, getpid());
}

TEST(StoreLock, ends_with_its_process_and_is_not_inherited) {
  const TemporaryFolder folder;
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    const auto store = Store::open(real_host(), folder.path(), Mode::write);
    if (!store.ok()) _exit(1);
    // A child that outlives the writer, as a server would; it writes its pid once it runs.
    const std::string script = fmt::format("echo $$ >&{}; exec sleep 30 >/dev/null 2>&1", ready[1]);
    if (fork() == 0) execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    pause();
  }
  close(ready[1]);
  std::array<char, 32> child_pid{};
  ASSERT_GT(read(ready[0], child_pid.data(), child_pid.size() - 1), 0);
  close(ready[0]);
  EXPECT_EQ(Store::writer(real_host(), folder.path())->pid, writer);
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
  EXPECT_FALSE(Store::writer(real_host(), folder.path()));
  EXPECT_TRUE(Store::open(real_host(), folder.path(), Mode::write).ok());
  EXPECT_EQ(kill(std::atoi(child_pid.data()), SIGKILL), 0) << "the child should have survived";
}

}  // namespace lock_test
}  // namespace orch
