// docs/reference/ is what the program's own tables say today. With ORCH_UPDATE_GOLDEN=1 the test
// writes the pages instead: review the difference before you commit it.
#include "docs/pages.hpp"
#include "spec/keys/matrix_keys.hpp"
#include "spec/keys/runner_keys.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::docs {

namespace fs = std::filesystem;

std::map<std::string, std::string> all_pages() {
  using namespace keys;
  std::map<std::string, std::string> pages = {
      {"command-line.md", command_line_page()},
      {"metrics.md", metrics_page()},
      {"results.md", results_page()},
      {"matrix.md",
       keys_page("The matrix",
                 "Every key of a matrix. A word is one value of any kind; SQL is an expression of "
                 "SQLite over the parameters of a point, in quotes where YAML needs them. "
                 "`orchestrate schema matrix` prints the same for editors.",
                 {&k_matrix, &k_model, &k_dataset, &k_tokens, &k_provision, &k_measure, &k_repeats,
                  &k_client_limits, &k_score, &k_service, &k_limits}) +
           machine_facts()},
      {"site.md", keys_page("The site file",
                            "Every key of `~/.config/orchestrate/site.yaml` and of `--site FILE`. "
                            "`orchestrate schema site` prints the same for editors.",
                            {&k_site, &k_prices, &k_ports, &k_site_container, &k_site_slurm,
                             &k_site_resources, &k_site_store}) +
                      machine_facts()},
      {"runner-manifest.md",
       keys_page(
           "runner.yaml",
           "Every key of a runner's manifest. `runners/README.md` explains them with an "
           "example; `orchestrate schema runner` prints them for editors.",
           {&k_manifest, &k_versions,       &k_version_row,    &k_parameter,  &k_spanned_value,
            &k_facts,    &k_fact_defaults,  &k_fact,           &k_rule,       &k_resolver,
            &k_stage,    &k_fragment,       &k_fragment_words, &k_when_words, &k_options,
            &k_values,   &k_repeated_words, &k_cut_words,      &k_render,     &k_copy,
            &k_place,    &k_tools,          &k_resources,      &k_agree,      &k_ready,
            &k_identity, &k_smoke,          &k_container})},
  };
  for (const auto& folder : fs::directory_iterator(std::string(ORCH_SOURCE_DIR) + "/runners"))
    if (fs::exists(folder.path() / "runner.yaml"))
      pages["runner-" + folder.path().filename().string() + ".md"] = runner_page(folder.path());
  return pages;
}

namespace reference_test {

const fs::path k_reference = fs::path(ORCH_SOURCE_DIR) / "docs/reference";

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Reference, EveryPageIsWhatTheTablesSay) {
  const bool update = std::getenv("ORCH_UPDATE_GOLDEN") != nullptr;
  if (update) fs::create_directories(k_reference);
  for (const auto& [name, text] : all_pages()) {
    if (update) std::ofstream(k_reference / name, std::ios::binary) << text;
    EXPECT_EQ(text, text_of(k_reference / name))
        << "docs/reference/" << name << " is stale; ORCH_UPDATE_GOLDEN=1 writes it again";
  }
}

TEST(Reference, HasNoOtherPages) {
  const auto pages = all_pages();
  for (const auto& entry : fs::directory_iterator(k_reference))
    EXPECT_TRUE(pages.contains(entry.path().filename().string()))
        << entry.path() << " is not generated; delete it or move it to docs/";
}

TEST(Reference, NoPageDependsOnThisMachine) {
  for (const auto& [name, text] : all_pages()) {
    EXPECT_THAT(text, testing::Not(testing::HasSubstr(ORCH_SOURCE_DIR))) << name;
    EXPECT_THAT(text, testing::Not(testing::HasSubstr(fs::temp_directory_path().string() + "/")))
        << name;
  }
}

// A row of a table has as many cells as its head, or it is not shown as a table.
TEST(Reference, RowsOfATableHaveEquallyManyCells) {
  for (const auto& [name, text] : all_pages()) {
    std::istringstream lines(text);
    std::size_t cells = 0;
    for (std::string line; std::getline(lines, line);) {
      std::size_t bars = 0;
      for (std::size_t at = 0; at < line.size(); ++at)
        bars += line[at] == '|' && (at == 0 || line[at - 1] != '\\');
      if (!line.starts_with("|")) cells = 0;
      else if (cells == 0) cells = bars;
      else EXPECT_EQ(bars, cells) << name << ": " << line;
    }
  }
}

TEST(Reference, TextsHaveNoEffectInMarkdown) {
  EXPECT_EQ(prose("HF_* | <x>\ny"), "HF_\\* \\| \\<x\\> y");
  EXPECT_EQ(code("a || b"), "`a \\|\\| b`");
  EXPECT_EQ(code("`x`"), "`` `x` ``");
  EXPECT_EQ(row({"a", ""}), "| a | |\n");
}

}  // namespace reference_test
}  // namespace orch::docs
