#include "app/cli/help.hpp"
#include "core/base/version.hpp"

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace orch::cli {
namespace build_info_test {

TEST(BuildInfo, NamesCommitCompilerAndEveryLibraryWithItsVersion) {
  const std::string text = version_text();
  EXPECT_TRUE(text.starts_with(fmt::format("orchestrate {}\ncommit ", k_version))) << text;
  EXPECT_FALSE(built_commit().empty());
  EXPECT_TRUE(std::regex_match(std::string(built_date()), std::regex("\\d{4}-\\d\\d-\\d\\d")))
      << built_date();
  EXPECT_TRUE(std::regex_search(text, std::regex("\ncompiler +(g\\+\\+|clang) [0-9]"))) << text;
  for (const Library& library : libraries())
    EXPECT_TRUE(
        std::regex_match(library.version(), std::regex("[0-9]+\\.[0-9]+(\\.[0-9]+)*[a-z]?")))
        << library.name << ' ' << library.version();
}

TEST(BuildInfo, NamesTheLicenceOfEachLibraryWhereAsked) {
  const std::string text = version_text(true);
  EXPECT_TRUE(std::regex_search(text, std::regex("\nOpenSSL +[0-9.]+ +Apache-2.0\n"))) << text;
  for (const Library& library : libraries()) {
    EXPECT_FALSE(library.licence.empty()) << library.name;
    EXPECT_EQ(version_text().find(fmt::format(" {}\n", library.licence)), std::string::npos);
  }
}

TEST(BuildInfo, HasARowForEveryPackageOfTheBuild) {
  static const std::set<std::string> k_tools = {"Threads", "PkgConfig"};
  std::ifstream file(ORCH_SOURCE_DIR "/CMakeLists.txt");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string cmake = text.str();
  std::set<std::string> packages, rows;
  const std::regex finds(R"((?:find_package|pkg_check_modules)\(([\w-]+) )");
  for (std::sregex_iterator at(cmake.begin(), cmake.end(), finds), end; at != end; ++at)
    if (!k_tools.contains((*at)[1])) packages.insert((*at)[1]);
  for (const Library& library : libraries()) rows.insert(std::string(library.package));
  EXPECT_EQ(rows, packages) << "src/app/cli/build_info.cpp has the table of libraries";
}

}  // namespace build_info_test
}  // namespace orch::cli
