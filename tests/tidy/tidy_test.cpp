// The rules of the house, read from the sources: which folder may include which, where third-party
// headers stand, how long a file may get.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// The line of the folders, left to right (ARCHITECTURE.md).
const std::vector<std::string> k_line = {"base",     "system",  "render",  "sql",  "matrix",
                                         "runner",   "plan",    "measure", "wire", "prompt",
                                         "protocol", "observe", "record",  "load", "execute",
                                         "schedule", "store",   "report",  "cli"};
constexpr std::size_t k_most_lines = 500;

struct Include {
  fs::path file;
  int line = 0;
  std::string name;
  bool quoted = false;
};

int place_of(const std::string& folder) {
  const auto at = std::find(k_line.begin(), k_line.end(), folder);
  return at == k_line.end() ? -1 : static_cast<int>(at - k_line.begin());
}

std::vector<fs::path> sources_under(const fs::path& root) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().extension() == ".hpp" || entry.path().extension() == ".cpp")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Include> includes_of(const fs::path& file) {
  static const std::regex k_include(R"(^\s*#\s*include\s*([<"])([^">]+)[">])");
  std::vector<Include> includes;
  std::ifstream in(file);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    std::smatch match;
    if (std::regex_search(text, match, k_include))
      includes.push_back({file, line, match[2], match[1] == "\""});
  }
  return includes;
}

// What is wrong with the includes of FILE, which stands in FOLDER of the line.
std::vector<std::string> right_pointing(const fs::path& file, const std::string& folder) {
  std::vector<std::string> wrong;
  for (const Include& include : includes_of(file)) {
    if (!include.quoted) continue;
    const std::string target = include.name.substr(0, include.name.find('/'));
    if (place_of(target) < 0 || place_of(target) > place_of(folder))
      wrong.push_back(file.string() + ":" + std::to_string(include.line) + " includes \"" +
                      include.name + "\" from the right of " + folder);
  }
  return wrong;
}

const fs::path k_src = fs::path(ORCH_SOURCE_DIR) / "src";

TEST(Tidy, EveryFolderOfSrcStandsInTheLine) {
  for (const auto& entry : fs::directory_iterator(k_src)) {
    if (!entry.is_directory()) continue;
    EXPECT_GE(place_of(entry.path().filename().string()), 0)
        << entry.path() << " is not in the line";
  }
}

TEST(Tidy, NoIncludePointsRight) {
  std::size_t files = 0;
  for (const std::string& folder : k_line) {
    for (const fs::path& file : sources_under(k_src / folder)) {
      ++files;
      for (const std::string& wrong : right_pointing(file, folder)) ADD_FAILURE() << wrong;
    }
  }
  EXPECT_GT(files, 50u) << "the sources were not found";
}

TEST(Tidy, AnIncludeThatPointsRightIsNoticed) {
  const fs::path file = fs::temp_directory_path() / ("tidy_" + std::to_string(::getpid()) + ".cpp");
  std::ofstream(file)
      << "#include <vector>\n#include \"base/result.hpp\"\n#include \"store/store.hpp\"\n";
  const auto wrong = right_pointing(file, "plan");
  fs::remove(file);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_NE(wrong[0].find(":3 includes \"store/store.hpp\" from the right of plan"),
            std::string::npos)
      << wrong[0];
}

TEST(Tidy, ThirdPartyHeadersStandOnlyInSourceFiles) {
  static const std::regex k_third_party(
      R"(^(yaml\.h|curl|nlohmann|CLI|boost|openssl|spdlog|sqlite3|google|grpc|nghttp2|zstd))");
  for (const fs::path& file : sources_under(k_src)) {
    if (file.extension() != ".hpp") continue;
    for (const Include& include : includes_of(file))
      EXPECT_FALSE(std::regex_search(include.name, k_third_party))
          << file << ":" << include.line << " includes <" << include.name
          << ">; move it into a .cpp file";
  }
}

TEST(Tidy, EveryHeaderOpensByWhatItIs) {
  for (const fs::path& file : sources_under(k_src)) {
    if (file.extension() != ".hpp") continue;
    std::ifstream in(file);
    std::string first;
    std::getline(in, first);
    EXPECT_TRUE(first.starts_with("// ")) << file << " does not open with a sentence about itself";
  }
}

TEST(Tidy, NoFileIsLongerThanItsReaderCanHold) {
  for (const fs::path& file : sources_under(k_src)) {
    std::ifstream in(file);
    const auto lines =
        static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(in), {}, '\n'));
    EXPECT_LE(lines, k_most_lines) << file << " has " << lines << " lines; split it";
  }
}

}  // namespace
