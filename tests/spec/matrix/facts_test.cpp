// Facts of models and of the machine: read from files, stated in the matrix, absent or unknown.
#include "spec/matrix/support.hpp"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::matrix {
namespace facts_test {

using testing::ElementsAre;

Vocabulary toy_with_facts() {
  Vocabulary toy = toy_vocabulary();
  toy.rules.clear();
  toy.model_facts = {{.column = {.name = "model_heads", .type = Type::integer},
                      .keys = {"num_attention_heads", "n_head"}},
                     {.column = {.name = "model_positions", .type = Type::integer},
                      .keys = {"text_config.max_position_embeddings"}}};
  return toy;
}

Rule rule(std::string name, std::string require, std::string when = {}) {
  return {.name = std::move(name),
          .require = std::move(require),
          .because = "",
          .where = Location{"runner.yaml", 20, 5},
          .when = std::move(when),
          .when_where = Location{"runner.yaml", 21, 5}};
}

KnownFacts knowing(std::map<std::string, Value> values, bool complete) {
  KnownFacts facts;
  facts.models["m"] = {.values = std::move(values), .complete = complete};
  return facts;
}

Expanded below_head(const std::string& lines, const Vocabulary& vocabulary,
                    const KnownFacts& facts = {}, const std::string& where = {}) {
  return expanded(k_head + lines, vocabulary, {.where = where}, facts);
}

Point only(const Expanded& sweep) {
  EXPECT_EQ(text_of(sweep.errors), "");
  EXPECT_EQ(sweep.expansion.points.size(), 1u);
  return sweep.expansion.points.at(0);
}

std::string waiting(const Point& point) {
  std::string text;
  for (const auto& [reader, fact] : point.waiting) text += fmt::format("{}: {}\n", reader, fact);
  return text;
}

// --- reading

std::string read(const std::string& config) {
  const Vocabulary toy = toy_with_facts();
  const auto facts = read_model_facts(toy.model_facts, config, "config.json");
  if (!facts) return facts.error().text();
  std::string text = facts->complete ? "complete" : "incomplete";
  for (const auto& [name, value] : facts->values) text += fmt::format(" {}={}", name, value.text);
  return text;
}

TEST(ModelFacts, come_from_the_first_key_that_is_present) {
  EXPECT_EQ(
      read(
          R"({"num_attention_heads": 28, "n_head": 3, "text_config": {"max_position_embeddings": 4096}})"),
      "complete model_heads=28 model_positions=4096");
  EXPECT_EQ(read(R"({"num_attention_heads": null, "n_head": 3, "text_config": 5})"),
            "complete model_heads=3");
  EXPECT_EQ(read("{}"), "complete");
}

TEST(ModelFacts, of_a_wrong_type_or_not_in_json_are_errors) {
  EXPECT_EQ(read(R"({"n_head": "many"})"),
            "config.json: 'n_head': 'model_heads' must be a whole number, not 'many'");
  EXPECT_EQ(read(R"({"n_head": ["a"]})"),
            "config.json: 'n_head' must be one value for 'model_heads', not a list");
  EXPECT_EQ(read("[1]"),
            "config.json: this is not a JSON object, so it has no facts of the model; correct it");
  EXPECT_EQ(read("{"),
            "config.json: this is not a JSON object, so it has no facts of the model; correct it");
}

std::string read_at(const FactPlaces& places, const std::string& config) {
  const Vocabulary toy = toy_with_facts();
  const auto facts = read_model_facts(toy.model_facts, config, "config.json", places);
  if (!facts) return facts.error().text();
  std::string text;
  for (const auto& [name, value] : facts->values) text += name + "=" + value.text + " ";
  return text;
}

TEST(ModelFacts, come_from_the_objects_below_where_the_top_level_has_none) {
  const FactPlaces places{.below = {"text_config", "thinker_config.text_config"}};
  EXPECT_EQ(read_at(places, R"({"text_config": {"n_head": 3}})"), "model_heads=3 ");
  EXPECT_EQ(read_at(places, R"({"thinker_config": {"text_config": {"num_attention_heads": 5}}})"),
            "model_heads=5 ");
  EXPECT_EQ(read_at(places, R"({"n_head": 7, "text_config": {"num_attention_heads": 3}})"),
            "model_heads=7 ");
  EXPECT_EQ(read_at(places, R"({"talker_config": {"n_head": 7}, "text_config": [1]})"), "");
}

TEST(ModelFacts, come_from_the_class_of_the_model_where_its_file_has_none) {
  const FactPlaces places{.below = {"text_config"},
                          .kind = "model_type",
                          .defaults = {{"outer", {{"n_head", "2"}}}, {"inner", {{"n_head", "4"}}}}};
  EXPECT_EQ(read_at(places, R"({"model_type": "outer"})"), "model_heads=2 ");
  EXPECT_EQ(read_at(places, R"({"model_type": "outer", "text_config": {"model_type": "inner"}})"),
            "model_heads=4 ");
  EXPECT_EQ(read_at(places, R"({"model_type": "outer", "text_config": {"n_head": 6}})"),
            "model_heads=6 ");
  EXPECT_EQ(read_at(places, R"({"model_type": 5})"), "");
}

TEST(ModelFacts, of_lists_are_the_mean_and_bare_words_are_no_values) {
  EXPECT_EQ(read(R"({"n_head": [4, 4]})"), "complete model_heads=4");
  EXPECT_EQ(read(R"({"n_head": [4, 5]})"), "complete model_heads=4");
  EXPECT_EQ(read(R"({"n_head": true})"), "complete model_heads=1");
  EXPECT_EQ(read(R"({"limit": [0.0, Infinity], "x": -Infinity, "y": NaN, "n_head": 3})"),
            "complete model_heads=3");
  EXPECT_EQ(read(R"({"n_head": NaN, "s": "a \" Infinity"})"), "complete");
  EXPECT_EQ(with_member(R"({"a": Infinity})", "b", 5), R"({"a":null,"b":5})");
  EXPECT_EQ(with_member("[", "b", 5), "[");
}

TEST(ModelFacts, stated_in_the_matrix_are_typed_and_declared_by_the_runner) {
  EXPECT_EQ(
      text_of(expanded("name: x\nrunner: toy\nmodels: {m: {source: 'generate:n', facts: "
                       "{hedas: 2, heads: few, layers: "
                       "2}}}\ndefaults: {model: m, concurrency: 1}\n",
                       toy_with_facts())
                  .errors),
      "m.yaml:3:51: model 'm': runner 'toy' declares no fact 'hedas' of models; did you mean "
      "'heads'?\n"
      "m.yaml:3:61: model 'm': 'heads' must be a whole number, not 'few'\n"
      "m.yaml:3:74: model 'm': runner 'toy' declares no fact 'layers' of models; it has: heads, "
      "positions\n");
}

// --- in rules

TEST(Facts, a_known_fact_decides_a_rule_and_fills_its_message) {
  Vocabulary toy = toy_with_facts();
  toy.rules = {rule("heads", "model_heads % tp = 0 AND host_gpus >= tp")};
  toy.rules[0].because = "{model_heads} heads, {host_gpus} GPUs, tp {tp}";
  KnownFacts facts = knowing({{"model_heads", {Type::integer, "28"}}}, true);
  facts.host["host_gpus"] = {Type::integer, "8"};
  const Expanded sweep = below_head("axes: {tp: [4, 8, 14]}\n", toy, facts);
  ASSERT_EQ(sweep.expansion.points.size(), 3u) << text_of(sweep.errors);
  EXPECT_FALSE(sweep.expansion.points[0].is_rejected());
  EXPECT_EQ(sweep.expansion.points[1].rejections.front().why, "28 heads, 8 GPUs, tp 8");
  EXPECT_EQ(sweep.expansion.points[2].rejections.front().why, "28 heads, 8 GPUs, tp 14");
}

TEST(Facts, stated_in_the_matrix_must_agree_with_the_files_of_the_model) {
  Vocabulary toy = toy_with_facts();
  toy.rules = {rule("heads", "model_heads = 3")};
  const std::string yaml =
      "name: x\nrunner: toy\nmodels: {m: {source: 'generate:n', facts: {model_heads: "
      "3}}}\ndefaults: {model: m, concurrency: 1}\n";
  EXPECT_FALSE(only(expanded(yaml, toy)).is_rejected());
  EXPECT_FALSE(only(expanded(yaml, toy, {}, knowing({{"model_heads", {Type::integer, "3"}}}, true)))
                   .is_rejected());
  EXPECT_EQ(
      text_of(
          expanded(yaml, toy, {}, knowing({{"model_heads", {Type::integer, "28"}}}, true)).errors),
      "m.yaml:3:57: model 'm': 'facts' states model_heads 3, but its own files have 28; correct it "
      "or remove it\n");
}

TEST(Facts, a_rule_that_reads_an_unknown_fact_waits_even_inside_coalesce) {
  Vocabulary toy = toy_with_facts();
  toy.rules = {rule("a", "coalesce(model_heads, 8) % tp = 0"),
               rule("b", "half > 1 OR host_gpus > 0"), rule("c", "tp = 1")};
  const Expanded sweep = below_head("let: {half: model_positions / 2.0}\n", toy);
  EXPECT_EQ(waiting(only(sweep)),
            "rule 'a': model_heads\nrule 'b': host_gpus\nrule 'b': model_positions\n");
  EXPECT_THAT(only(sweep).unknown, ElementsAre("half"));
  EXPECT_EQ(value_of(only(sweep), "half"), "{half}");
}

TEST(Facts, a_let_that_reads_an_unknown_fact_is_unknown_and_so_are_its_readers) {
  const Expanded sweep = below_head(
      "let:\n  gpu: \"'on ' || host_gpu_model\"\n  note: gpu || '!'\n  size: CASE WHEN gpu = 'a' "
      "THEN 1 ELSE 'b' END\n",
      toy_with_facts());
  EXPECT_THAT(only(sweep).unknown, ElementsAre("gpu", "size", "note"));
  EXPECT_EQ(value_of(only(sweep), "gpu"), "{gpu}");
  EXPECT_EQ(value_of(only(sweep), "size"), "{size}");
}

TEST(Facts, the_value_of_a_fact_is_not_expanded_again) {
  Vocabulary toy = toy_with_facts();
  toy.rules = {rule("a", "host_gpus = 0")};
  toy.rules[0].because = "{host_gpu_model} is no {host_gpu_model}, {tp}";
  KnownFacts facts;
  facts.host["host_gpus"] = {Type::integer, "8"};
  facts.host["host_gpu_model"] = {Type::text, "x{host_gpu_model}"};
  EXPECT_EQ(only(below_head("", toy, facts)).rejections.front().why,
            "x{host_gpu_model} is no x{host_gpu_model}, 1");
}

TEST(Facts, a_broken_rule_rejects_even_if_another_rule_waits) {
  Vocabulary toy = toy_with_facts();
  toy.rules = {rule("a", "model_heads > 1"), rule("b", "tp = 2")};
  EXPECT_EQ(only(below_head("", toy)).rejections.front().rule, "b");
}

TEST(Facts, a_fact_known_to_be_absent_is_null) {
  Vocabulary toy = toy_with_facts();
  toy.rules = {rule("a", "model_heads > 1")};
  EXPECT_EQ(text_of(below_head("", toy, knowing({}, true)).errors),
            "runner.yaml:20:5: rule 'a': it is NULL, because 'model_heads' has no value; the files "
            "of model 'm' have no num_attention_heads or n_head, "
            "so state it: models: m: facts: {heads: VALUE} (point x)\n");
  toy.rules = {rule("a", "model_heads > 1", "model_heads IS NOT NULL")};
  EXPECT_FALSE(only(below_head("", toy, knowing({}, true))).is_rejected());
}

TEST(Facts, with_a_default_for_absence_take_it_once_the_model_has_any_known_facts) {
  Vocabulary toy = toy_with_facts();
  toy.model_facts[1].absent = Value{Type::integer, "0"};
  toy.rules = {rule("few", "model_positions > 0")};
  const std::string stated =
      "name: x\nrunner: toy\nmodels: {m: {source: 'generate:n', facts: {heads: 3}}}\ndefaults: "
      "{model: m, concurrency: 1}\n";
  EXPECT_EQ(waiting(only(below_head("", toy))), "rule 'few': model_positions\n");
  EXPECT_TRUE(only(below_head("", toy, knowing({}, true))).is_rejected());
  EXPECT_FALSE(only(below_head("", toy, knowing({{"model_positions", {Type::integer, "9"}}}, true)))
                   .is_rejected());
  EXPECT_TRUE(only(expanded(stated, toy)).is_rejected());
  EXPECT_FALSE(
      only(expanded(stated, toy, {}, knowing({{"model_positions", {Type::integer, "9"}}}, true)))
          .is_rejected())
      << "the files of the model override the default";
}

TEST(Facts, an_error_about_null_names_the_missing_fact_and_no_optional_value) {
  Vocabulary toy = toy_with_facts();
  toy.rules = {rule("cool", "share + iif(note IS NULL, 1, 2) < 9")};
  EXPECT_EQ(
      text_of(below_head("let: {share: model_positions / 2}\n", toy, knowing({}, true)).errors),
      "runner.yaml:20:5: rule 'cool': it is NULL, because 'model_positions' has no value; the "
      "files of model 'm' have no "
      "text_config.max_position_embeddings, so state it: models: m: facts: {positions: VALUE} "
      "(point x)\n");
}

TEST(Facts, stated_in_the_matrix_count_if_the_files_lack_them) {
  Vocabulary toy = toy_with_facts();
  toy.model_facts[0].absent = Value{Type::integer, "0"};
  toy.rules = {rule("heads", "model_heads = 3")};
  const std::string stated =
      "name: x\nrunner: toy\nmodels: {m: {source: 'generate:n', facts: {positions: 1, heads: "
      "3}}}\ndefaults: {model: m, concurrency: 1}\n";
  EXPECT_FALSE(only(expanded(stated, toy, {}, knowing({}, true))).is_rejected());
}

TEST(Facts, a_rule_is_evaluated_only_where_its_when_is_true) {
  Vocabulary toy = toy_with_facts();
  toy.rules = {rule("a", "note > 1 AND 0", "tp > 1"), rule("b", "0", "model_heads > 1 AND tp = 1")};
  EXPECT_EQ(waiting(only(below_head("", toy))), "rule 'b': model_heads\n");
  toy.rules = {rule("c", "1", "note = 'a'")};
  EXPECT_EQ(text_of(below_head("", toy).errors),
            "runner.yaml:21:5: 'when' of rule 'c': it is NULL, because 'note' has no value; write "
            "note IS NOT NULL AND ... (point x)\n");
}

// --- elsewhere

TEST(Facts, a_waiting_default_has_its_name_as_value_and_a_written_value_does_not_wait) {
  Vocabulary toy = toy_with_facts();
  toy.parameters[9] = {
      .name = "temperature", .type = Type::real, .fallback_sql = "model_heads / 2.0"};
  toy.rules = {rule("cool", "temperature < 9")};
  const Expanded sweep = below_head("axes: {load: [{tp: 1}, {temperature: 0.5}]}\n", toy);
  ASSERT_EQ(sweep.expansion.points.size(), 2u) << text_of(sweep.errors);
  const Point &open = sweep.expansion.points[0], &set = sweep.expansion.points[1];
  EXPECT_EQ(value_of(open, "temperature"), "{temperature}");
  EXPECT_THAT(open.unknown, ElementsAre("temperature"));
  EXPECT_EQ(waiting(open),
            "default of parameter 'temperature': model_heads\nrule 'cool': model_heads\n");
  EXPECT_EQ(value_of(set, "temperature"), "0.5");
  EXPECT_TRUE(set.unknown.empty());
  EXPECT_EQ(waiting(set), "");
  EXPECT_EQ(
      value_of(only(below_head("", toy, knowing({{"model_heads", {Type::integer, "3"}}}, true))),
               "temperature"),
      "1.5");
}

std::vector<std::string> names(const Expanded& sweep) {
  std::vector<std::string> out;
  for (const Point& point : sweep.expansion.points) out.push_back(point.name);
  return out;
}

TEST(Facts, never_change_the_name_of_a_point) {
  Vocabulary toy = toy_with_facts();
  toy.parameters[9] = {
      .name = "temperature", .type = Type::real, .fallback_sql = "batch_size / 2.0"};
  const std::string lines =
      "axes: {tp: [1, 2], load: [{pp: 1}, {batch_size: 3}, {batch_size: 4}]}\nlet: {half: "
      "model_heads / 2, batch_size: half}\n";
  const Expanded open = below_head(lines, toy);
  EXPECT_EQ(text_of(open.errors), "");
  EXPECT_THAT(open.expansion.points.at(0).unknown,
              ElementsAre("half", "batch_size", "temperature"));
  const std::vector<std::string> before = names(open);
  EXPECT_EQ(std::set<std::string>(before.begin(), before.end()).size(), 6u);
  for (const char* heads : {"6", "8", "10"})
    EXPECT_EQ(
        names(below_head(lines, toy, knowing({{"model_heads", {Type::integer, heads}}}, true)))
            .front(),
        before.front());
  EXPECT_EQ(names(below_head(lines, toy, knowing({{"model_heads", {Type::integer, "10"}}}, true))),
            before);
}

TEST(Facts, are_left_out_of_a_point_name_only_where_they_are_read) {
  Vocabulary toy = toy_with_facts();
  const auto name = [&](const std::string& lines) { return only(below_head(lines, toy)).name; };
  EXPECT_EQ(name("let: {batch_size: model_heads}\n"), name("let: {batch_size: model_heads + 1}\n"));
  EXPECT_NE(name("let: {batch_size: model_heads, tp: 2}\n"),
            name("let: {batch_size: model_heads, tp: 3}\n"));
  EXPECT_NE(name("let: {batch_size: 2, n: model_heads}\n"),
            name("let: {batch_size: 3, n: model_heads}\n"));
}

TEST(Facts, exclude_and_where_keep_points_that_wait) {
  const Expanded sweep = below_head("axes: {tp: [1, 2]}\nexclude: [model_heads < 4, tp = 2]\n",
                                    toy_with_facts(), {}, "host_gpus > 1");
  EXPECT_EQ(value_of(only(sweep), "tp"), "1");
  EXPECT_EQ(waiting(only(sweep)), "exclude: model_heads\n--where: host_gpus\n");
  EXPECT_EQ(sweep.expansion.excluded, 1u);
}

TEST(Facts, a_question_that_waits_has_no_answer) {
  Vocabulary toy = toy_with_facts();
  toy.questions = {
      {.what = "'gpus' of stage 'serve'",
       .sql = "min(tp, host_gpus)",
       .where = {},
       .answer = Question::Answer::number,
       .may_read_all = true},
      {.what = "'when' of stage 'build'", .sql = "tp > 0", .where = {}, .may_read_all = true}};
  const Expanded sweep = below_head("", toy);
  EXPECT_TRUE(std::isnan(only(sweep).answers.at(0)));
  EXPECT_EQ(only(sweep).answers.at(1), 1);
  EXPECT_EQ(waiting(only(sweep)), "'gpus' of stage 'serve': host_gpus\n");
}

TEST(Facts, warmup_and_provide_wait_for_unknown_facts) {
  Vocabulary toy = toy_with_facts();
  toy.stages = {"build"};
  const Expanded sweep = below_head(
      "measure: {warmup: model_heads}\nprovide: {build: {path: p, when: model_heads = 2}}\n", toy);
  EXPECT_EQ(waiting(only(sweep)),
            "measure.warmup: model_heads\n'when' of provide 'build': model_heads\n");
  EXPECT_TRUE(only(sweep).provided.empty());
}

TEST(Facts, belong_to_each_model_separately) {
  Vocabulary toy = toy_with_facts();
  toy.rules = {rule("heads", "model_heads > 4")};
  const Expanded sweep = expanded(
      "name: x\nrunner: toy\nmodels: {a: {source: 'generate:a', facts: {heads: 8}}, b: {source: "
      "'generate:b', facts: {heads: 2}}, c: "
      "{source: 'generate:c'}}\n"
      "defaults: {concurrency: 1}\naxes: {model: [a, b, c], tp: [1, 2]}\n",
      toy);
  std::string text;
  for (const Point& point : sweep.expansion.points)
    text += fmt::format("{}{}{} ", point.model, point.is_rejected() ? " rejected" : "",
                        point.waiting.empty() ? "" : " waits");
  EXPECT_EQ(text, "a a b rejected b rejected c waits c waits ") << text_of(sweep.errors);
}

TEST(Facts, of_a_computed_model_are_those_of_the_model_it_names) {
  Vocabulary toy = toy_with_facts();
  toy.rules = {rule("heads", "model_heads > 4")};
  const std::string head =
      "name: x\nrunner: toy\nmodels: {m1: {source: 'generate:a', facts: {heads: 8}}, m2: {source: "
      "'generate:b', facts: {heads: "
      "2}}}\ndefaults: {concurrency: 1}\n";
  const Expanded sweep = expanded(head + "axes: {tp: [1, 2]}\nlet: {model: \"'m' || tp\"}\n", toy);
  ASSERT_EQ(sweep.expansion.points.size(), 2u) << text_of(sweep.errors);
  EXPECT_FALSE(sweep.expansion.points[0].is_rejected());
  EXPECT_TRUE(sweep.expansion.points[1].is_rejected());
  EXPECT_EQ(text_of(expanded(head + "let:\n  model: \"'m' || n\"\n  n: model_heads\n", toy).errors),
            "m.yaml:6:11: let 'model': it names the model, so it cannot depend on 'model_heads', a "
            "fact of that model; write it without facts of "
            "models\n");
}

TEST(Facts, that_are_unknown_cannot_choose_a_model) {
  Vocabulary toy = toy_with_facts();
  toy.rules = {rule("heads", "model_heads > 4")};
  const std::string matrix =
      "name: x\nrunner: toy\nmodels: {m8: {source: 'generate:a', facts: {heads: 8}}}\ndefaults: "
      "{concurrency: 1}\naxes: {tp: [1, 2]}\n"
      "let: {model: \"'m' || host_gpus\"}\n";
  EXPECT_EQ(errors_of(matrix, toy),
            "m.yaml:6:15: let 'model': it waits for 'host_gpus', and a point cannot be planned "
            "without its model; state the fact under 'machine' (point tp1 and 1 more)\n");
  KnownFacts facts;
  facts.host["host_gpus"] = {Type::integer, "8"};
  EXPECT_EQ(expanded(matrix, toy, {}, facts).expansion.points.at(1).model, "m8");
}

TEST(Facts, reserve_their_names_against_lets) {
  EXPECT_EQ(text_of(below_head("let: {host_gpus: 8}\n", toy_with_facts()).errors),
            "m.yaml:5:18: let 'host_gpus': this is the name of a fact; choose another name\n");
}

}  // namespace facts_test
}  // namespace orch::matrix
