// A LoRA adapter: its weights travel once to each server, later requests name it.
#include "bench/load/bench.hpp"
#include "bench/load/bench_all.hpp"
#include "bench/protocol/npy_files.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "bench/record/record_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::load {
namespace adapter_test {

using testing::HasSubstr;
using truth::Server;

constexpr const char* k_config =
    R"({"name":"ensemble","max_batch_size":8,"platform":"ensemble","input":[
    {"name":"text_input","data_type":"TYPE_STRING","dims":[1]},
    {"name":"max_tokens","data_type":"TYPE_INT32","dims":[1]},
    {"name":"lora_task_id","data_type":"TYPE_UINT64","dims":[1],"optional":true},
    {"name":"lora_weights","data_type":"TYPE_FP16","dims":[-1,-1],"optional":true},
    {"name":"lora_config","data_type":"TYPE_INT32","dims":[-1,3],"optional":true}],
    "model_transaction_policy":{"decoupled":true}})";

std::shared_ptr<const protocol::NpyArray> array_of(const std::string& text) {
  return std::make_shared<const protocol::NpyArray>(*protocol::read_npy(text, "a.npy"));
}

BenchOptions options(std::vector<std::string> urls) {
  BenchOptions out = one_at_a_time("", 4);
  out.urls = std::move(urls);
  out.warmup = 2;
  out.first_request = true;
  out.sampling.lora_task_id = 7;
  out.adapter = {
      {"lora_weights", array_of(protocol::npy("<f2", "(1, 1, 2)", std::string("\0\x3c\0\xc1", 4)))},
      {"lora_config",
       array_of(protocol::npy("<i4", "(1, 1, 3)", std::string("\1\0\0\0\0\0\0\0\2\0\0\0", 12)))}};
  return out;
}

prompt::PromptSet prompts() {
  prompt::PromptSet set;
  for (int i = 0; i < 8; ++i) {
    set.warmup.push_back({.text_input = "warm " + std::to_string(i), .isl = 3});
    set.measured.push_back({.text_input = "prompt " + std::to_string(i), .isl = 3});
  }
  return set;
}

// The bodies of a server's requests.
std::vector<nlohmann::json> bodies(const Server& server) {
  std::vector<nlohmann::json> out;
  for (const truth::Served& served : server.log())
    out.push_back(nlohmann::json::parse(served.request.body));
  return out;
}

TEST(Adapter, IsSentOnceToEachServerAndThenOnlyNamed) {
  Server one(truth::always(truth::stream()), {.config = k_config});
  Server two(truth::always(truth::stream()), {.config = k_config});
  BenchOptions with = options({one.url(), two.url()});
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 2},
                {.kind = record::Load::Kind::closed, .concurrency = 2}};
  const auto all = bench_all(with, prompts());
  ASSERT_TRUE(all.ok()) << all.error().message;
  for (const Server* server : {&one, &two}) {
    const auto sent = bodies(*server);
    ASSERT_GT(sent.size(), 3u);
    ASSERT_TRUE(sent[0].contains("lora_weights") && sent[0].contains("lora_config"));
    EXPECT_EQ(sent[0]["lora_weights"], nlohmann::json::parse("[1.0, -2.5]"));
    EXPECT_EQ(sent[0]["lora_config"], nlohmann::json::parse("[1, 0, 2]"));
    for (std::size_t i = 0; i < sent.size(); ++i) {
      EXPECT_EQ(sent[i]["lora_task_id"], 7);
      EXPECT_EQ(sent[i].contains("lora_weights"), i == 0) << i;
      EXPECT_EQ(sent[i].contains("lora_config"), i == 0) << i;
    }
  }
}

// Any failure of it: a load without the adapter would measure something else.
TEST(Adapter, ThatAServerDoesNotTakeEndsTheBenchmark) {
  Server server(truth::always(truth::body(503, "Unavailable")), {.config = k_config});
  const auto all = bench_all(options({server.url()}), prompts());
  ASSERT_FALSE(all.ok());
  EXPECT_THAT(all.error().message, HasSubstr("the first request"));
}

TEST(Adapter, NeedsItsNumberAndTheFirstRequest) {
  const auto error = [](BenchOptions with) {
    const Status checked = check_before_prompts(with);
    return checked.ok() ? "no error" : checked.error().message;
  };
  BenchOptions with = options({"http://127.0.0.1:1"});
  EXPECT_EQ(error(with), "no error");
  BenchOptions unnamed = with;
  unnamed.sampling.lora_task_id.reset();
  EXPECT_EQ(error(unnamed),
            "--lora needs the number by which requests name the adapter; add --lora-task-id");
  BenchOptions unsent = with;
  unsent.first_request = false;
  EXPECT_EQ(error(unsent),
            "--lora sends the adapter with the first request; leave out --no-first-request");
  BenchOptions other = with;
  other.protocol = "openai-chat";
  EXPECT_THAT(error(other), HasSubstr("--protocol is openai-chat; leave out --lora"));
}

TEST(Adapter, IsNamedInTheRecordByItsContent) {
  Server server(truth::always(truth::stream()), {.config = k_config});
  BenchOptions with = options({server.url()});
  with.sampling.lora_weights_sha256 = "abc";
  const auto all = bench_all(with, prompts());
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_THAT(record::measurement_json(with, *all), HasSubstr("\"lora_weights_sha256\""));
}

}  // namespace adapter_test
}  // namespace orch::load
