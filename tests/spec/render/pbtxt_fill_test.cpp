#include "spec/render/pbtxt_fill.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orch::render {
namespace pbtxt_fill_test {

using Values = std::map<std::string, std::string>;

// Warnings and remaining placeholders, then the text or every error.
std::string fill(const std::string& text, const Values& values,
                 std::optional<Release> release = {}) {
  const PbtxtTemplate from{.text = text, .file = "c.pbtxt", .release = release};
  const FilledPbtxt filled = fill_pbtxt(from, values);
  std::string out;
  for (const Error& warning : filled.warnings) out += "warning: " + warning.text() + "\n";
  for (const UnfilledKey& key : filled.unfilled)
    out += fmt::format("unfilled: {} {} [{}]\n", to_string(key.where), key.key, key.fallback);
  for (const std::string& key : filled.unknown)
    out += unknown_key(from, key, values.at(key)).text() + "\n";
  for (const Error& error : filled.errors) out += error.text() + "\n";
  return filled.errors.empty() && filled.unknown.empty() ? out + filled.text : out;
}

TEST(PbtxtFill, FillsAndReportsPlaceholdersWithoutValues) {
  EXPECT_EQ(
      fill("name: \"tensorrt_llm\"\nb: \"${max_beam_width}\"\nc: \"${own}\" d: \"${own}\"\ne: "
           "${triton_max_batch_size}\n",
           {{"triton_max_batch_size", "8"}}),
      "unfilled: c.pbtxt:2:5 max_beam_width [1]\n"
      "unfilled: c.pbtxt:3:5 own []\n"
      "name: \"tensorrt_llm\"\nb: \"${max_beam_width}\"\nc: \"${own}\" d: \"${own}\"\ne: 8\n");
}

TEST(PbtxtFill, OutsideQuotesAValueIsRequired) {
  EXPECT_EQ(fill("# \"\na: \"#'\\\"\" b: ${max_queue_size}\nc: '${x}\nd: ${own} ${own}\n", {}),
            "unfilled: c.pbtxt:3:5 x []\n"
            "c.pbtxt:2:14: ${max_queue_size} has no value and is outside quotes, where Triton "
            "cannot read it; add "
            "max_queue_size:VALUE, an integer from 0 on\n"
            "c.pbtxt:4:4: ${own} has no value and is outside quotes, where Triton cannot read it; "
            "add own:VALUE\n");
}

TEST(PbtxtFill, WithoutABackendTheModelDoesNotLoad) {
  EXPECT_EQ(
      fill("name: \"tensorrt_llm\"\nbackend: \"${triton_backend}\"\nt: \"${batching_strategy}\"",
           {{"triton_backend", ""}}),
      "c.pbtxt:2:11: triton_backend: without a value the model does not load; write "
      "triton_backend:VALUE, a text\n"
      "c.pbtxt:3:5: ${batching_strategy} has no value, and without one the model does not load; "
      "add batching_strategy:VALUE, "
      "inflight_fused_batching, inflight_batching, V1 or v1\n");
}

TEST(PbtxtFill, AKeyWithoutAPlaceholderHasASuggestionOrItsTemplates) {
  EXPECT_EQ(
      fill("name: \"postprocessing\"\na: \"${tokenizer_dir}\"", {{"tokenizer_dir", "/t"},
                                                                 {"max_queue_size", "0"},
                                                                 {"own", "1"},
                                                                 {"tokenizer_dri", "/"},
                                                                 {"skip_special_tokens", "1"}}),
      "c.pbtxt: there is no placeholder ${max_queue_size} for 'max_queue_size:0'; it belongs to "
      "the templates of tensorrt_llm from "
      "0.12 on; preprocessing, multimodal_encoders from 0.19 on; remove it here\n"
      "c.pbtxt: there is no placeholder ${own} for 'own:1'; remove it\n"
      "c.pbtxt: there is no placeholder ${skip_special_tokens} for 'skip_special_tokens:1'; the "
      "templates of postprocessing from "
      "0.11 on have it: this one is of another release, or filled already; remove the key\n"
      "c.pbtxt: there is no placeholder ${tokenizer_dri} for 'tokenizer_dri:/'; did you mean "
      "'tokenizer_dir'?\n");
  EXPECT_EQ(fill("name: \"x\"", {{"a", "1"}}),
            "c.pbtxt: there is no placeholder ${a} for 'a:1', nor any other; is the file filled "
            "already?\n");
}

TEST(PbtxtFill, InQuotesTheBackendReadsTheOriginalValue) {
  EXPECT_EQ(fill("a: \"${x}\" b: '${x}' # ${x}", {{"x", "it's \"a\\b\""}}),
            "a: \"it's \\\"a\\\\b\\\"\" b: 'it\\'s \"a\\\\b\"' # it's \"a\\b\"");
}

TEST(PbtxtFill, AValueThatWouldBreakTheTextIsAnError) {
  EXPECT_EQ(fill("# ${c}\na: ${x} \"${y}\" \"${z}\" ${e}",
                 {{"x", "1 }"}, {"y", "1\n2"}, {"z", "\xff"}, {"c", "1\n2"}, {"e", ""}}),
            "c.pbtxt:1:3: c: '1\\x0a2' has control characters; write the value on one line\n"
            "c.pbtxt:2:4: x: '1 }' is outside quotes, where only a number or a word can be read; "
            "write one\n"
            "c.pbtxt:2:10: y: '1\\x0a2' has control characters; write the value on one line\n"
            "c.pbtxt:2:17: z: '\\xff' is not UTF-8, which Triton does not read\n"
            "c.pbtxt:2:23: e: '' is outside quotes, where only a number or a word can be read; "
            "write one\n");
}

TEST(PbtxtFill, AKeyOnlyInACommentHasNoEffect) {
  EXPECT_EQ(fill("# ${a} ${b}\nc: ${a}", {{"a", "1"}, {"b", "2"}}),
            "warning: c.pbtxt:1:8: ${b} occurs only in a comment, so '2' has no effect; "
            "remove it\n# 1 2\nc: 1");
  EXPECT_EQ(fill("# ${a}", {}), "# ${a}");
}

TEST(PbtxtFill, ASilentDefaultIsAWarningAndAModelThatWouldNotLoadAnError) {
  EXPECT_EQ(
      fill("name: \"tensorrt_llm\"\na: \"${enable_kv_cache_reuse}\"\nb: ${decoupled_mode}\nc: "
           "\"${kv_cache_free_gpu_mem_fraction}\"\nd: \"${max_beam_width}\"",
           {{"enable_kv_cache_reuse", "yes"},
            {"decoupled_mode", "TRUE"},
            {"kv_cache_free_gpu_mem_fraction", "1.0"},
            {"max_beam_width", "4x"}}),
      "warning: c.pbtxt:2:5: enable_kv_cache_reuse: 'yes' would silently become the default: false "
      "(true from 0.19 "
      "on); write true, True, TRUE, 1, false, False, FALSE or 0\n"
      "warning: c.pbtxt:5:5: max_beam_width: '4x' would silently be read as 4; write an integer "
      "from 1 to 2147483647\n"
      "c.pbtxt:3:4: decoupled_mode: 'TRUE' keeps the model from loading; write true, True, t, 1, "
      "false, False, f or 0\n"
      "c.pbtxt:4:5: kv_cache_free_gpu_mem_fraction: '1.0' keeps the model from loading; write a "
      "number above 0 and below 1\n");
}

TEST(PbtxtFill, TheReleaseIsTakenFromThePlaceholders) {
  const std::string of_014 =
      "name: \"tensorrt_llm\"\na: \"${multi_block_mode}\" b: \"${cross_kv_cache_fraction}\" c: "
      "\"${decoding_mode}\"";
  const Values values = {{"multi_block_mode", "true"},
                         {"cross_kv_cache_fraction", "0.5"},
                         {"decoding_mode", "lookahead"}};
  const std::string without_effect =
      "warning: c.pbtxt:2:5: multi_block_mode: 'true' has no effect at 0.12 to 0.14, where the "
      "backend looks for 'multiBlockMode'; remove "
      "it\n";
  const std::string unknown =
      "warning: c.pbtxt:2:62: decoding_mode: 'lookahead' would silently become the default: "
      "top_k_top_p, or beam_search "
      "when max_beam_width is above 1;"
      " write top_k, top_p, top_k_top_p, beam_search or medusa\n";
  const std::string filled = "name: \"tensorrt_llm\"\na: \"true\" b: \"0.5\" c: \"lookahead\"";
  EXPECT_EQ(fill(of_014, values), without_effect + unknown + filled);
  EXPECT_EQ(fill(of_014, values, Release{0, 19}), filled);
  EXPECT_EQ(fill(of_014 + " ${cuda_graph_mode}", values).find(without_effect), std::string::npos);
}

TEST(PbtxtFill, TwoDollarsBecomeOne) { EXPECT_EQ(fill("a: \"$$x ${y\"", {}), "a: \"$x ${y\""); }

TEST(PbtxtFill, LineEndsAreUnchanged) {
  EXPECT_EQ(fill("a: ${x}\r\nb: \"${y}\"\r\n", {{"x", "1"}}),
            "unfilled: c.pbtxt:2:5 y []\na: 1\r\nb: \"${y}\"\r\n");
}

}  // namespace pbtxt_fill_test
}  // namespace orch::render
