// A secret that stages, a server, a measurement and a resolver repeat in every form that the page
// about secrets names must stand nowhere afterwards.
#include "e2e/canary.hpp"

#include "core/sql/packed.hpp"

#include <csignal>
#include <filesystem>
#include <map>

namespace orch::e2e {
namespace canary_test {

namespace fs = std::filesystem;

class Canary : public testing::Test {
 protected:
  void SetUp() override {
    canary_project(sweep);
    ::setenv(k_canary_variable, k_canary, 1);
    const Finished made =
        sweep.run({"/usr/bin/python3", sweep.folder() + "/runners/canary/forms.py"});
    ASSERT_EQ(made.code, 0) << made.err;
    forms = Json::parse(made.out);
    for (const auto& entry : fs::directory_iterator(sweep.folder()))
      if (entry.path().filename().string().starts_with(".std")) fs::remove(entry.path());
    fs::remove_all(sweep.folder() + "/runners/canary/__pycache__");
  }
  void TearDown() override { ::unsetenv(k_canary_variable); }

  // Every form of the canary that TEXT holds, named after WHERE.
  void expect_none(const std::string& text, const std::string& where) {
    for (const auto& [name, form] : forms.items())
      EXPECT_EQ(text.find(form.get<std::string>()), std::string::npos)
          << where << " holds the canary: " << name;
  }

  void expect_no_file_with_it() {
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(sweep.folder())) {
      if (!entry.is_regular_file()) continue;
      const std::string path = entry.path().string(), text = Sweep::read(path);
      expect_none(text, path);
      if (path.ends_with(".zst")) expect_none(unpack(text, 1 << 30).value(), path);
      ++files;
    }
    EXPECT_GT(files, 10u);
  }

  // What the commands print about the store.
  void expect_no_command_to_print_it() {
    std::vector<std::vector<std::string>> commands = {{"status"},
                                                      {"verify"},
                                                      {"plan", "canary.yaml", "--json"},
                                                      {"plan", "canary.yaml", "--script"}};
    for (const Json& table : sweep.query(
             "select name from sqlite_schema where type in ('table', 'view') and name not like "
             "'sqlite_%'"))
      commands.push_back({"query", "select * from \"" + table["name"].get<std::string>() + "\"",
                          "--format", "json"});
    for (const Json& stage : sweep.query("select distinct stage from stages"))
      commands.push_back({"logs", stage["stage"].get<std::string>()});
    for (const auto& words : commands) {
      const Finished done = sweep.orchestrate(words);
      expect_none(done.out + done.err, words[0] + " " + words.back());
    }
  }

  Sweep sweep;
  Json forms;
};

std::string of_process(const fs::path& process, const char* file) {
  return Sweep::read((process / file).string());
}

// Command lines of processes other than RUN that have the canary in their environment or on their
// command line.
std::set<std::string> holders(int run) {
  std::set<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos || name == std::to_string(run) ||
        name == std::to_string(::getpid()))
      continue;
    const bool holds = of_process(entry.path(), "environ").find(k_canary) != std::string::npos;
    // Read last: between the two, a guardian's child may have become the stage.
    std::string line = of_process(entry.path(), "cmdline");
    if (line.find(k_canary) != std::string::npos) found.insert("on a command line: " + line);
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (holds && !line.empty()) found.insert(line);
  }
  return found;
}

TEST_F(Canary, IsInNoFileAndNoOutputAndNoProcessThatDidNotDeclareIt) {
  sweep.write("canary.yaml",
              "name: canary\nrunner: canary\naxes: {flavour: [plain, errors, smoke, config, "
              "broken]}\n");
  const auto run = sweep.start({"run", "canary.yaml", "--log-level", "debug", "--jobs", "2"});
  std::set<std::string> seen;
  for (siginfo_t ended{}; ended.si_pid == 0;) {
    seen.merge(holders(run.pid));
    ::poll(nullptr, 0, 5);
    ::waitid(P_PID, static_cast<id_t>(run.pid), &ended, WEXITED | WNOHANG | WNOWAIT);
  }
  const Finished done = sweep.finish(run);
  EXPECT_EQ(done.code, 1) << done.err;
  expect_none(done.out + done.err, "the terminal");
  // A guardian has the command line of its run until it is one.
  for (const std::string& line : seen)
    EXPECT_TRUE(line.find("make.py") != std::string::npos ||
                line.find("serve.py") != std::string::npos ||
                line.find("orchestrate run canary.yaml") != std::string::npos)
        << line;
  // Every channel was used.
  EXPECT_GT(sweep.value("select count(*) from results_all where warnings like '%[secret]%'"), 0);
  EXPECT_GT(sweep.value("select count(*) from requests where error like '%[secret]%'"), 0);
  EXPECT_GT(sweep.value("select count(*) from answers where answer like '%[secret]%'"), 0);
  EXPECT_EQ(
      sweep.value("select count(*) from failures where message like '%smoke request%[secret]%'"),
      1);
  expect_no_file_with_it();
  expect_no_command_to_print_it();
}

TEST_F(Canary, IsNoIdentityOfAModel) {
  for (const char* revision : {"as it is", "base64", "percent all", "hexadecimal", "fails"}) {
    std::string name = revision;
    std::replace(name.begin(), name.end(), ' ', '_');
    sweep.write("canary.yaml",
                "name: canary\nrunner: resolved\nmodels: {m: {source: 'hf:o/n', revision: " + name +
                    "}}\ndefaults: {model: m}\n");
    const Finished done = sweep.orchestrate({"run", "canary.yaml"});
    EXPECT_NE(done.code, 0);
    expect_none(done.out + done.err, "the terminal");
    const char* why = name == "fails" ? "no access with [secret]" : "its last line holds a secret";
    EXPECT_NE(done.err.find(name == "as_it_is" ? "is not one word" : why), std::string::npos)
        << name << ": " << done.err;
  }
  EXPECT_EQ(sweep.value("select count(*) from resolution"), 0);
  expect_no_file_with_it();
}

}  // namespace canary_test
}  // namespace orch::e2e
