// What the commands write to a terminal: no control character that came from a stage or a server.
#include "app/cli/commands.hpp"
#include "app/cli/run_command.hpp"
#include "app/cli/say.hpp"
#include "results/store/sample.hpp"

#include <thread>

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

namespace orch::cli {
namespace terminal_output_test {

using namespace sample;

// Takes the place of stdout and stderr, and keeps what is written.
class Screen {
 public:
  Screen() {
    EXPECT_TRUE(::grantpt(master_.get()) == 0 && ::unlockpt(master_.get()) == 0);
    system::Descriptor terminal(::open(::ptsname(master_.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    termios raw{};
    ::tcgetattr(terminal.get(), &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(terminal.get(), TCSANOW, &raw);
    reader_ = std::thread([this] {
      char block[4096];
      // The end is an error: no process has the terminal open any more.
      for (ssize_t got; (got = ::read(master_.get(), block, sizeof block)) > 0;)
        text_.append(block, static_cast<std::size_t>(got));
    });
    std::fflush(stdout);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      saved_.emplace_back(::fcntl(stream, F_DUPFD_CLOEXEC, 10));
      ::dup2(terminal.get(), stream);
    }
  }
  std::string text() {
    std::fflush(stdout);
    std::fflush(stderr);
    ::dup2(saved_[0].get(), STDOUT_FILENO);
    ::dup2(saved_[1].get(), STDERR_FILENO);
    reader_.join();
    return text_;
  }

 private:
  system::Descriptor master_{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
  std::vector<system::Descriptor> saved_;
  std::thread reader_;
  std::string text_;
};

// A title, a clearing of the screen in three forms, a bell and bytes that are no text.
const std::string k_hostile =
    "x\x1b]0;t\x07 \x1b[2J \xc2\x9b"
    "2J \x9b"
    "2J \b\x7f\xff\xc2\x85y";
const std::string k_shown = "x\\x1b]0;t\\x07 \\x1b[2J \\x9b2J \\x9b2J \\x08\\x7f\\xff\\x85y";

class OnATerminal : public ::testing::Test {
 protected:
  OnATerminal() {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    driver.run_build();
    const AttemptKey session = driver.run_serve();
    driver.run_bench(0, session, measurement(10, 100));
    failed = driver.stage_of("build").id;
    driver.commit();
    write_file(folder.path() / "logs" / (failed + ".log"), k_log);
    // As an older version, or a damaged file, may have it: also with bytes that are not UTF-8.
    for (const char* update :
         {"UPDATE attempt SET message = ?, ok = 0, failure_class = 'exit_status'",
          "UPDATE run_stage SET state = 'failed', state_why = 'exit_status: ' || ?",
          "UPDATE measurement SET warnings = ?", "UPDATE attempt SET tool_version = ?"}) {
      auto statement = store.database().prepare(update);
      EXPECT_TRUE(statement->run_with(k_hostile).ok());
    }
    // Another transaction derives the results anew.
    EXPECT_TRUE(driver.journal->finish(store::Outcome::failed, driver.now + 60).ok());
  }

  static std::string shown(void (*add)(CLI::App&, int&), std::vector<std::string> words) {
    CLI::App app;
    int exit_code = 0;
    add(app, exit_code);
    std::reverse(words.begin(), words.end());
    Screen screen;
    app.parse(words);
    return screen.text();
  }
  static void expect_harmless(const std::string& text) {
    EXPECT_EQ(find_not_utf8(text), std::string::npos) << text;
    for (const char c : text)
      EXPECT_FALSE((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f);
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
  }

  TemporaryFolder folder;
  std::string failed;
  const std::string k_log = "1 %\r2 %\r\n" + k_hostile + "\nlast \xe2\x82\xac";
};

TEST_F(OnATerminal, NoCommandPassesControlCharactersOn) {
  const std::string store = folder.path().string();
  struct Case {
    void (*add)(CLI::App&, int&);
    std::vector<std::string> words;
  };
  const std::string messages = "select message, warnings from attempt, measurement";
  for (const Case& one :
       {Case{add_query, {"query", "failures", "--store", store}},
        Case{add_query, {"query", "results", "--store", store}},
        Case{add_query, {"query", messages, "--store", store}},
        Case{add_query, {"query", messages, "--format", "csv", "--store", store}},
        Case{add_query, {"query", messages, "--json", "--store", store}},
        Case{add_query, {"query", messages, "--format", "markdown", "--store", store}},
        Case{add_status, {"status", "--store", store}},
        Case{add_show, {"show", "tiny_c1-aaaaaa", "--store", store}},
        Case{add_show, {"show", failed, "--store", store}}}) {
    const std::string text = shown(one.add, one.words);
    expect_harmless(text);
    EXPECT_NE(text.find("]0;t"), std::string::npos) << text;
  }
  for (const Case& one : {Case{add_query, {"query", "select " + k_hostile, "--store", store}},
                          Case{add_logs, {"logs", k_hostile, "--store", store}},
                          Case{add_show, {"show", k_hostile, "--store", store}},
                          Case{add_explain, {"explain", k_hostile}}})
    expect_harmless(shown(one.add, one.words));
}

TEST_F(OnATerminal, ALogIsShownLineByLineWithoutControlCharacters) {
  const std::string text = shown(add_logs, {"logs", failed, "--store", folder.path().string()});
  expect_harmless(text);
  EXPECT_THAT(text, testing::EndsWith("\n1 %\n2 %\n" + k_shown + "\nlast \xe2\x82\xac"));
}

TEST_F(OnATerminal, APipeGetsALogAsItIs) {
  EXPECT_EQ(run_command(add_logs, {"logs", failed, "--store", folder.path().string()}).out, k_log);
}

TEST_F(OnATerminal, ALinkInPlaceOfALogIsNotFollowed) {
  const auto log = folder.path() / "logs" / (failed + ".log");
  std::filesystem::remove(log);
  std::filesystem::create_symlink("/etc/passwd", log);
  for (const bool follow : {false, true}) {
    std::vector<std::string> words = {"logs", failed, "--store", folder.path().string()};
    if (follow) words.emplace_back("--follow");
    const CommandResult result = run_command(add_logs, words);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, testing::HasSubstr("(it is a link, which is not followed)"));
  }
}

TEST(Say, WritesNoControlCharacterOfAValue) {
  testing::internal::CaptureStderr();
  say(stderr, "{}: {}\n", "a", k_hostile);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "a: " + k_shown + "\n");
}

}  // namespace terminal_output_test
}  // namespace orch::cli
