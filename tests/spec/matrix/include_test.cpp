// Axes that advance together, axes whose values set different parameters, and partial points.
#include "spec/matrix/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::matrix {
namespace include_test {

using testing::ElementsAre;

std::vector<std::string> points(const std::string& lines, const std::vector<std::string>& columns,
                                const Vocabulary& vocabulary = toy_vocabulary()) {
  const Expanded sweep = expanded(k_head + lines, vocabulary);
  EXPECT_EQ(text_of(sweep.errors), "");
  std::vector<std::string> out;
  for (const Point& point : sweep.expansion.points) {
    std::string line;
    for (const std::string& column : columns)
      line += (line.empty() ? "" : " ") +
              (value_of(point, column).empty() ? "-" : value_of(point, column));
    out.push_back(line);
  }
  return out;
}

std::string errors_below(const std::string& lines,
                         const Vocabulary& vocabulary = toy_vocabulary()) {
  return errors_of(k_head + lines, vocabulary);
}

std::vector<std::string> labels(const std::string& lines) {
  std::vector<std::string> out;
  for (const Point& point : expanded(k_head + lines).expansion.points)
    out.push_back(point.name.substr(0, point.name.size() - 7));
  return out;
}

// --- zip

TEST(Zip, advances_its_axes_together_at_the_position_of_the_first) {
  EXPECT_THAT(points("axes: {isl: [1, 2], tp: [1, 2], osl: [3, 4]}\nzip: [isl, osl]\n",
                     {"isl", "osl", "tp"}),
              ElementsAre("1 3 1", "1 3 2", "2 4 1", "2 4 2"));
  EXPECT_THAT(labels("axes: {isl: [1, 2], osl: [3, 4]}\nzip: [osl, isl]\n"),
              ElementsAre("osl3_isl1", "osl4_isl2"));
}

TEST(Zip, accepts_several_groups_and_map_axes) {
  EXPECT_THAT(points("axes: {isl: [1, 2], osl: [3, 4], par: [{tp: 1, pp: 2}, {tp: 2, pp: 1}], "
                     "batch_size: [7, 8]}\nzip: [[isl, osl], [par, "
                     "batch_size]]\n",
                     {"isl", "osl", "tp", "pp", "batch_size"}),
              ElementsAre("1 3 1 2 7", "1 3 2 1 8", "2 4 1 2 7", "2 4 2 1 8"));
}

TEST(Zip, refuses_axes_that_cannot_advance_together) {
  EXPECT_EQ(errors_below("axes: {isl: [1, 2], osl: [3, 4, 5]}\nzip: [isl, osl]\n"),
            "m.yaml:6:12: zip: axis 'isl' has 2 values and axis 'osl' has 3; give both the same "
            "number\n");
  EXPECT_EQ(errors_below("axes: {isl: [1], osl: [3]}\nzip: [[isl, oslo], [isl, osl], [tp], osl]\n"),
            "m.yaml:6:13: zip: 'oslo' is not an axis; did you mean 'osl'?\n"
            "m.yaml:6:21: zip: axis 'isl' is named twice; keep it in one group\n"
            "m.yaml:6:33: zip: 'tp' is not an axis\n"
            "m.yaml:6:38: 'zip' mixes lists and the value 'osl'; write zip: [isl, osl] or zip: "
            "[[isl, osl], [tp, pp]]\n");
  EXPECT_EQ(errors_below("axes: {isl: [1]}\nzip: [isl]\n"),
            "m.yaml:6:6: zip: a single axis has nothing to advance with; name two axes or more: "
            "[isl, osl]\n");
}

TEST(Zip, adds_no_error_for_a_faulty_axis) {
  EXPECT_EQ(
      errors_below("axes: {isl: [1, 2], osl: 3}\nzip: [isl, osl]\n"),
      "m.yaml:5:26: axis 'osl' must be a list of values, not the value '3'; write osl: [3]\n");
}

TEST(Axis, without_brackets_or_commas_is_shown_as_the_list_that_was_meant) {
  for (const char* words : {"1 4 8", "1, 4, 8", "1,4 8,"})
    EXPECT_EQ(errors_below(fmt::format("axes:\n  isl: {}\n", words)),
              fmt::format("m.yaml:6:8: axis 'isl' must be a list of values, not the value '{}'; "
                          "write isl: [1, 4, 8]\n",
                          words));
}

// --- axes whose values set different parameters

TEST(PartialAxis, an_unset_parameter_has_its_value_without_the_axis) {
  EXPECT_THAT(points("axes: {load: [{concurrency: 8}, {temperature: 0.5}]}\n",
                     {"concurrency", "temperature", "num_prompts"}),
              ElementsAre("8 0.0 80", "2 0.5 20"));
  EXPECT_THAT(labels("axes: {load: [{concurrency: 8}, {temperature: 0.5}]}\n"),
              ElementsAre("c8", "t0.5"));
}

TEST(PartialAxis, a_let_computes_a_parameter_that_the_axis_leaves_unset) {
  EXPECT_THAT(points("axes: {load: [{osl: 5}, {isl: 7}]}\nlet: {osl: isl * 2}\n", {"isl", "osl"}),
              ElementsAre("128 5", "7 14"));
}

TEST(PartialAxis, an_optional_parameter_may_have_no_value) {
  Vocabulary toy = toy_vocabulary();
  toy.parameters[12].optional = true;  // note
  toy.read.push_back("note");
  EXPECT_THAT(points("axes: {load: [{tp: 1}, {note: a}]}\n", {"tp", "note"}, toy),
              ElementsAre("1 -", "1 a"));
}

TEST(PartialAxis, a_value_without_a_required_parameter_is_an_error_at_its_place) {
  Vocabulary toy = toy_vocabulary();
  toy.read.push_back("note");
  EXPECT_EQ(errors_below("axes: {load: [{note: a}, {tp: 1}]}\n", toy),
            "m.yaml:5:26: axis 'load': this value leaves out 'note', and runner 'toy' has no "
            "default for it; write note: VALUE here or "
            "under 'defaults'\n");
}

TEST(PartialAxis, merges_equal_points) {
  EXPECT_THAT(points("axes: {load: [{concurrency: 2}, {temperature: 0.00}, {tp: 2}]}\n",
                     {"concurrency", "temperature", "tp"}),
              ElementsAre("2 0.0 1", "2 0.0 2"));
}

// --- include

TEST(Include, expands_over_the_axes_that_it_leaves_out) {
  EXPECT_THAT(points("axes: {isl: [1, 2], tp: [1]}\ninclude: [{tp: 4}]\n", {"isl", "tp"}),
              ElementsAre("1 1", "2 1", "1 4", "2 4"));
}

TEST(Include, naming_one_parameter_of_a_map_axis_replaces_all_of_it) {
  EXPECT_THAT(
      points("axes: {par: [{tp: 2, pp: 3}], isl: [1]}\ninclude: [{tp: 4}]\n", {"tp", "pp", "isl"}),
      ElementsAre("2 3 1", "4 1 1"));
  EXPECT_THAT(points("axes: {isl: [1, 2], osl: [3, 4]}\nzip: [isl, osl]\ninclude: [{isl: 9}]\n",
                     {"isl", "osl"}),
              ElementsAre("1 3", "2 4", "9 16"));
}

TEST(Include, is_not_subject_to_exclude) {
  EXPECT_THAT(
      points("axes: {tp: [1, 2]}\nexclude: [tp > 1]\ninclude: [{tp: 2}, {tp: 3}]\n", {"tp"}),
      ElementsAre("1", "2", "3"));
}

TEST(Include, merges_equal_points_in_any_notation) {
  EXPECT_THAT(points("axes: {isl: [128, 2], temperature: [0.50]}\ninclude: [{isl: 128}, {isl: 2, "
                     "temperature: 0.5}, {isl: 3}, {isl: 3, osl: 16}]\n",
                     {"isl"}),
              ElementsAre("128", "2", "3"));
}

TEST(Include, overrides_lets_and_defaults) {
  EXPECT_THAT(
      points("let: {osl: isl + 1}\ninclude: [{osl: 5, concurrency: 9}]\n", {"osl", "concurrency"}),
      ElementsAre("129 2", "5 9"));
}

TEST(Include, names_points_by_the_axes_and_by_the_parameters_of_the_entry) {
  EXPECT_THAT(labels("axes: {isl: [1], tp: [1]}\ninclude: [{isl: 9}, {osl: 4, tp: 2}]\n"),
              ElementsAre("isl1_tp1", "isl9_tp1", "isl1_tp2_osl4"));
}

TEST(Include, entries_must_be_maps_of_known_parameters_and_valid_values) {
  EXPECT_EQ(
      errors_below("include: [{precison: q8_0}, {isl: [1, 2]}, {}, tp, {isl: 0, precison: x}]\n"),
      "m.yaml:5:22: unknown parameter 'precison' of runner 'toy'; did you mean 'precision'?\n"
      "m.yaml:5:35: 'isl' must be one value of type integer, not a list; several values are an "
      "axis, or one entry each\n"
      "m.yaml:5:44: an entry of include must be a map of parameters, not an empty one; write {tp: "
      "1}\n"
      "m.yaml:5:48: an entry of include must be a map of parameters, not the value 'tp'; write "
      "{tp: 1}\n"
      "m.yaml:5:58: 'isl' must be at least 1, not 0\n"
      "m.yaml:5:71: unknown parameter 'precison' of runner 'toy'; did you mean 'precision'?\n");
}

TEST(Include, counts_against_the_limit_of_points) {
  const std::string yaml =
      k_head + "axes: {isl: [1, 2, 3], osl: [1, 2]}\ninclude: [{tp: 2}, {osl: 3}]\n";
  EXPECT_EQ(text_of(expanded(yaml, toy_vocabulary(), {.points = 14, .where = {}}).errors),
            "m.yaml:5:8: the axes give 3 x 2 = 6 points and 'include' 9 more, together 15 points, "
            "but at most 14 are planned; shorten an axis or write limits: "
            "{points: 15}\n");
  EXPECT_EQ(expanded(yaml, toy_vocabulary(), {.points = 15, .where = {}}).expansion.points.size(),
            15u);
  EXPECT_EQ(expanded(yaml + "limits: {points: 15}\n", toy_vocabulary(), {.points = 1, .where = {}})
                .expansion.points.size(),
            15u);
}

}  // namespace include_test
}  // namespace orch::matrix
