#include "app/cli/commands.hpp"
#include "fakes/temp_folder.hpp"

#include <fstream>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>

namespace orch::cli {
namespace manual_test {

using testing::HasSubstr;

// A program with words that roff would interpret.
class Manual : public testing::Test {
 protected:
  Manual() : app_("orchestrate: from here to -there-") {
    CLI::App* run = app_.add_subcommand("run", ".SH is no heading here, nor is 'a' or \\fB");
    run->add_option("MATRIX", text_, "The matrix file")->required();
    run->add_option("--store", text_, "The results folder")->default_str("results");
    run->add_option("-c,--jobs", number_, "At a time")->check(CLI::Range(1, 8))->required();
    run->add_option("--format", text_, "How")->check(CLI::IsMember({"table", "json"}));
    run->add_flag("--rare", flag_, "Seldom")->group("Rarely needed (here)");
    run->footer("  a line of its own\n.and another");
    app_.add_subcommand("stop", "Stop");
  }

  CLI::App app_;
  std::string text_;
  int number_ = 0;
  bool flag_ = false;
};

TEST_F(Manual, HasEveryCommandAndOptionOfTheTable) {
  const std::string page = manual_page(app_);
  EXPECT_THAT(page, HasSubstr("\norchestrate \\- from here to \\-there\\-\n"));
  EXPECT_THAT(page, HasSubstr(".SS run\n\\fBorchestrate run\\fR [\\fIOPTIONS\\fR] "
                              "\\fIMATRIX\\fR\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fBMATRIX\\fR\nThe matrix file\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-\\-store\\fR \\fITEXT\\fR\nThe results folder (default: "
                              "results)\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-c\\fR, \\fB\\-\\-jobs\\fR \\fIINT in [1 \\- 8]\\fR\nAt a "
                              "time (required)\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-format\\fR \\fItable|json\\fR\nHow\n"));
  EXPECT_THAT(page, HasSubstr(".PP\n\\fBRarely needed\\fR\n.TP\n\\fB\\-\\-rare\\fR\nSeldom\n"));
  EXPECT_THAT(page, HasSubstr(".SS stop\n"));
}

TEST_F(Manual, WordsThatRoffWouldInterpretAreText) {
  const std::string page = manual_page(app_);
  EXPECT_THAT(page, HasSubstr("\n\\&.SH is no heading here, nor is \\(aqa\\(aq or \\efB.\n"));
  EXPECT_THAT(page, HasSubstr("\n.nf\n  a line of its own\n\\&.and another\n.fi\n"));
}

TEST_F(Manual, IsAcceptedByMandocAndMan) {
  const fakes::TempFolder folder;
  std::ofstream(folder.file("orchestrate.1")) << manual_page(app_);
  const auto run = [&](const std::string& command) {
    return std::system(("cd '" + folder.path().string() + "' && " + command).c_str());
  };
  if (run("command -v mandoc >/dev/null") != 0 || run("command -v man >/dev/null") != 0)
    GTEST_SKIP() << "mandoc or man-db is not installed";
  EXPECT_EQ(run("mandoc -T lint -W style orchestrate.1"), 0);
  EXPECT_EQ(run("man --warnings -E UTF-8 -l orchestrate.1 2>errors >page && ! grep . errors"), 0);
  EXPECT_EQ(run("grep -q 'MATRIX' page"), 0);
}

}  // namespace manual_test
}  // namespace orch::cli
