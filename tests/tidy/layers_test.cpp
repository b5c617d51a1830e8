// Which folder may include which. ARCHITECTURE.md has the order of the folders.
#include "tidy/sources.hpp"

#include <algorithm>
#include <functional>
#include <regex>

namespace orch::tidy {
namespace layers_test {

const std::vector<std::string> k_line = {
    "base",      "secret",    "system",     "render",   "sql",     "statistics", "measure",
    "resources", "container", "ranks",      "keys",     "matrix",  "runner",     "plan",
    "forecast",  "wire",      "prompt",     "protocol", "observe", "record",     "toolfile",
    "load",      "execute",   "attempt",    "cluster",  "script",  "schedule",   "simulate",
    "lease",     "tables",    "store",      "plot",     "page",    "report",     "score",
    "compare",   "best",      "experiment", "keep",     "rounds",  "doctor",     "preflight",
    "cli"};

// Header names that several folders use. The list only shrinks.
const std::set<std::string> k_recurring = {
    "clock.hpp",
    "goodput.hpp",
    "layout.hpp",
    "unfinished.hpp",
};

// Files outside of src/system and src/cli that name a `Real…` class of src/system: the guardian is
// a program of its own, with wiring of its own.
const std::set<std::string> k_construct_real = {"guardian.cpp"};

int place_of(const std::string& folder) {
  const auto at = std::find(k_line.begin(), k_line.end(), folder);
  return at == k_line.end() ? -1 : static_cast<int>(at - k_line.begin());
}

std::string folder_of(const std::string& include) { return include.substr(0, include.find('/')); }

// The includes of FILE, which is in FOLDER, that point to the right in the line.
std::vector<std::string> right_pointing(const fs::path& file, const std::string& folder) {
  std::vector<std::string> wrong;
  for (const Include& include : includes_of(file)) {
    if (!include.quoted) continue;
    const int target = place_of(folder_of(include.name));
    if (target < 0 || target > place_of(folder))
      wrong.push_back(file.string() + ":" + std::to_string(include.line) + " includes \"" +
                      include.name + "\" from the right of " + folder);
  }
  return wrong;
}

using Edges = std::map<std::string, std::set<std::string>>;

// A cycle along EDGES, such as "a b a", or "".
std::string cycle_in(const Edges& edges) {
  std::set<std::string> done;
  std::vector<std::string> path;
  std::function<bool(const std::string&)> visit = [&](const std::string& node) {
    if (done.contains(node)) return false;
    const bool closed = std::find(path.begin(), path.end(), node) != path.end();
    path.push_back(node);
    if (closed) return true;
    if (const auto next = edges.find(node); next != edges.end())
      for (const std::string& target : next->second)
        if (visit(target)) return true;
    path.pop_back();
    done.insert(node);
    return false;
  };
  for (const auto& [node, targets] : edges) {
    if (!visit(node)) continue;
    std::string text;
    for (auto at = std::find(path.begin(), path.end(), path.back()); at != path.end(); ++at)
      text += (text.empty() ? "" : " ") + *at;
    return text;
  }
  return "";
}

TEST(Layers, EveryFolderOfSrcIsInTheLine) {
  for (const auto& entry : fs::directory_iterator(k_src)) {
    if (!entry.is_directory()) continue;
    EXPECT_GE(place_of(entry.path().filename().string()), 0)
        << entry.path() << " is not in the line";
  }
}

TEST(Layers, NoIncludePointsRight) {
  std::size_t files = 0;
  for (const std::string& folder : k_line) {
    for (const fs::path& file : sources_under(k_src / folder)) {
      ++files;
      for (const std::string& wrong : right_pointing(file, folder)) ADD_FAILURE() << wrong;
    }
  }
  EXPECT_GT(files, 50u) << "the sources were not found";
}

TEST(Layers, AnIncludeThatPointsRightIsFound) {
  const Sample sample("right.cpp",
                      "#include <vector>\n#include \"base/result.hpp\"\n#include "
                      "\"store/store.hpp\"\n");
  const auto wrong = right_pointing(sample.path(), "plan");
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_NE(wrong[0].find(":3 includes \"store/store.hpp\" from the right of plan"),
            std::string::npos)
      << wrong[0];
}

TEST(Layers, FoldersAndHeadersHaveNoIncludeCycles) {
  Edges folders, headers;
  for (const fs::path& file : sources_under(k_src)) {
    const std::string name = file.lexically_relative(k_src).string();
    for (const Include& include : includes_of(file)) {
      if (!include.quoted) continue;
      const std::string from = folder_of(name), to = folder_of(include.name);
      if (from != to && from != name) folders[from].insert(to);
      if (file.extension() == ".hpp") headers[name].insert(include.name);
    }
  }
  EXPECT_EQ(cycle_in(folders), "");
  EXPECT_EQ(cycle_in(headers), "");
}

TEST(Layers, ACycleIsFound) {
  EXPECT_EQ(cycle_in({{"a", {"b", "c"}}, {"b", {"c"}}}), "");
  EXPECT_EQ(cycle_in({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}), "b c b");
}

TEST(Layers, ThirdPartyHeadersAreIncludedOnlyBySourceFiles) {
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

TEST(Layers, HeadersOfDifferentFoldersHaveDifferentNames) {
  std::map<std::string, std::string> first;
  Findings recurring;
  for (const fs::path& file : sources_under(k_src)) {
    if (file.extension() != ".hpp") continue;
    const auto [at, is_new] = first.emplace(file.filename().string(), name_of(file));
    if (!is_new) recurring[at->first] = name_of(file) + " has the name of " + at->second;
  }
  expect_only(k_recurring, recurring, "give it a unique name");
}

TEST(Layers, OnlyTheWiringConstructsRealClasses) {
  static const std::regex k_class(R"(^(?:class|struct) (Real\w+))"), k_word(R"(\bReal\w+)");
  std::set<std::string> real;
  for (const fs::path& file : sources_under(k_src / "system"))
    for (const std::string& line : lines_of(text_of(file)))
      if (std::smatch match; line.find(" Real") < 7 && std::regex_search(line, match, k_class))
        real.insert(match[1]);
  ASSERT_TRUE(real.contains("RealFiles"));
  Findings found;
  for (const fs::path& file : sources_under(k_src)) {
    const std::string folder = folder_of(file.lexically_relative(k_src).string());
    const std::string text = text_of(file);
    if (folder == "system" || folder == "cli" || text.find("Real") == std::string::npos) continue;
    for (std::sregex_iterator word(text.begin(), text.end(), k_word), end; word != end; ++word)
      if (real.contains(word->str()))
        found[file.filename().string()] = name_of(file) + " names " + word->str();
  }
  expect_only(k_construct_real, found, "only src/cli constructs these; take their interface");
}

}  // namespace layers_test
}  // namespace orch::tidy
