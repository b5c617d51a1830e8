// Which part of src/ may include which. ARCHITECTURE.md has the order of districts and parts.
#include "tidy/sources.hpp"

#include <algorithm>
#include <functional>
#include <regex>

namespace orch::tidy {
namespace layers_test {

// The parts of the nine districts, lowest first.
const std::vector<std::string> k_line = {
    "core/base",       "core/secret",     "core/sql",      "core/statistics",  "os/system",
    "os/lease",        "bench/wire",      "bench/prompt",  "bench/measure",    "bench/protocol",
    "bench/observe",   "bench/record",    "bench/load",    "spec/keys",        "spec/render",
    "spec/container",  "spec/ranks",      "spec/matrix",   "spec/runner",      "plan/resources",
    "plan/graph",      "plan/forecast",   "run/execute",   "run/attempt",      "run/slurm",
    "run/script",      "run/schedule",    "run/simulate",  "results/tools",    "results/imports",
    "results/tables",  "results/query",   "results/store", "results/score",    "results/keep",
    "analysis/plot",   "analysis/report", "analysis/page", "analysis/compare", "analysis/best",
    "analysis/rounds", "app/session",     "app/init",      "app/doctor",       "app/preflight",
    "app/cli"};

// Header names that several parts use. The list only shrinks.
const std::set<std::string> k_recurring = {
    "layout.hpp",
};

// Files outside of src/os/system and src/app/cli that name a `Real…` class of src/os/system: the
// guardian is a program of its own, with wiring of its own.
const std::set<std::string> k_construct_real = {"guardian.cpp"};

int place_of(const std::string& part) {
  const auto at = std::find(k_line.begin(), k_line.end(), part);
  return at == k_line.end() ? -1 : static_cast<int>(at - k_line.begin());
}

// The includes of FILE, which is in PART, that point to the right in the line.
std::vector<std::string> right_pointing(const fs::path& file, const std::string& part) {
  std::vector<std::string> wrong;
  for (const Include& include : includes_of(file)) {
    if (!include.quoted) continue;
    const int target = place_of(part_of(include.name));
    if (target < 0 || target > place_of(part))
      wrong.push_back(file.string() + ":" + std::to_string(include.line) + " includes \"" +
                      include.name + "\" from the right of " + part);
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

TEST(Layers, TheLineHasNineDistricts) {
  std::vector<std::string> districts;
  for (const std::string& part : k_line)
    if (const std::string district = part.substr(0, part.find('/'));
        districts.empty() || districts.back() != district)
      districts.push_back(district);
  EXPECT_EQ(districts, (std::vector<std::string>{"core", "os", "bench", "spec", "plan", "run",
                                                 "results", "analysis", "app"}));
}

TEST(Layers, EveryPartOfADistrictIsInTheLine) {
  for (const auto& district : fs::directory_iterator(k_src)) {
    if (!district.is_directory()) continue;
    for (const auto& part : fs::directory_iterator(district)) {
      if (part.path().extension() == ".md") continue;
      EXPECT_GE(place_of(part.path().lexically_relative(k_src).string()), 0)
          << part.path() << " is not in the line";
    }
  }
}

TEST(Layers, NoIncludePointsRight) {
  std::size_t files = 0;
  for (const std::string& part : k_line) {
    for (const fs::path& file : sources_under(k_src / part)) {
      ++files;
      for (const std::string& wrong : right_pointing(file, part)) ADD_FAILURE() << wrong;
    }
  }
  EXPECT_GT(files, 50u) << "the sources were not found";
}

TEST(Layers, AnIncludeThatPointsRightIsFound) {
  const Sample sample("right.cpp",
                      "#include <vector>\n#include \"core/base/result.hpp\"\n#include "
                      "\"results/store/store.hpp\"\n");
  const auto wrong = right_pointing(sample.path(), "plan/graph");
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_NE(wrong[0].find(":3 includes \"results/store/store.hpp\" from the right of plan/graph"),
            std::string::npos)
      << wrong[0];
}

TEST(Layers, PartsAndHeadersHaveNoIncludeCycles) {
  Edges parts, headers;
  for (const fs::path& file : sources_under(k_src)) {
    const std::string name = file.lexically_relative(k_src).string();
    for (const Include& include : includes_of(file)) {
      if (!include.quoted) continue;
      const std::string from = part_of(name), to = part_of(include.name);
      if (from != to && from != name) parts[from].insert(to);
      if (file.extension() == ".hpp") headers[name].insert(include.name);
    }
  }
  EXPECT_EQ(cycle_in(parts), "");
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

TEST(Layers, HeadersOfDifferentPartsHaveDifferentNames) {
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
  for (const fs::path& file : sources_under(k_src / "os/system"))
    for (const std::string& line : lines_of(text_of(file)))
      if (std::smatch match; line.find(" Real") < 7 && std::regex_search(line, match, k_class))
        real.insert(match[1]);
  ASSERT_TRUE(real.contains("RealFiles"));
  Findings found;
  for (const fs::path& file : sources_under(k_src)) {
    const std::string part = part_of(file.lexically_relative(k_src).string());
    const std::string text = text_of(file);
    if (part == "os/system" || part == "app/cli" || text.find("Real") == std::string::npos)
      continue;
    for (std::sregex_iterator word(text.begin(), text.end(), k_word), end; word != end; ++word)
      if (real.contains(word->str()))
        found[file.filename().string()] = name_of(file) + " names " + word->str();
  }
  expect_only(k_construct_real, found, "only src/app/cli constructs these; take their interface");
}

}  // namespace layers_test
}  // namespace orch::tidy
