// A matrix and its base files in, one merged Matrix or complete diagnostics out.
#include "spec/matrix/support.hpp"

#include <map>

#include <gtest/gtest.h>

namespace orch::matrix {
namespace base_test {

using Files = std::map<std::string, std::string>;

Matrix read(const std::string& file, const Files& files, Errors& errors) {
  return parse_matrix(
      files.at(file), file, errors, [&](const std::string& path) -> Result<std::string> {
        const auto found = files.find(path);
        if (found == files.end())
          return Error{ErrorKind::not_found, fmt::format("cannot open {}: no such file", path), {}};
        return found->second;
      });
}

std::string errors_of_files(const Files& files) {
  Errors errors;
  read("m.yaml", files, errors);
  return text_of(errors);
}

TEST(Base, merges_maps_replaces_lists_and_removes_null_keys) {
  const Files files = {{"m.yaml",
                        "base: b.yaml\nname: child\ndefaults: {osl: 9, tp: ~}\naxes: {isl: "
                        "[3]}\nmodels:\n  a: {revision: dev}\n"},
                       {"b.yaml",
                        "name: base\nrunner: toy\ndefaults: {tp: 1, pp: 2, osl: 8}\naxes: {isl: "
                        "[1, 2], precision: [f16]}\nexclude: [1]\nmodels: {a: "
                        "{source: 'hf:x/a'}}\n"}};
  Errors errors;
  const Matrix matrix = read("m.yaml", files, errors);
  EXPECT_EQ(text_of(errors), "");
  EXPECT_EQ(matrix.name, "child");
  EXPECT_EQ(matrix.runner, "toy");
  EXPECT_EQ(matrix.runner_where, (Location{"b.yaml", 2, 9}));
  EXPECT_EQ(matrix.bases, std::vector<std::string>{"b.yaml"});
  std::string text;
  for (const auto& [name, scalar] : matrix.defaults)
    text += fmt::format("{}={} {}\n", name, scalar.text, to_string(scalar.where));
  EXPECT_EQ(text, "pp=2 b.yaml:3:23\nosl=9 m.yaml:3:17\n");
  ASSERT_EQ(matrix.axes.size(), 2u);
  EXPECT_EQ(matrix.axes[0].values.size(), 1u);
  EXPECT_EQ(matrix.axes[0].where, (Location{"m.yaml", 4, 8}));
  EXPECT_EQ(matrix.exclude.size(), 1u);
  EXPECT_EQ(matrix.models.at("a").revision, "dev");
  EXPECT_EQ(matrix.models.at("a").where, (Location{"b.yaml", 6, 22}));
}

TEST(Base, a_null_for_an_unknown_key_is_an_error_and_for_an_absent_known_key_is_ignored) {
  const std::string head = "base: b.yaml\nname: child\n";
  const std::string base =
      "runner: toy\ndefaults: {model: m, concurrency: 1}\nmodels: {m: {source: "
      "'generate:n'}}\nmeasure: {seed: 2}\n";
  const std::string nulls =
      "excldue:\nmeasure: {sede: ~, warmup: ~, repeats: ~}\nexclude:\nmachine: ~\n";
  EXPECT_EQ(errors_of_files({{"m.yaml", head + nulls}, {"b.yaml", base}}),
            "m.yaml:3:1: unknown key 'excldue' in the matrix; did you mean 'exclude'?\n"
            "m.yaml:4:11: unknown key 'sede' in 'measure'; did you mean 'seed'?\n");
  EXPECT_EQ(errors_of_files(
                {{"m.yaml", head + "let: {totl: ~}\n"}, {"b.yaml", base + "let: {total: isl}\n"}}),
            "m.yaml:3:7: let 'totl' must be an SQL expression, not nothing; put it in quotes if it "
            "has a ':', '{' or '['\n");
  EXPECT_EQ(errors_of_files({{"m.yaml", head + "excldue:\n"}, {"b.yaml", base + "excldue:\n"}}),
            "m.yaml:3:1: unknown key 'excldue' in the matrix; did you mean 'exclude'?\n");
}

TEST(Base, a_null_for_a_parameter_or_fact_is_an_error_unless_the_runner_declares_it) {
  Vocabulary toy = toy_vocabulary();
  toy.model_facts = {
      {.column = {.name = "model_heads", .type = Type::integer}, .keys = {"n_head"}}};
  const Files files = {{"m.yaml",
                        "base: b.yaml\nname: child\ndefaults: {tp: ~, tpp: ~}\nmodels: {m: {facts: "
                        "{heads: ~, hedas: ~}}}\n"},
                       {"b.yaml",
                        "runner: toy\ndefaults: {model: m, concurrency: 1}\nmodels: {m: {source: "
                        "'generate:n', facts: {}}}\n"}};
  Errors errors;
  expand(read("m.yaml", files, errors), toy, {}, errors);
  EXPECT_EQ(text_of(errors),
            "m.yaml:3:19: unknown parameter 'tpp' of runner 'toy'; did you mean 'tp'?\n"
            "m.yaml:4:32: model 'm': runner 'toy' declares no fact 'hedas' of models; did you mean "
            "'heads'?\n");
}

TEST(Base, is_relative_to_the_file_that_names_it) {
  const Files files = {{"m.yaml", "base: sub/b.yaml\nname: x\n"},
                       {"sub/b.yaml", "base: ../c.yaml\n"},
                       {"c.yaml", "runner: toy\n"}};
  Errors errors;
  const Matrix matrix = read("m.yaml", files, errors);
  EXPECT_EQ(text_of(errors), "");
  EXPECT_EQ(matrix.bases, (std::vector<std::string>{"sub/b.yaml", "c.yaml"}));
  EXPECT_EQ(matrix.runner, "toy");
}

TEST(Base, errors_name_the_file_that_contains_them) {
  EXPECT_EQ(errors_of_files({{"m.yaml", "base: b.yaml\nname: x\naxes: {tp: 1}\n"},
                             {"b.yaml", "runner: toy\naxes: {pp: 2}\n"}}),
            "b.yaml:2:12: axis 'pp' must be a list of values, not the value '2'; write pp: [2]\n"
            "m.yaml:3:12: axis 'tp' must be a list of values, not the value '1'; write tp: [1]\n");
}

TEST(Base, a_cycle_is_the_only_error) {
  EXPECT_EQ(
      errors_of_files({{"m.yaml", "base: b.yaml\nname: x\n"}, {"b.yaml", "base: ./m.yaml\n"}}),
      "b.yaml:1:7: base './m.yaml' forms a cycle: m.yaml -> b.yaml -> m.yaml; remove one of these "
      "'base' keys\n");
  EXPECT_EQ(errors_of_files({{"m.yaml", "base: m.yaml\n"}}),
            "m.yaml:1:7: base 'm.yaml' forms a cycle: m.yaml -> m.yaml; remove one of these 'base' "
            "keys\n");
}

TEST(Base, chains_of_more_than_sixteen_are_refused) {
  Files files = {{"m.yaml", "name: x\nrunner: toy\nbase: b1.yaml\n"}};
  for (int i = 1; i <= 17; ++i)
    files[fmt::format("b{}.yaml", i)] = i < 16 ? fmt::format("base: b{}.yaml\n", i + 1) : "";
  EXPECT_EQ(errors_of_files(files), "");
  files["b16.yaml"] = "base: b17.yaml\n";
  EXPECT_EQ(errors_of_files(files),
            "b16.yaml:1:7: base 'b17.yaml' is file 17 of a chain of bases, but at most 16 are "
            "read; merge some of them\n");
}

TEST(Base, an_unreadable_base_does_not_hide_errors_of_the_file_itself) {
  EXPECT_EQ(errors_of_files({{"m.yaml", "base: b.yaml\naxes: {tp: 1}\n"}}),
            "m.yaml:1:7: base 'b.yaml': cannot open b.yaml: no such file; correct the path, which "
            "is relative to this file\n"
            "m.yaml:2:12: axis 'tp' must be a list of values, not the value '1'; write tp: [1]\n");
  EXPECT_EQ(
      errors_of_files({{"m.yaml", "base: [b.yaml]\n"}}),
      "m.yaml:1:7: 'base' must be the path of a matrix file or preset:RUNNER/NAME, not a list\n");
  EXPECT_EQ(errors_of_files({{"m.yaml", "base: b.yaml\n"}, {"b.yaml", "- a\n"}}),
            "b.yaml:1:1: a matrix must be a map of keys and values, not a list\n");
}

TEST(Base, a_token_is_reported_at_its_place_in_the_base) {
  EXPECT_EQ(errors_of_files({{"m.yaml", "base: b.yaml\nname: x\n"},
                             {"b.yaml", "runner: toy # glpat-" + std::string(20, 'x') + "\n"}}),
            "b.yaml:1:15: this looks like a GitLab token, and a matrix is stored with its results; "
            "take it out and export it in the "
            "environment\n");
}

}  // namespace base_test
}  // namespace orch::matrix
