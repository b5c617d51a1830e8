#include "spec/render/model_keys.hpp"

#include "core/base/text.hpp"
#include "spec/render/fill_script.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::render {
namespace model_keys_test {

struct Row {
  const char* key;
  const char* value;
  const char* message;  // "": nothing; "!": the model does not load
};

constexpr const char* k_flag =
    "would silently become the default: true; write true, True, TRUE, 1, false, "
    "False, FALSE or 0";
constexpr const char* k_ids =
    "would silently become the default: all visible GPUs; write ids with "
    "commas between them, such as 0,1, and "
    "';' between instances";
constexpr const char* k_tree =
    "would silently become the default: the choices of mc_sim_7b_63; write "
    "branches such as {0},{0,0},{1}";

const Row k_rows[] = {
    {"decoupled_mode", "t", ""},
    {"decoupled_mode", "0", ""},
    {"decoupled_mode", "TRUE", "!"},
    {"decoupled_mode", "yes", "!"},
    {"decoupled_mode", "", "!"},
    {"normalize_log_probs", "TRUE", ""},
    {"normalize_log_probs", "0", ""},
    {"normalize_log_probs", "t", k_flag},
    {"normalize_log_probs", "Yes", k_flag},
    {"triton_max_batch_size", "64", ""},
    {"triton_max_batch_size", "0", "!"},
    {"triton_max_batch_size", "064", "!"},
    {"triton_max_batch_size", "6.4", "!"},
    {"triton_max_batch_size", "2147483648", "!"},
    {"max_queue_delay_microseconds", "18446744073709551615", ""},
    {"max_queue_delay_microseconds", "-1", "!"},
    {"max_queue_size", "4294967296", "!"},
    {"max_beam_width", "0", "!"},
    {"max_beam_width", "1.5", "would silently be read as 1; write an integer from 1 to 2147483647"},
    {"max_beam_width", "two",
     "would silently become the default: 1; write an integer from 1 to "
     "2147483647"},
    {"max_beam_width", "99999999999",
     "would silently become the default: 1; write an integer from 1 to "
     "2147483647"},
    {"gpu_weights_percent", "0.5", ""},
    {"gpu_weights_percent", "50", "!"},
    {"gpu_weights_percent", "50%", "would silently be read as 50; write a number from 0 to 1"},
    {"kv_cache_free_gpu_mem_fraction", "0.95", ""},
    {"kv_cache_free_gpu_mem_fraction", "0", "!"},
    {"kv_cache_free_gpu_mem_fraction", "nan",
     "would silently be read as nan; write a number above 0 and below 1"},
    {"batching_strategy", "V1", ""},
    {"batching_strategy", "inflight", "!"},
    {"batch_scheduler_policy", "max_utilization", ""},
    {"batch_scheduler_policy", "max_utilisation",
     "would silently become the default: guaranteed_no_evict; did you mean "
     "'max_utilization'?"},
    {"logits_datatype", "TYPE_BF16", ""},
    {"logits_datatype", "TYPE_INVALID", "!"},
    {"logits_datatype", "float16", "!"},
    {"gpu_device_ids", "0,1;2,3", ""},
    {"gpu_device_ids", "0", ""},
    {"gpu_device_ids", "0,a", k_ids},
    {"gpu_device_ids", "0;;1", k_ids},
    {"max_attention_window_size", "1024,2048", ""},
    {"max_attention_window_size", "0", "!"},
    {"medusa_choices", "{0}, {0, 0}, {1}", ""},
    {"medusa_choices", "{0}{1}", k_tree},
    {"medusa_choices", "{0}, ", k_tree},
    {"medusa_choices", "[0]", k_tree},
    {"medusa_choices", "{}", k_tree},
    {"add_special_tokens", "Yes", ""},
    {"add_special_tokens", "on",
     "would silently become the default: true (false up to 0.10); write true, "
     "false, 1, 0, t, f, y, n, yes or no"},
    {"engine_dir", "/any thing:at,all", ""},
};

TEST(ModelKeys, ValuesAreCheckedAgainstTheRowOfTheirKey) {
  for (const Row& row : k_rows) {
    const ModelKey* key = find_model_key(row.key, "tensorrt_llm");
    ASSERT_NE(key, nullptr) << row.key;
    const auto finding = check_value(*key, row.value, {});
    const std::string message = !finding         ? ""
                                : finding->loads ? finding->message
                                                 : "error " + finding->message;
    if (*row.message == '!')
      EXPECT_THAT(message, testing::StartsWith(
                               fmt::format("error '{}' keeps the model from loading; ", row.value)))
          << row.key;
    else
      EXPECT_EQ(message, *row.message ? fmt::format("'{}' {}", row.value, row.message) : "")
          << row.key << ":" << row.value;
  }
}

TEST(ModelKeys, EveryRowIsValidAndUnique) {
  std::set<std::string> seen;
  for (const ModelKey& row : model_keys()) {
    EXPECT_TRUE(is_placeholder_name(row.key)) << row.key;
    EXPECT_LT(row.since, row.until) << row.key;
    EXPECT_LE(row.least, row.most) << row.key;
    EXPECT_FALSE(expected(row, {}).empty()) << row.key;
    for (const std::string& model : split(row.models, ' '))
      EXPECT_TRUE(seen.insert(fmt::format("{} {}", row.key, model)).second)
          << row.key << " has two rows for " << model;
  }
}

TEST(ModelKeys, PlaceholdersDetermineTheRangeOfReleases) {
  const auto range = [](const std::vector<std::string>& keys) {
    const Releases releases = releases_with("tensorrt_llm", keys);
    return to_string(releases.first) + " " + to_string(releases.end);
  };
  EXPECT_EQ(range({"participant_ids"}), "0.13 0.14");
  EXPECT_EQ(range({"cuda_graph_mode"}), "0.15 0.16");
  EXPECT_EQ(range({"prompt_embedding_table_data_type"}),
            fmt::format("1.0 {}.0", std::numeric_limits<int>::max()));
  EXPECT_EQ(range({"max_kv_cache_length"}), "0.6 0.7");
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  char block[4096];
  for (std::size_t count; pipe && (count = std::fread(block, 1, sizeof block, pipe)) > 0;)
    text.append(block, count);
  if (pipe) pclose(pipe);
  return text;
}

// For every release of upstream.
TEST(ModelKeys, MatchThePlaceholdersOfUpstreamsTemplates) {
  const char* upstream = std::getenv("ORCH_UPSTREAM");
  if (!upstream) GTEST_SKIP() << "ORCH_UPSTREAM names no git folder of tensorrtllm_backend";
  const std::string git =
      fmt::format("G='{0}'; [ -d \"$G/.git\" ] && G=\"$G/.git\"; git --git-dir=\"$G\" ", upstream);
  std::size_t templates = 0;
  for (int minor = 5; minor <= 19; ++minor) {
    const Release release{0, minor};
    for (const std::string& path :
         split(output_of(fmt::format("{}ls-tree -r --name-only v0.{}.0 all_models", git, minor)),
               '\n')) {
      const std::vector<std::string> parts = split(path, '/');
      if (!path.ends_with("config.pbtxt") || parts.size() < 4 || parts[1] == "gpt" ||
          parts[1] == "llmapi")
        continue;
      ++templates;
      const std::string& model = parts[2];
      std::set<std::string> keys;
      for (const Placeholder& placeholder :
           find_placeholders(output_of(fmt::format("{}show v0.{}.0:{}", git, minor, path))))
        keys.insert(placeholder.name);
      for (const std::string& key : keys) {
        const ModelKey* row = find_model_key(key, model);
        EXPECT_TRUE(row && has_model(*row, model) && row->since <= release && release < row->until)
            << path << " of 0." << minor << " has " << key;
      }
      if (parts[1] != "inflight_batcher_llm") continue;
      const Releases releases =
          releases_with(model, std::vector<std::string>(keys.begin(), keys.end()));
      EXPECT_TRUE(releases.first <= release && release < releases.end)
          << path << " of 0." << minor << " is taken for " << to_string(releases.first) << " to "
          << to_string(releases.end);
      for (const ModelKey& row : model_keys()) {
        const bool expected_here =
            has_model(row, model) && row.since <= release && release < row.until;
        EXPECT_TRUE(!expected_here || keys.contains(std::string(row.key)))
            << path << " of 0." << minor << " lacks " << row.key;
      }
    }
  }
  EXPECT_GT(templates, 60u);
}

}  // namespace model_keys_test
}  // namespace orch::render
