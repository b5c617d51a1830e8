// Ctrl-C at a terminal: the first lets running stages complete, the second ends them, the third
// kills them. The exit status is 130 each time, the terminal is restored, and the store is intact.
#include "crash/diary.hpp"
#include "crash/snapshot.hpp"
#include "crash/world.hpp"

#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace orch::crash {
namespace terminal_test {

// `orchestrate run crash.yaml` as the foreground process of its own terminal.
class Terminal {
 public:
  Terminal(const World& world, const std::string& pace) {
    master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ::grantpt(master_);
    ::unlockpt(master_);
    slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    const winsize size{.ws_row = 50, .ws_col = 200, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(slave_, TIOCSWINSZ, &size);
    ::tcgetattr(slave_, &before_);
    const std::string diary = "ORCH_CRASH_DIARY=" + world.diary(),
                      paced = "ORCH_CRASH_PACE=" + pace,
                      path = std::string("PATH=") + std::getenv("PATH");
    const char* const environment[] = {diary.c_str(), paced.c_str(), path.c_str(), "TERM=xterm",
                                       nullptr};
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::setsid();
    ::ioctl(slave_, TIOCSCTTY, 0);
    for (const int stream : {0, 1, 2}) ::dup2(slave_, stream);
    if (::chdir(world.folder().c_str()) != 0) ::_exit(126);
    ::execle(ORCH_BINARY, ORCH_BINARY, "run", "crash.yaml", "--site", "site.yaml", nullptr,
             environment);
    ::_exit(127);
  }
  ~Terminal() {
    if (!ended_) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
    ::close(slave_);
    ::close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void press_ctrl_c() {
    const char interrupt = 3;
    EXPECT_EQ(::write(master_, &interrupt, 1), 1);
  }
  // The text on the screen so far.
  const std::string& screen() {
    char text[4096];
    for (pollfd waits{master_, POLLIN, 0}; ::poll(&waits, 1, 0) > 0 && (waits.revents & POLLIN);) {
      const ssize_t got = ::read(master_, text, sizeof text);
      if (got <= 0) break;
      screen_.append(text, static_cast<std::size_t>(got));
    }
    return screen_;
  }
  bool shows(const std::string& words) {
    return wait_for([&] { return screen().find(words) != std::string::npos; }, k_patience_s);
  }
  // The exit status; -1 when it did not end in time, or a signal ended it.
  int wait() {
    int status = 0;
    ended_ =
        wait_for([&] { return screen(), ::waitpid(pid_, &status, WNOHANG) == pid_; }, k_patience_s);
    screen();
    return ended_ && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  bool is_as_before() const {
    termios now{};
    ::tcgetattr(slave_, &now);
    return now.c_iflag == before_.c_iflag && now.c_oflag == before_.c_oflag &&
           now.c_cflag == before_.c_cflag && now.c_lflag == before_.c_lflag &&
           std::memcmp(now.c_cc, before_.c_cc, sizeof now.c_cc) == 0;
  }

 private:
  int master_ = -1, slave_ = -1, pid_ = 0;
  bool ended_ = false;
  termios before_{};
  std::string screen_;
};

bool has_started(const World& world, const std::string& stage) {
  return world.read("diary/diary").find(" " + stage) != std::string::npos;
}

struct CtrlC : testing::Test {
  World world{{.grace_s = 60}};

  void SetUp() override {
    std::string runner = world.read("runners/crash/runner.yaml");
    const std::string stop = "stop_s: 1";
    runner.replace(runner.find(stop), stop.size(), "stop_s: 600");
    world.write("runners/crash/runner.yaml", runner);
    world.write_matrix(k_one_point);
  }
  // The store is intact, no process is left, and the next run completes the sweep.
  void check_what_is_left(Terminal& terminal) {
    EXPECT_TRUE(terminal.is_as_before());
    std::string output;
    EXPECT_EQ(world.orchestrate({"verify", "--quick"}, &output).code, 0) << output;
    EXPECT_EQ(left_behind(world, read_store(world.store(), world.folder()).folders, 5),
              std::vector<std::string>());
    world.write_matrix("axes: {precision: [f16]}\n");
    EXPECT_EQ(world.run().code, 0) << world.last_stderr();
  }
  std::vector<std::string> ask(const std::string& sql) {
    return ask_store(world.store(), world.folder(), sql);
  }

  static constexpr const char* k_one_point =
      "axes: {precision: [f16]}\ndefaults: {mode: ignores-term}\n";
};

TEST_F(CtrlC, OnceLetsRunningStagesCompleteAndStartsNoOther) {
  Terminal terminal(world, "task=400");
  ASSERT_TRUE(wait_for([&] { return has_started(world, "convert-"); }, k_patience_s))
      << terminal.screen();
  terminal.press_ctrl_c();
  EXPECT_EQ(terminal.wait(), 130) << terminal.screen();
  EXPECT_EQ(ask("SELECT s.name, a.ok FROM attempt a JOIN stage s ON s.id = a.stage_id WHERE s.name "
                "IN ('convert', 'build') ORDER BY 1"),
            std::vector<std::string>{"convert 1"});
  EXPECT_EQ(ask("SELECT outcome FROM run"), std::vector<std::string>{"interrupted"});
  check_what_is_left(terminal);
}

TEST_F(CtrlC, TwiceEndsRunningStages) {
  Terminal terminal(world, "task=600000");
  ASSERT_TRUE(wait_for([&] { return has_started(world, "download"); }, k_patience_s))
      << terminal.screen();
  terminal.press_ctrl_c();
  ASSERT_TRUE(terminal.shows("interrupted: running stages may finish; interrupt again to end them"))
      << terminal.screen();
  terminal.press_ctrl_c();
  EXPECT_EQ(terminal.wait(), 130) << terminal.screen();
  EXPECT_EQ(ask("SELECT DISTINCT ok, failure_class, signal FROM attempt"),
            std::vector<std::string>{"interrupted 0 15"});
  check_what_is_left(terminal);
}

TEST_F(CtrlC, ThreeTimesKillsStagesThatDoNotEnd) {
  Terminal terminal(world, "bench=600000");
  ASSERT_TRUE(wait_for([&] { return has_started(world, "bench-"); }, k_patience_s))
      << terminal.screen();
  terminal.press_ctrl_c();
  ASSERT_TRUE(terminal.shows("interrupted: running stages may finish; interrupt again to end them"))
      << terminal.screen();
  terminal.press_ctrl_c();
  ASSERT_TRUE(
      terminal.shows("interrupted: ending the running stages; interrupt again to kill them"))
      << terminal.screen();
  terminal.press_ctrl_c();
  EXPECT_EQ(terminal.wait(), 130) << terminal.screen();  // the server itself has 600 s to stop
  EXPECT_EQ(ask("SELECT a.failure_class, a.signal FROM attempt a JOIN stage s ON s.id = a.stage_id "
                "WHERE s.name = 'serve'"),
            std::vector<std::string>{"interrupted 9"});
  check_what_is_left(terminal);
}

}  // namespace terminal_test
}  // namespace orch::crash
