// YAML text in, a Matrix or complete diagnostics out, without the vocabulary of a runner.
#include "spec/matrix/support.hpp"

#include <gtest/gtest.h>

namespace orch::matrix {
namespace matrix_test {

std::string parse_errors(std::string_view yaml) {
  Errors errors;
  parse_matrix(yaml, "m.yaml", errors);
  return text_of(errors);
}

// The diagnostics of LINES below a valid name and runner; their first line is line 3.
std::string below_head(const std::string& lines) {
  return parse_errors("name: x\nrunner: toy\n" + lines);
}

TEST(ParseMatrix, reads_every_key) {
  Errors errors;
  const Matrix matrix = parse_matrix(R"(name: sweep-1.0
runner: toy
defaults: {tool_version: 0.10}
axes:
  precision: [f16, q8_0]
  length: [{isl: 128, osl: 16}, {isl: 256, osl: 32}]
let: {total: isl + osl}
exclude:
  - total > 280
  - precision = 'f16'
models:
  nano: {source: "generate:nano"}
  qwen: {source: "hf:Qwen/Qwen2-7B", revision: main}
measure: {warmup: 2 * concurrency, seed: 7, prompts: synthetic, repeats: {measure: 3, serve: 1, build: 1}}
)",
                                     "m.yaml", errors);
  EXPECT_EQ(text_of(errors), "");
  EXPECT_EQ(matrix.file, "m.yaml");
  EXPECT_EQ(matrix.name, "sweep-1.0");
  EXPECT_EQ(matrix.runner, "toy");
  EXPECT_EQ(matrix.runner_where, (Location{"m.yaml", 2, 9}));
  ASSERT_EQ(matrix.defaults.size(), 1u);
  EXPECT_EQ(matrix.defaults[0].second.text, "0.10");
  ASSERT_EQ(matrix.axes.size(), 2u);
  EXPECT_EQ(matrix.axes[0].values[1].sets[0].first, "precision");
  EXPECT_EQ(matrix.axes[1].values[1].sets[1].first, "osl");
  EXPECT_EQ(matrix.axes[1].values[1].sets[1].second.text, "32");
  EXPECT_EQ(matrix.axes[1].values[1].where, (Location{"m.yaml", 6, 33}));
  ASSERT_EQ(matrix.let.size(), 1u);
  EXPECT_EQ(matrix.let[0].sql, "isl + osl");
  ASSERT_EQ(matrix.exclude.size(), 2u);
  EXPECT_EQ(matrix.exclude[1].where.first(), (Location{"m.yaml", 10, 5}));
  EXPECT_EQ(matrix.models.at("qwen").source, "hf:Qwen/Qwen2-7B");
  EXPECT_EQ(matrix.models.at("qwen").revision, "main");
  EXPECT_EQ(matrix.models.at("nano").revision, "");
  EXPECT_EQ(matrix.measure.warmup->sql, "2 * concurrency");
  EXPECT_EQ(matrix.measure.seed, 7);
  EXPECT_EQ(matrix.measure.repeats, 3);
}

TEST(ParseMatrix, reports_every_error_at_once_in_the_order_of_the_file) {
  EXPECT_EQ(
      parse_errors(R"(name: quick sweep
runer: toy
defaults: {TP: 1, tp: {a: 1}}
axes:
  model: nano
  precision: []
  mixed: [1, {tp: 2}]
  group: [1]
let:
  a: [1]
exclude: model = 'x'
models:
  m: {sorce: "hf:a/b"}
  n: {source: "foo"}
  o: generate:nano
)"),
      "m.yaml:1:1: the matrix has no 'runner'; add it\n"
      "m.yaml:1:7: name 'quick sweep': a name consists of letters, digits, '.', '_' and '-', "
      "begins with a "
      "letter or digit and has at most "
      "64 characters\n"
      "m.yaml:2:1: unknown key 'runer' in the matrix; did you mean 'runner'?\n"
      "m.yaml:3:12: default 'TP': a name consists of a-z, 0-9 and _, begins with a letter and has "
      "at most "
      "64 characters; write 'tp'\n"
      "m.yaml:3:23: default 'tp' must be one value, not a map; several values make an axis\n"
      "m.yaml:5:10: axis 'model' must be a list of values, not the value 'nano'; write model: "
      "[nano]\n"
      "m.yaml:6:14: axis 'precision' must be a list of values, not an empty one; write precision: "
      "[VALUE, ...]\n"
      "m.yaml:7:14: axis 'mixed' mixes plain values and maps; write all of them as maps: {mixed: "
      "VALUE}\n"
      "m.yaml:8:3: axis 'group': this is a keyword of SQL; choose another name\n"
      "m.yaml:10:6: let 'a' must be an SQL expression, not a list; put it in quotes if it has a "
      "':', '{' or '['\n"
      "m.yaml:11:10: 'exclude' must be a list, not the value 'model = 'x''; write - and the "
      "predicate on a line below\n"
      "m.yaml:13:6: model 'm' has no 'source'; add it\n"
      "m.yaml:13:7: unknown key 'sorce' in model 'm'; did you mean 'source'?\n"
      "m.yaml:14:15: model 'n': 'source' must be hf:OWNER/NAME, local:PATH, git:URL, url:ADDRESS "
      "or generate:SHAPE, not "
      "the value 'foo'\n"
      "m.yaml:15:6: model 'o' must be a map of keys and values, not the value 'generate:nano'\n");
}

TEST(ParseMatrix, an_empty_file_lacks_name_and_runner) {
  EXPECT_EQ(parse_errors(""),
            "m.yaml:1:1: the matrix has no 'name'; add it\nm.yaml:1:1: the matrix has no 'runner'; "
            "add it\n");
}

TEST(ParseMatrix, text_that_is_not_a_map_is_one_error) {
  EXPECT_EQ(parse_errors("- a\n- b\n"),
            "m.yaml:1:1: the matrix must be a map of keys and values, not a list\n");
}

TEST(ParseMatrix, a_misspelled_section_is_reported_and_still_read) {
  EXPECT_EQ(below_head("axis: {tp: 1}\nmesure: {wormup: 2}\nexcludes: tp > 1\n"),
            "m.yaml:3:1: unknown key 'axis' in the matrix; did you mean 'axes'?\n"
            "m.yaml:3:12: axis 'tp' must be a list of values, not the value '1'; write tp: [1]\n"
            "m.yaml:4:1: unknown key 'mesure' in the matrix; did you mean 'measure'?\n"
            "m.yaml:4:10: unknown key 'wormup' in 'measure'; did you mean 'warmup'?\n"
            "m.yaml:5:1: unknown key 'excludes' in the matrix; did you mean 'exclude'?\n"
            "m.yaml:5:11: 'exclude' must be a list, not the value 'tp > 1'; write - and the "
            "predicate on a line below\n");
}

TEST(ParseMatrix, never_suggests_another_misspelled_key) {
  EXPECT_EQ(below_head("modelz: {}\nmodelz2: {}\n"),
            "m.yaml:3:1: unknown key 'modelz' in the matrix; did you mean 'models'?\nm.yaml:4:1: "
            "unknown key 'modelz2' in the matrix; did "
            "you mean 'models'?\n");
}

TEST(ParseMatrix, repeats_have_three_levels_and_a_limit) {
  Errors errors;
  const Measure measure =
      parse_matrix(
          "name: x\nrunner: toy\nmeasure: {repeats: {measure: 2, serve: 3, build: 1000}}\n",
          "m.yaml", errors)
          .measure;
  EXPECT_EQ(text_of(errors), "");
  EXPECT_EQ(measure.repeats, 2);
  EXPECT_EQ(measure.serve_repeats, 3);
  EXPECT_EQ(measure.build_repeats, 1000);
  EXPECT_EQ(below_head("measure: {repeats: {measure: 0, serve: 1001, build: x, bild: 2}}\n"),
            "m.yaml:3:30: 'measure.repeats.measure' must be a whole number from 1 to 1000, not "
            "the value '0'\n"
            "m.yaml:3:40: 'measure.repeats.serve' must be a whole number from 1 to 1000, not the "
            "value '1001'\n"
            "m.yaml:3:53: 'measure.repeats.build' must be a whole number from 1 to 1000, not the "
            "value 'x'\n"
            "m.yaml:3:56: unknown key 'bild' in 'measure.repeats'; did you mean 'build'?\n");
}

TEST(ParseMatrix, keep_is_one_of_three_words) {
  Errors errors;
  const auto keep = [&](const char* line) {
    return parse_matrix(fmt::format("name: x\nrunner: toy\n{}\n", line), "m.yaml", errors).keep;
  };
  EXPECT_EQ(keep(""), Keep::all);
  EXPECT_EQ(keep("keep: engines"), Keep::engines);
  EXPECT_EQ(keep("keep: results"), Keep::results);
  EXPECT_EQ(below_head("keep: nothing\n"),
            "m.yaml:3:7: 'keep' must be all, engines or results, not the value 'nothing'\n");
}

TEST(ParseMatrix, limits_of_the_client_must_be_above_0) {
  Errors errors;
  const Limits limits = parse_matrix(
                            "name: x\nrunner: toy\nmeasure: {limits: {wake_lag_ms: 2, send_lag_ms: "
                            "0.5, client_cpu_share: 0.9}}\n",
                            "m.yaml", errors)
                            .measure.limits;
  EXPECT_EQ(text_of(errors), "");
  EXPECT_EQ(limits.wake_lag_ms, 2);
  EXPECT_EQ(limits.send_lag_ms, 0.5);
  EXPECT_EQ(limits.client_cpu_share, 0.9);
  EXPECT_EQ(
      below_head("measure: {limits: {send_lag_ms: 0, send_lags_ms: 1}}\n"),
      "m.yaml:3:33: 'measure.limits.send_lag_ms' must be a number above 0, not the value '0'\n"
      "m.yaml:3:36: unknown key 'send_lags_ms' in 'measure.limits'; did you mean 'send_lag_ms'?\n");
}

TEST(ParseMatrix, prompts_are_synthetic_or_a_dataset) {
  Errors errors;
  const Matrix matrix = parse_matrix(
      "name: x\nrunner: toy\nmeasure: {prompts: orca}\ndatasets: {orca: {source: "
      "'local:a.jsonl'}}\n",
      "m.yaml", errors);
  EXPECT_EQ(text_of(errors), "");
  EXPECT_EQ(matrix.measure.prompts, "orca");
  EXPECT_EQ(matrix.measure.prompts_where, (Location{"m.yaml", 3, 20}));
  EXPECT_EQ(matrix.datasets.at("orca").source, "local:a.jsonl");
  EXPECT_EQ(matrix.datasets.at("orca").where, (Location{"m.yaml", 4, 27}));
  EXPECT_EQ(below_head("datasets: {orca: {source: 'local:a'}}\nmeasure: {prompts: orka}\n"),
            "m.yaml:4:20: 'measure.prompts' is 'orka', which is not under 'datasets'; did you mean "
            "'orca'?\n");
  EXPECT_EQ(
      below_head("datasets: {d: {source: 's3:x'}, 'a/b': {}, synthetic: {source: "
                 "'local:x'}}\nmeasure: {prompts: [a]}\n"),
      "m.yaml:3:24: dataset 'd': 'source' must be local:PATH, hf:OWNER/NAME or url:ADDRESS, not "
      "the value 's3:x'\n"
      "m.yaml:3:33: dataset 'a/b': a name consists of letters, digits, '.', '_' and '-', begins "
      "with a "
      "letter or digit and has at most 64 "
      "characters\n"
      "m.yaml:3:40: dataset 'a/b' has no 'source'; add it\n"
      "m.yaml:3:44: dataset 'synthetic': prompts without a dataset have this name; choose another "
      "name\n"
      "m.yaml:4:20: 'measure.prompts' must be synthetic or the name of a dataset, not a list\n");
}

TEST(ParseMatrix, a_dataset_is_a_file_a_repository_of_a_hub_or_an_address) {
  Errors errors;
  const std::string sha256(64, 'a');
  const Matrix matrix = parse_matrix(
      "name: x\nrunner: toy\ndatasets:\n  a: {source: 'hf:acme/qa', files: [b.json, c.json]}\n"
      "  b: {source: 'url:https://host/x.json.zst', sha256: " +
          sha256 +
          "}\n  c: {source: 'local:x.json', tokens: {least: 4, most: 2048}}\n"
          "  d: {source: 'local:x.json.gz'}\n  e: {source: 'local:x.json'}\n",
      "m.yaml", errors);
  EXPECT_EQ(text_of(errors), "");
  const Dataset& hub = matrix.datasets.at("a");
  EXPECT_EQ(hub.origin(), "hf:datasets/acme/qa");
  EXPECT_EQ(hub.files, R"(["b.json","c.json"])");
  EXPECT_EQ(matrix.datasets.at("b").revision, sha256);
  EXPECT_EQ(matrix.datasets.at("c").tokens, R"({"least":4,"most":2048})");
  std::string fetched;
  for (const auto& [name, dataset] : matrix.datasets) fetched += dataset.is_fetched() ? name : "";
  EXPECT_EQ(fetched, "abcd");
}

TEST(ParseMatrix, a_dataset_that_cannot_be_fetched_says_what_to_write) {
  EXPECT_EQ(
      below_head("datasets:\n  a: {source: 'url:https://host/x', revision: main}\n"
                 "  b: {source: 'hf:acme/qa', sha256: ab}\n"
                 "  c: {source: 'local:x', revision: main}\n"
                 "  d: {source: 'local:x', files: y}\n  e: {source: 'local:x', tokens: {}}\n"),
      "m.yaml:4:15: dataset 'a': 'source' is an address whose content may change; write the sha256 "
      "of its file beside it, sha256: HEX, not 'main'\n"
      "m.yaml:5:37: dataset 'b': sha256 applies only to a file of url:, but the source is the "
      "value 'hf:acme/qa'; take it out\n"
      "m.yaml:6:15: dataset 'c': 'source' is a file of this machine, which has no revision; take "
      "revision and sha256 out\n"
      "m.yaml:7:15: dataset 'd': 'files' apply only to a repository of hf:, but the source is the "
      "value 'local:x'; take them out\n"
      "m.yaml:8:34: 'tokens' of dataset 'e' has no limit; write tokens: {least: 4, "
      "most_in_prompt: 1024, most: 2048}\n");
}

TEST(ParseMatrix, score_names_scorers_or_a_program_and_the_references) {
  Errors errors;
  const Matrix matrix = parse_matrix(
      "name: x\nrunner: toy\ndatasets: {qa: {source: 'local:qa.jsonl'}}\n"
      "score: {scorers: [f1, exact, f1], program: judge.py, references: qa, tolerance: 0.01}\n",
      "m.yaml", errors);
  EXPECT_EQ(text_of(errors), "");
  ASSERT_TRUE(matrix.score);
  EXPECT_EQ(matrix.score->scorers, (std::vector<std::string>{"f1", "exact"}));
  EXPECT_EQ(matrix.score->program, "judge.py");
  EXPECT_EQ(matrix.score->references, "qa");
  EXPECT_EQ(matrix.score->tolerance, 0.01);
}

TEST(ParseMatrix, a_score_that_cannot_be_made_says_what_to_write) {
  EXPECT_EQ(below_head("datasets: {qa: {source: 'local:a'}}\nscore: {scorers: [f2], references: "
                       "qb, tolerance: much}\n"),
            "m.yaml:4:19: 'score.scorers' must be exact, normalized, f1, rouge_l or numeric, not "
            "the value 'f2'; did you mean 'f1'?; score.program runs your own\n"
            "m.yaml:4:36: 'score.references' is 'qb', which is not under 'datasets'; did you mean "
            "'qa'?\n"
            "m.yaml:4:51: 'score.tolerance' must be a number, at least 0, not the value 'much'\n");
  EXPECT_EQ(below_head("score: {}\n"),
            "m.yaml:3:8: 'score' names no scorer; write scorers: [exact, f1], or a program\n");
  EXPECT_EQ(below_head("score: {scorers: [exact]}\n"),
            "m.yaml:3:8: 'score' has no references: the prompts are synthetic; name a dataset in "
            "measure.prompts, or in score.references\n");
}

TEST(ParseMatrix, provide_takes_a_path_or_paths_with_a_when) {
  Errors errors;
  const Matrix matrix = parse_matrix(
      "name: x\nrunner: toy\nprovide:\n  a: p\n  b: {path: q, when: tp = 1}\n  c: [r, {path: s}]\n",
      "m.yaml", errors);
  EXPECT_EQ(text_of(errors), "");
  std::string text;
  for (const Provision& one : matrix.provide)
    text += fmt::format("{} {} {} {} {}\n", one.stage, one.path, one.when ? one.when->sql : "-",
                        to_string(one.where), to_string(one.stage_where));
  EXPECT_EQ(text,
            "a p - m.yaml:4:6 m.yaml:4:3\nb q tp = 1 m.yaml:5:13 m.yaml:5:3\nc r - m.yaml:6:7 "
            "m.yaml:6:3\nc s - m.yaml:6:17 m.yaml:6:3\n");
  EXPECT_EQ(
      below_head("provide: {build: {pth: y}, serve: [], env: [[a]], make: {path: x, when: [1]}}\n"),
      "m.yaml:3:18: provide 'build' has no 'path'; add it\n"
      "m.yaml:3:19: unknown key 'pth' in provide 'build'; did you mean 'path'?\n"
      "m.yaml:3:35: provide 'serve' is an empty list; take it out\n"
      "m.yaml:3:45: provide 'env' must be a path, {path: PATH, when: SQL} or a list of these, not "
      "a list\n"
      "m.yaml:3:73: 'when' of provide 'make' must be an SQL expression, not a list; put it in "
      "quotes if it has a ':', '{' or '['\n");
}

TEST(ParseMatrix, machine_states_typed_facts) {
  Errors errors;
  const Matrix matrix = parse_matrix(
      "name: x\nrunner: toy\nmachine: {gpus: 8, gpu_model: H100, gpu_memory_gib: 80}\n", "m.yaml",
      errors);
  EXPECT_EQ(text_of(errors), "");
  ASSERT_EQ(matrix.machine.size(), 3u);
  EXPECT_EQ(matrix.machine[1].first, "gpu_model");
  EXPECT_EQ(matrix.machine[1].second.text, "H100");
  EXPECT_EQ(below_head("machine: {gpus: eight, gpu_modle: H100, cpus: 0}\n"),
            "m.yaml:3:17: 'gpus' must be a whole number, not 'eight'\n"
            "m.yaml:3:24: unknown key 'gpu_modle' in 'machine'; did you mean 'gpu_model'?\n"
            "m.yaml:3:47: 'cpus' must be at least 1, not 0\n");
}

TEST(ParseMatrix, the_limit_of_points_is_at_most_a_hundred_million) {
  EXPECT_EQ(below_head("limits: {points: 0, pionts: 3}\n"),
            "m.yaml:3:18: 'limits.points' must be a whole number from 1 to 100000000, not the "
            "value '0'\nm.yaml:3:21: unknown key 'pionts' in 'limits'; "
            "did you mean 'points'?\n");
  EXPECT_EQ(below_head("limits: {points: 1000000000000}\n"),
            "m.yaml:3:18: 'limits.points' must be a whole number from 1 to 100000000, not the "
            "value '1000000000000'\n");
}

TEST(ParseMatrix, models_state_facts) {
  Errors errors;
  const Matrix matrix =
      parse_matrix("name: x\nrunner: toy\nmodels: {m: {source: 'hf:a/b', facts: {heads: 28}}}\n",
                   "m.yaml", errors);
  EXPECT_EQ(text_of(errors), "");
  EXPECT_EQ(matrix.models.at("m").where, (Location{"m.yaml", 3, 22}));
  EXPECT_EQ(matrix.models.at("m").facts.at(0).second.text, "28");
  EXPECT_EQ(below_head("models: {m: {source: 'hf:a/b', facts: 28}, n: {source: 'hf:a/b', facts: "
                       "{heads: [1]}}}\n"),
            "m.yaml:3:39: model 'm': 'facts' must be a map, not the value '28'; write facts: "
            "{heads: 28}\n"
            "m.yaml:3:81: model 'n': fact 'heads' must be one value, not a list\n");
}

TEST(ParseMatrix, reports_the_first_two_hundred_errors_and_counts_the_others) {
  std::string keys;
  for (int i = 0; i < 1000; ++i) keys += fmt::format("k{}: 1\n", i);
  Errors errors;
  parse_matrix("name: x\nrunner: toy\n" + keys, "m.yaml", errors);
  ASSERT_EQ(errors.size(), 201u);
  EXPECT_EQ(errors[199].text(), "m.yaml:202:1: unknown key 'k199' in the matrix");
  EXPECT_EQ(errors[200].text(), "m.yaml:203:1: ... and 800 more");
}

TEST(ParseMatrix, truncates_long_names_and_escapes_control_characters) {
  EXPECT_EQ(below_head(fmt::format("axes: {{\"{}\": [1]}}\n", std::string(100, 'a'))),
            fmt::format(
                "m.yaml:3:8: axis '{}...': a name consists of a-z, 0-9 and _, begins with a letter "
                "and has at most 64 characters; write '{}'\n",
                std::string(60, 'a'), std::string(64, 'a')));
  EXPECT_EQ(below_head("models: {\"a\\x1b[2J\": {source: 'hf:a/b'}}\n"),
            "m.yaml:3:10: model 'a\\x1b[2J': a name consists of letters, digits, '.', '_' and '-', "
            "begins "
            "with a letter or digit and has at most "
            "64 characters\n");
}

TEST(ParseMatrix, refuses_a_token_without_printing_it) {
  EXPECT_EQ(below_head("# hf_" + std::string(30, 'a') + "\n"),
            "m.yaml:3:3: this looks like a Hugging Face token, and a matrix is stored with its "
            "results; take it out and export it in the "
            "environment\n");
}

TEST(ParseMatrix, repeats_without_a_level_are_refused) {
  EXPECT_EQ(below_head("measure: {repeats: 3}\n"),
            "m.yaml:3:20: 'measure.repeats' must be a map; write {measure: 3}\n");
}

TEST(ParseMatrix, a_parameter_that_two_axes_set_names_both_places) {
  EXPECT_EQ(
      below_head("axes:\n  tp: [1]\n  parallel: [{tp: 1, pp: 1}]\n"),
      "m.yaml:5:19: axis 'parallel' sets 'tp', which axis 'tp' at m.yaml:4:8 sets too; keep one\n");
}

TEST(ParseMatrix, a_let_that_an_axis_sets_too_names_both_places) {
  EXPECT_EQ(below_head("axes:\n  tp: [1]\nlet: {tp: 1 + 1}\n"),
            "m.yaml:5:11: let sets 'tp', which axis 'tp' at m.yaml:4:8 sets too; keep one\n");
}

TEST(ParseMatrix, the_name_of_a_map_axis_must_be_unique) {
  EXPECT_EQ(below_head("axes:\n  isl: [1]\n  load: [{concurrency: 1}]\nlet: {load: isl}\n"),
            "m.yaml:5:3: axis 'load': let at m.yaml:6:13 sets a value of the same name; rename the "
            "axis\n");
}

TEST(ParseMatrix, values_of_an_axis_are_words_lists_or_maps) {
  EXPECT_EQ(
      below_head("axes:\n  a: [1, ~]\n  b: [[1], 2]\n  c: [{}]\n  d: [{e: [1]}]\n"),
      "m.yaml:4:10: axis 'a': a value is one word, a list of words or a map of parameters, not "
      "nothing\n"
      "m.yaml:6:7: axis 'c': a value is one word, a list of words or a map of parameters, not "
      "an empty map\n");
}

TEST(ParseMatrix, names_of_columns_must_not_be_reserved) {
  EXPECT_EQ(
      below_head("let:\n  order: 1\n  ttft_ms: 1\n  itl_ms_p99: 1\n  output_tps_per_user: 1\n  "
                 "run: 1\n  Max-Len: 1\n  1st: 1\n  itl_msx: 1\n"),
      "m.yaml:4:3: let 'order': this is a keyword of SQL; choose another name\n"
      "m.yaml:5:3: let 'ttft_ms': this is the name of a metric; choose another name\n"
      "m.yaml:6:3: let 'itl_ms_p99': this is the name of a metric; choose another name\n"
      "m.yaml:7:3: let 'output_tps_per_user': this is the name of a metric; choose another name\n"
      "m.yaml:8:3: let 'run': the view of results has a column of this name; choose another name\n"
      "m.yaml:9:3: let 'Max-Len': a name consists of a-z, 0-9 and _, begins with a letter and has "
      "at most "
      "64 characters; write 'max_len'\n"
      "m.yaml:10:3: let '1st': a name consists of a-z, 0-9 and _, begins with a letter and has at "
      "most 64 "
      "characters\n");
}

TEST(ParseMatrix, an_unknown_source_of_a_model_is_reported) {
  EXPECT_EQ(below_head("models: {\"a/b\": {source: \"hf:\"}}\n"),
            "m.yaml:3:10: model 'a/b': a name consists of letters, digits, '.', '_' and '-', "
            "begins with a "
            "letter or digit and has at most 64 "
            "characters\n"
            "m.yaml:3:26: model 'a/b': 'source' must be hf:OWNER/NAME, local:PATH, git:URL, "
            "url:ADDRESS or generate:SHAPE, not the value 'hf:'\n");
}

}  // namespace matrix_test
}  // namespace orch::matrix
