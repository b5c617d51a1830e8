// YAML text and the vocabulary of a small runner in, points or complete diagnostics out.
#include "spec/matrix/points/point_name.hpp"
#include "spec/matrix/support.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::matrix {
namespace expand_test {

using testing::ElementsAre;

// The values of COLUMNS, one line per point.
std::vector<std::string> rows(const Expanded& sweep, const std::vector<std::string>& columns) {
  std::vector<std::string> out;
  for (const Point& point : sweep.expansion.points) {
    std::string line;
    for (const std::string& column : columns)
      line += (line.empty() ? "" : " ") + value_of(point, column);
    out.push_back(line + (point.is_rejected() ? " rejected" : ""));
  }
  return out;
}

Expanded below_head(const std::string& lines, const Vocabulary& vocabulary = toy_vocabulary()) {
  return expanded(k_head + lines, vocabulary);
}

// The diagnostics of LINES below the head; their first line is line 5.
std::string errors_below(const std::string& lines,
                         const Vocabulary& vocabulary = toy_vocabulary()) {
  return errors_of(k_head + lines, vocabulary);
}

Point only(const Expanded& sweep) {
  EXPECT_EQ(text_of(sweep.errors), "");
  EXPECT_EQ(sweep.expansion.points.size(), 1u);
  return sweep.expansion.points.at(0);
}

TEST(Expand, makes_the_product_of_the_axes_with_the_last_axis_fastest) {
  const Expanded sweep = below_head(
      "axes:\n  precision: [f16, q8_0]\n  length: [{isl: 1, osl: 2}, {isl: 3, osl: 4}]\n  "
      "batch_size: [4, 8]\n");
  EXPECT_EQ(text_of(sweep.errors), "");
  EXPECT_THAT(rows(sweep, {"precision", "isl", "osl", "batch_size"}),
              ElementsAre("f16 1 2 4", "f16 1 2 8", "f16 3 4 4", "f16 3 4 8", "q8_0 1 2 4",
                          "q8_0 1 2 8", "q8_0 3 4 4", "q8_0 3 4 8"));
}

TEST(Expand, a_matrix_without_axes_is_one_point_named_after_the_matrix) {
  const Expanded sweep = below_head("");
  EXPECT_THAT(only(sweep).name, testing::MatchesRegex("x-[0-9a-f]{6}"));
}

TEST(Expand, a_matrix_without_expressions_has_all_its_points) {
  Vocabulary vocabulary;
  vocabulary.parameters = {{.name = "isl", .type = Type::integer}};
  vocabulary.read = {"isl"};
  EXPECT_THAT(rows(expanded("name: x\nrunner: toy\naxes: {isl: [1, 2]}\n", vocabulary), {"isl"}),
              ElementsAre("1", "2"));
}

TEST(Expand, values_come_from_the_axis_then_the_default_then_the_runner) {
  const Expanded sweep = below_head("axes: {isl: [7]}\nlet: {}\nexclude: []\n");
  const Point& point = only(sweep);
  EXPECT_EQ(value_of(point, "isl"), "7");
  EXPECT_EQ(value_of(point, "concurrency"), "2");
  EXPECT_EQ(value_of(point, "osl"), "16");
  EXPECT_EQ(value_of(point, "stream"), "true");
  EXPECT_EQ(point.parameters.at("stream").type, Type::boolean);
  EXPECT_FALSE(point.parameters.contains("note"));
  EXPECT_EQ(point.model_source, "generate:nano");
  const std::string head = "name: x\nrunner: toy\nmodels: {m: {source: 'generate:nano'}}\n";
  EXPECT_EQ(
      value_of(only(expanded(head + "defaults: {model: m, concurrency: 2, osl: 9}\n")), "osl"),
      "9");
}

TEST(Expand, a_written_value_overrides_the_default_expression_of_the_runner) {
  const Expanded sweep = expanded(
      "name: x\nrunner: toy\nmodels: {m: {source: 'generate:nano'}}\ndefaults: {model: m}\naxes: "
      "{concurrency: [1, 16]}\n");
  EXPECT_THAT(rows(sweep, {"concurrency", "num_prompts"}), ElementsAre("1 20", "16 160"));
  EXPECT_EQ(value_of(only(below_head("axes: {num_prompts: [5]}\n")), "num_prompts"), "5");
}

TEST(Expand, a_let_named_like_a_parameter_computes_that_parameter) {
  const Expanded sweep = below_head(
      "let: {num_prompts: concurrency * 3, tool_version: \"'1.' || tp\", stream: tp > 1}\n");
  EXPECT_EQ(value_of(only(sweep), "num_prompts"), "6");
  EXPECT_EQ(only(sweep).parameters.at("tool_version"), (Value{Type::version, "1.1"}));
  EXPECT_EQ(only(sweep).parameters.at("stream"), (Value{Type::boolean, "false"}));
}

TEST(Expand, lets_may_read_each_other) {
  const Point point =
      only(below_head("let:\n  c: b / 4.0\n  b: a + 1\n  a: isl\n  d: precision || '!'\n  e: "
                      "note\nexclude:\n  - c + d + e > 1000\n"));
  EXPECT_EQ(point.parameters.at("c"), (Value{Type::real, "32.25"}));
  EXPECT_EQ(point.parameters.at("b"), (Value{Type::integer, "129"}));
  EXPECT_EQ(point.parameters.at("d"), (Value{Type::text, "f16!"}));
  EXPECT_FALSE(point.parameters.contains("e"));
}

TEST(Expand, exclude_drops_points_only_where_it_is_true) {
  const Expanded sweep =
      below_head("axes: {isl: [1, 2, 3]}\nexclude:\n  - isl = 2\n  - note = 'never set'\n  - 0\n");
  EXPECT_THAT(rows(sweep, {"isl"}), ElementsAre("1", "3"));
  EXPECT_EQ(sweep.expansion.excluded, 1u);
}

TEST(Expand, booleans_are_numbers_in_expressions_and_words_in_points) {
  const Expanded sweep = below_head("axes: {stream: [true, false]}\nexclude: [not stream]\n");
  EXPECT_THAT(rows(sweep, {"stream"}), ElementsAre("true"));
}

TEST(Expand, versions_compare_as_versions) {
  const Expanded sweep = below_head(
      "axes: {tool_version: [0.9.0, 0.14.0, '0.10']}\nexclude:\n  - tool_version < '0.10'\n");
  EXPECT_THAT(rows(sweep, {"tool_version"}), ElementsAre("0.14.0", "0.10"));
}

TEST(Expand, warns_if_every_point_is_excluded) {
  EXPECT_THAT(below_head("exclude: [1]\n").expansion.warnings,
              ElementsAre("m.yaml: every point is excluded"));
}

TEST(Expand, a_broken_rule_rejects_the_point_with_its_message) {
  const Expanded sweep = below_head("axes: {tp: [1, 4]}\n");
  EXPECT_THAT(rows(sweep, {"tp"}), ElementsAre("1", "4 rejected"));
  EXPECT_EQ(sweep.expansion.points[1].rejections.front().rule, "one-rank");
  EXPECT_EQ(sweep.expansion.points[1].rejections.front().why, "toy has one rank, not tp 4 x pp 1");
}

TEST(Expand, the_message_of_a_rule_keeps_braces_that_name_no_parameter) {
  Vocabulary toy = toy_vocabulary();
  toy.rules = {{.name = "r", .require = "0", .because = "{isl} {nothing} {} {isl", .where = {}}};
  EXPECT_EQ(only(below_head("", toy)).rejections.front().why, "128 {nothing} {} {isl");
}

TEST(Expand, the_message_of_a_rule_shows_a_missing_value_as_no_value) {
  Vocabulary toy = toy_vocabulary();
  toy.rules = {{.name = "r", .require = "0", .because = "{isl}, {note}", .where = {}}};
  EXPECT_EQ(only(below_head("", toy)).rejections.front().why, "128, no value");
}

TEST(Expand, a_rule_that_is_null_names_the_column_that_caused_it) {
  Vocabulary toy = toy_vocabulary();
  toy.rules = {{.name = "r",
                .require = "twice > 3",
                .because = "",
                .where = Location{"runner.yaml", 20, 5}}};
  EXPECT_EQ(errors_below("axes: {isl: [1, 2, 3]}\nlet: {twice: note * isl}\n", toy),
            "runner.yaml:20:5: rule 'r': it is NULL, because 'twice' is NULL, because 'note' has "
            "no value; give it when: twice IS NOT NULL "
            "(point isl1 and "
            "2 more)\n");
  EXPECT_EQ(errors_below("let: {twice: 1 / (isl - 128)}\n", toy),
            "runner.yaml:20:5: rule 'r': it is NULL, because 'twice' is NULL, though everything "
            "that it reads has a value (a division by "
            "zero, or a CASE "
            "without ELSE); give it when: twice IS NOT NULL (point x)\n");
}

TEST(Expand, an_optional_parameter_may_have_a_null_default) {
  Vocabulary toy = toy_vocabulary();
  toy.parameters[7] = {.name = "concurrency",
                       .type = Type::integer,
                       .fallback_sql = "CASE WHEN pp = 1 THEN 8 END",
                       .optional = true};
  toy.read.push_back("concurrency");
  const std::string head =
      "name: x\nrunner: toy\nmodels: {m: {source: 'generate:nano'}}\ndefaults: {model: m, pp: 2}\n";
  EXPECT_EQ(
      errors_of(head + "let: {num_prompts: 30, n: concurrency}\nmeasure: {warmup: 2 * n}\n", toy),
      "m.yaml:6:19: measure.warmup: it is NULL, because 'n' is NULL, because 'concurrency' has no "
      "value here; write coalesce(n, 0) "
      "(point x)\n");
  EXPECT_EQ(
      errors_of(head + "let: {num_prompts: 30, concurrency: 1 / (pp - 2)}\nmeasure: {warmup: 2 * "
                       "concurrency}\n",
                toy),
      "m.yaml:6:19: measure.warmup: it is NULL, because 'concurrency' is NULL, though everything "
      "that it reads has a value (a "
      "division by zero, or a CASE without ELSE); write coalesce(concurrency, 0) (point x)\n");
}

TEST(Expand, reports_at_most_two_hundred_errors_of_text_and_points) {
  std::string entries;
  for (int i = 0; i < 150; ++i) entries += fmt::format("  p{}: 1\n  P{}: 1\n", i, i);
  const std::string head =
      "name: x\nrunner: toy\nmodels: {m: {source: 'generate:nano'}}\ndefaults:\n  model: m\n  "
      "concurrency: 1\n";
  const Errors errors = expanded(head + entries).errors;
  ASSERT_EQ(errors.size(), 201u);
  EXPECT_EQ(errors[0].text().substr(0, 35), "m.yaml:7:7: unknown parameter 'p0' ");
  EXPECT_EQ(errors[200].text(), "m.yaml:207:9: ... and 100 more");
}

TEST(Expand, a_rule_is_not_evaluated_for_excluded_points) {
  Vocabulary toy = toy_vocabulary();
  toy.rules = {{.name = "r",
                .require = "note = 'a'",
                .because = "",
                .where = Location{"runner.yaml", 20, 5}}};
  EXPECT_EQ(errors_below("exclude: [1]\n", toy), "");
}

TEST(Expand, warmup_is_an_expression_over_the_point) {
  const Expanded sweep = expanded(
      "name: x\nrunner: toy\nmodels: {m: {source: 'generate:nano'}}\ndefaults: {model: m}\naxes: "
      "{concurrency: [1, 4]}\n"
      "measure: {warmup: 2 * concurrency}\n");
  ASSERT_EQ(sweep.expansion.points.size(), 2u);
  EXPECT_EQ(sweep.expansion.points[0].warmup, 2);
  EXPECT_EQ(sweep.expansion.points[1].warmup, 8);
  EXPECT_EQ(only(below_head("")).warmup, 0);
}

TEST(Expand, warmup_is_a_whole_number_of_requests) {
  EXPECT_EQ(errors_below("measure: {warmup: note}\n"),
            "m.yaml:5:19: measure.warmup: it is NULL, because 'note' has no value; write "
            "coalesce(note, 0) (point x)\n");
  EXPECT_EQ(errors_below("axes: {isl: [1, 2]}\nmeasure: {warmup: 0 - isl}\n"),
            "m.yaml:6:19: measure.warmup: it gives -1, not a number of requests; it must be whole, "
            "at least 0 and at most "
            "100000000 (point isl1 and 1 more)\n");
  EXPECT_EQ(errors_below("measure: {warmup: 1.5}\n"),
            "m.yaml:5:19: measure.warmup: it gives 1.5, not a number of requests; it must be "
            "whole, at least 0 and at most 100000000 (point x)\n");
  EXPECT_EQ(errors_below("measure: {warmup: 100000001}\n"),
            "m.yaml:5:19: measure.warmup: it gives 100000001, not a number of requests; it must be "
            "whole, at least 0 and at most 100000000 (point x)\n");
  EXPECT_EQ(only(below_head("measure: {warmup: 4.0}\n")).warmup, 4);
}

TEST(Expand, reports_every_error_at_once_and_none_twice) {
  EXPECT_EQ(errors_of(R"(name: q
runner: toy
defaults: {tool_version: 14, foo: 1, strem: true}
axes:
  model: [nano, tinny]
  precision: [f16, fp8]
  isl: [08, 0]
let:
  total: isl + ols
  loop: loop2
  loop2: loop
exclude:
  - max(20, 10
  - foo > 1
models:
  nano: {source: "generate:nano"}
  tiny: {source: "generate:tiny"}
)"),
            "m.yaml:3:26: 'tool_version' must be a version, such as 0.14.0, not '14'\n"
            "m.yaml:3:35: unknown parameter 'foo' of runner 'toy'; it has: model, precision, isl, "
            "osl, batch_size, tp, pp, concurrency, "
            "num_prompts, "
            "temperature, stream, tool_version, note\n"
            "m.yaml:3:45: unknown parameter 'strem' of runner 'toy'; did you mean 'stream'?\n"
            "m.yaml:5:17: model 'tinny' is not under 'models'; did you mean 'tiny'?\n"
            "m.yaml:6:20: 'precision' cannot be 'fp8'; it is one of: f16, q8_0, q4_0\n"
            "m.yaml:7:9: 'isl' must be a whole number, not '08'; write 8\n"
            "m.yaml:7:13: 'isl' must be at least 1, not 0\n"
            "m.yaml:9:16: let 'total': unknown name 'ols'; did you mean 'osl'?\n"
            "m.yaml:10:9: let 'loop': it depends on itself: loop -> loop2 -> loop\n"
            "m.yaml:13:8: exclude: a '(' is never closed (in a YAML flow map or list, an "
            "expression with a comma needs quotes)\n");
}

TEST(Expand, a_parameter_that_stages_read_must_have_a_value) {
  Vocabulary toy = toy_vocabulary();
  toy.read = {"concurrency"};  // `model` is always read
  EXPECT_EQ(errors_of("name: x\nrunner: toy\n", toy),
            "m.yaml:2:9: parameter 'model' has no value, and runner 'toy' has no default for it; "
            "write model: [VALUE, ...] under 'axes' or "
            "model: VALUE under "
            "'defaults'\n"
            "m.yaml:2:9: parameter 'concurrency' has no value, and runner 'toy' has no default for "
            "it; write concurrency: [VALUE, ...] "
            "under 'axes' or "
            "concurrency: VALUE under 'defaults'\n");
}

TEST(Expand, a_default_expression_that_is_null_names_the_column_that_caused_it) {
  EXPECT_EQ(
      errors_of(
          "name: x\nrunner: toy\nmodels: {m: {source: 'generate:nano'}}\ndefaults: {model: m}\n"),
      "runner.yaml:10:3: default of parameter 'num_prompts': it is NULL, because 'concurrency' has "
      "no value (point x)\n");
}

TEST(Expand, a_computed_parameter_must_have_its_type) {
  EXPECT_EQ(
      errors_below(
          "axes: {tp: [1, 2]}\nlet: {isl: tp * 0.5, osl: tp - 1, precision: \"'f' || tp\"}\n"),
      "m.yaml:6:12: let 'isl': 'isl' must be a whole number, not '0.5' (point tp1)\n"
      "m.yaml:6:27: let 'osl': 'osl' must be at least 1, not 0 (point tp1)\n"
      "m.yaml:6:47: let 'precision': 'precision' cannot be 'f1'; it is one of: f16, q8_0, q4_0; "
      "did you mean 'f16'? (point tp1 and 1 "
      "more)\n");
}

TEST(Expand, an_expression_that_fails_names_the_first_point_and_hides_no_other_error) {
  Vocabulary toy = toy_vocabulary();
  toy.rules = {{.name = "r",
                .require = "note = 'a'",
                .because = "",
                .where = Location{"runner.yaml", 20, 5}}};
  EXPECT_EQ(
      errors_below("axes: {isl: [1, 2, 3]}\nlet: {big: CASE WHEN isl < 3 THEN "
                   "abs(-9223372036854775807 - 1) END}\n",
                   toy),
      "m.yaml:6:12: let 'big': it cannot be computed: integer overflow (point isl1 and 1 more)\n"
      "runner.yaml:20:5: rule 'r': it is NULL, because 'note' has no value; give it when: note IS "
      "NOT NULL (point isl3)\n");
}

TEST(Expand, a_computed_model_must_be_an_entry_of_models) {
  EXPECT_EQ(errors_of("name: x\nrunner: toy\nmodels: {m1: {source: 'generate:nano'}}\ndefaults: "
                      "{concurrency: 1}\naxes: {tp: [1, 2]}\nlet: "
                      "{model: \"'m' || tp\"}\n"),
            "m.yaml:6:15: let 'model': model 'm2' is not under 'models'; did you mean 'm1'? (point "
            "tp2)\n");
}

TEST(Expand, a_predicate_must_not_give_text) {
  EXPECT_EQ(errors_below("exclude: [model]\n"),
            "m.yaml:5:11: exclude: it gives the text 'm', not true or false; compare it with "
            "something (point x)\n");
}

TEST(Expand, an_axis_that_nothing_reads_is_an_error) {
  EXPECT_EQ(errors_below("axes:\n  note: [a, b]\n"),
            "m.yaml:6:3: axis 'note': no stage, rule, let or exclude reads note, so its values "
            "would only repeat the same points; take it out\n");
  EXPECT_EQ(errors_below("axes:\n  note: [a, b]\nexclude:\n  - note = 'c'\n"), "");
  EXPECT_EQ(errors_below("axes:\n  note: [a, b]\nlet: {n: note || 'x'}\n"), "");
  EXPECT_EQ(errors_below("axes:\n  note: [a, b]\nexclude:\n  - tp = 'note'\n"),
            "m.yaml:6:3: axis 'note': no stage, rule, let or exclude reads note, so its values "
            "would only repeat the same points; take it out\n");
}

TEST(Expand, warns_about_values_without_effect) {
  const Expanded sweep = expanded(
      "name: x\nrunner: toy\nmodels: {m: {source: 'generate:nano'}}\n"
      "defaults: {model: m, concurrency: 2, note: a, tp: 1}\naxes:\n  rank: [{tp: 1, note: "
      "b}]\nlet: {unused: isl}\n");
  EXPECT_EQ(text_of(sweep.errors), "");
  EXPECT_THAT(
      sweep.expansion.warnings,
      ElementsAre("m.yaml:4:44: default 'note' has no effect: axis 'rank' sets it",
                  "m.yaml:4:51: default 'tp' has no effect: axis 'rank' sets it",
                  "m.yaml:6:3: axis 'rank' sets note, which no stage and no expression reads",
                  "m.yaml:4:44: default 'note' is read by no stage and no expression",
                  "m.yaml:7:15: let 'unused' is read by no stage and no expression"));
}

TEST(Expand, a_repeated_value_of_an_axis_is_an_error_in_any_notation) {
  EXPECT_EQ(
      errors_below(
          "axes:\n  temperature: [0.5, 0.50]\n  length: [{isl: 1, osl: 2}, {osl: 2, isl: 1}]\n"),
      "m.yaml:6:22: axis 'temperature' has this value twice; take one out\n"
      "m.yaml:7:30: axis 'length' has this value twice; take one out\n");
}

TEST(Expand, too_many_points_are_refused_before_expansion) {
  std::string axes = "axes:\n";
  std::string values;
  for (int i = 1; i <= 100; ++i) values += fmt::format("{}{}", i > 1 ? ", " : "", i);
  for (const char* axis : {"isl", "osl", "batch_size", "tp"})
    axes += fmt::format("  {}: [{}]\n", axis, values);
  EXPECT_EQ(errors_below(axes),
            "m.yaml:6:3: the axes give 100 x 100 x 100 x 100 = 100000000 points, but at most "
            "1000000 are planned; shorten an axis or write "
            "limits: {points: 100000000}\n");
  Errors errors;
  Matrix matrix;
  matrix.axes.resize(40, Axis{.name = "a", .values = std::vector<AxisValue>(1000), .where = {}});
  expand(matrix, toy_vocabulary(), {}, errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_THAT(errors[0].message,
              testing::HasSubstr(" = 1e+120 points, but at most 1000000 are planned"));
}

TEST(Expand, the_limit_counts_points_before_exclude) {
  const std::string yaml = k_head + "axes: {isl: [1, 2, 3]}\nexclude: [isl > 1]\n";
  EXPECT_EQ(text_of(expanded(yaml, toy_vocabulary(), {.points = 2, .where = {}}).errors),
            "m.yaml:5:8: the axes give 3 points, but at most 2 are planned; shorten an axis or "
            "write limits: {points: 3}\n");
  EXPECT_EQ(text_of(expanded(yaml, toy_vocabulary(), {.points = 3, .where = {}}).errors), "");
}

TEST(Expand, points_are_complete_across_batches) {
  std::string values;
  for (int i = 1; i <= 100; ++i) values += fmt::format("{}{}", i > 1 ? ", " : "", i);
  const Expanded sweep = below_head(
      fmt::format("axes:\n  isl: [{0}]\n  osl: [{0}]\nlet: {{sum: isl * 1000 + osl}}\n", values));
  ASSERT_EQ(sweep.expansion.points.size(), 10000u);
  std::set<std::string> names;
  for (std::size_t i = 0; i < 10000; ++i) {
    const Point& point = sweep.expansion.points[i];
    ASSERT_EQ(value_of(point, "sum"), std::to_string((i / 100 + 1) * 1000 + i % 100 + 1));
    names.insert(point.name);
  }
  EXPECT_EQ(names.size(), 10000u);
}

// --- names

std::string name_of(const std::string& lines) { return only(below_head(lines)).name; }

TEST(UnknownParameter, IsMatchedByWordsAndNeverListsHundredsOfNames) {
  Vocabulary vocabulary;
  vocabulary.runner = "toy";
  for (const char* name : {"tp", "max_input_len", "enable_kv_cache_reuse", "kv_cache_dtype"})
    vocabulary.parameters.push_back({.name = name});
  for (int i = 0; i < 50; ++i) vocabulary.parameters.push_back({.name = fmt::format("other{}", i)});
  const auto suggestion = [&](const std::string& name) {
    Errors errors;
    const Matrix matrix =
        parse_matrix("name: x\nrunner: toy\naxes: {" + name + ": [1]}\n", "m.yaml", errors);
    expand(matrix, vocabulary, {}, errors);
    return errors.empty() ? "" : errors.front().text().substr(errors.front().text().find(';') + 2);
  };
  EXPECT_EQ(suggestion("input_len"), "did you mean 'max_input_len'?");
  EXPECT_EQ(suggestion("kv_cache_reuse"), "did you mean 'enable_kv_cache_reuse'?");
  EXPECT_EQ(suggestion("kv_cache_dtpye"), "did you mean 'kv_cache_dtype'?");
  EXPECT_EQ(suggestion("tp_size"), "did you mean 'tp'?");
  EXPECT_EQ(suggestion("world_size"),
            "`orchestrate init DIR --runner toy` writes a matrix with all 54 parameters and their "
            "meanings");
}

std::string label_of(const std::string& lines) {
  const std::string name = name_of(lines);
  return name.substr(0, name.size() - 7);
}

TEST(PointName, joins_axis_values_in_short_forms) {
  EXPECT_EQ(label_of("axes:\n  precision: [q8_0]\n  length: [{isl: 2048, osl: 1024}]\n  "
                     "batch_size: [8]\n  stream: [false]\n  temperature: [0.5]\n"
                     "  tool_version: [0.14.0]\n  num_prompts: [30]\n"),
            "q8_0_isl2048_osl1024_bs8_no_stream_t0.5_tool0.14.0_np30");
  EXPECT_EQ(label_of("axes: {stream: [true]}\n"), "stream");
  EXPECT_EQ(
      label({.name = "kv_cache_free_gpu_mem_fraction", .type = Type::real}, {Type::real, "0.9"}),
      "kvf0.9");
}

TEST(PointName, is_a_safe_file_name_and_argument) {
  EXPECT_EQ(label_of("axes: {note: ['-rf ../x/ü']}\nlet: {n: note}\n"), "p-rf-..-x---");
  EXPECT_LE(name_of(fmt::format("axes: {{note: [{}]}}\nlet: {{n: note}}\n", std::string(1000, 'a')))
                .size(),
            200u);
}

TEST(PointName, does_not_depend_on_the_rest_of_the_matrix) {
  const std::string name = name_of("axes: {isl: [7]}\n");
  EXPECT_EQ(name_of("axes:\n  isl:\n    - 7   # seven\nlet: {unused: isl}\nexclude: [isl = "
                    "8]\nmeasure: {warmup: 3}\n"),
            name);
  EXPECT_EQ(below_head("axes: {isl: [6, 7]}\n").expansion.points.at(1).name, name);
  EXPECT_EQ(name_of("axes: {isl: [7], osl: [16]}\n").substr(4), "_osl16" + name.substr(4));
}

TEST(PointName, changes_with_every_parameter_and_with_the_source_of_the_model) {
  const std::string name = name_of("axes: {isl: [7]}\n");
  EXPECT_NE(name_of("axes: {isl: [7]}\nlet: {osl: 17}\n"), name);
  EXPECT_NE(only(expanded("name: x\nrunner: toy\nmodels: {m: {source: 'generate:tiny'}}\ndefaults: "
                          "{model: m, concurrency: 2}\naxes: {isl: [7]}\n"))
                .name,
            name);
  EXPECT_NE(only(expanded("name: x\nrunner: toy\nmodels: {m: {source: 'generate:nano', revision: "
                          "b}}\ndefaults: {model: m, concurrency: "
                          "2}\naxes: {isl: [7]}\n"))
                .name,
            name);
}

TEST(PointName, is_the_same_as_in_the_first_version) {
  EXPECT_EQ(name_of("axes: {isl: [7]}\n"), "isl7-c42699");
}

}  // namespace expand_test
}  // namespace orch::matrix
