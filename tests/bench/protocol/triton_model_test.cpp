// The input tensors of a request for each release of TensorRT-LLM's models, and the requests that
// are refused before sending.
#include "bench/protocol/triton_model.hpp"

#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_models.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::protocol {
namespace triton_model_test {

using testing::ElementsAre;

RequestShape shape(const ModelFacts& facts) {
  return {.url = *wire::parse_url("http://127.0.0.1:8000"),
          .model = facts.name,
          .stream = true,
          .osl = 16,
          .facts = facts,
          .inputs = {}};
}

// "INT32 [1, 1] 16", one tensor a line.
std::string text_of(const Tensor& tensor) {
  return fmt::format("{}: {} [{}] {}", tensor.name, tensor.datatype, fmt::join(tensor.shape, ", "),
                     std::visit(
                         [](const auto& values) {
                           if constexpr (requires { values.bytes; }) return values.bytes;
                           else return fmt::format("{}", fmt::join(values, " "));
                         },
                         tensor.values));
}

std::vector<std::string> tensors(const RequestShape& with,
                                 const std::vector<prompt::Prompt>& prompts = {
                                     {.text_input = "hi", .ids = {7, 8, 9}, .isl = {}}}) {
  auto inputs = TritonInputs::make(with, *with.facts);
  if (!inputs.ok()) return {inputs.error().message};
  std::vector<std::string> out;
  for (const Tensor& tensor : inputs->tensors(prompts)) out.push_back(text_of(tensor));
  return out;
}

std::string refusal(const RequestShape& with) {
  const auto inputs =
      TritonInputs::make(with, with.facts ? *with.facts : usual_ensemble("ensemble"));
  return inputs.ok() ? "accepted" : inputs.error().message;
}

TritonInputs made(const RequestShape& with) {
  auto inputs = TritonInputs::make(with, *with.facts);
  if (!inputs.ok()) throw std::runtime_error(inputs.error().message);
  return std::move(*inputs);
}

TEST(TritonInputs, OfAnEnsembleAreTheTextAndItsLength) {
  EXPECT_THAT(tensors(shape(ensemble_0_14())),
              ElementsAre("text_input: BYTES [1, 1] hi", "max_tokens: INT32 [1, 1] 16",
                          "min_length: INT32 [1, 1] 16", "stream: BOOL [1, 1] 1"));
  EXPECT_TRUE(made(shape(ensemble_0_14())).answers().forces_length);
}

TEST(TritonInputs, OfALaterEnsembleExcludeThePromptAndRequestServerTimes) {
  EXPECT_THAT(
      tensors(shape(ensemble_0_19())),
      ElementsAre("text_input: BYTES [1, 1] hi", "max_tokens: INT32 [1, 1] 16",
                  "min_length: INT32 [1, 1] 16", "stream: BOOL [1, 1] 1",
                  "exclude_input_in_output: BOOL [1, 1] 1", "return_perf_metrics: BOOL [1, 1] 1"));
  EXPECT_THAT(made(shape(ensemble_0_14())).omitted(), ElementsAre())
      << "an older ensemble lacks these inputs without a warning";
}

TEST(TritonInputs, OfTheFirstEnsemblesIncludeEmptyWordLists) {
  EXPECT_THAT(tensors(shape(ensemble_0_5())),
              ElementsAre("text_input: BYTES [1, 1] hi", "max_tokens: UINT32 [1, 1] 16",
                          "min_length: UINT32 [1, 1] 16", "stream: BOOL [1, 1] 1",
                          "bad_words: BYTES [1, 1] ", "stop_words: BYTES [1, 1] "));
}

TEST(TritonInputs, OfTheEngineModelAreIds) {
  EXPECT_THAT(tensors(shape(tensorrt_llm_0_14())),
              ElementsAre("input_ids: INT32 [1, 3] 7 8 9", "input_lengths: INT32 [1, 1] 3",
                          "request_output_len: INT32 [1, 1] 16", "min_length: INT32 [1, 1] 16",
                          "streaming: BOOL [1, 1] 1", "exclude_input_in_output: BOOL [1, 1] 1"));
  EXPECT_TRUE(made(shape(tensorrt_llm_0_14())).takes_ids());
}

TEST(TritonInputs, FollowTheNamesOfLaterReleases) {
  RequestShape with = shape(tensorrt_llm_1_x());
  with.sampling.seed = 5;
  const std::vector<std::string> all = tensors(with);
  EXPECT_THAT(all, testing::Contains("min_tokens: INT32 [1, 1] 16"));
  EXPECT_THAT(all, testing::Contains("seed: UINT64 [1, 1] 5"));
}

TEST(TritonInputs, OfTheLlmapiModelHaveNoBatchDimensionAndNoMinimumLength) {
  const TritonInputs inputs = made(shape(llmapi_0_19()));
  EXPECT_THAT(
      tensors(shape(llmapi_0_19())),
      ElementsAre("text_input: BYTES [1] hi", "sampling_param_max_tokens: INT32 [1] 16",
                  "streaming: BOOL [1] 1", "sampling_param_exclude_input_from_output: BOOL [1] 1"));
  EXPECT_FALSE(inputs.answers().forces_length);
  EXPECT_TRUE(inputs.answers().repeats_text);
  EXPECT_THAT(inputs.omitted(), ElementsAre("min_length"));
  RequestShape with = shape(llmapi_0_19());
  with.forced_osl = false;
  EXPECT_THAT(made(with).omitted(), ElementsAre()) << "no length was forced";
}

TEST(TritonInputs, ReportWhetherTheModelRepeatsItsText) {
  ModelFacts facts = ensemble_0_14();
  EXPECT_FALSE(made(shape(facts)).answers().repeats_text);
  facts.accumulates = true;
  EXPECT_TRUE(made(shape(facts)).answers().repeats_text);
}

TEST(TritonInputs, ThatTheModelLacksAreOmittedAndListed) {
  ModelFacts facts = ensemble_0_14();
  std::erase_if(facts.inputs, [](const ModelTensor& input) { return input.name != "text_input"; });
  EXPECT_THAT(tensors(shape(facts)), ElementsAre("text_input: BYTES [1, 1] hi"));
  EXPECT_THAT(made(shape(facts)).omitted(), ElementsAre("max_tokens", "min_length", "stream"));
  EXPECT_FALSE(made(shape(facts)).answers().forces_length);
}

TEST(TritonInputs, ForSamplingHaveTheNamesOfEachModel) {
  Sampling sampling{.temperature = 0.5,
                    .top_k = 3,
                    .top_p = 0.9,
                    .seed = 18'446'744'073'709'551'615U,
                    .beam_width = 2,
                    .stop_words = {"a", "b\"c"}};
  const auto of = [&](const ModelFacts& facts) {
    RequestShape with = shape(facts);
    with.sampling = sampling;
    std::vector<std::string> out = tensors(with);
    out.erase(out.begin(), std::find_if(out.begin(), out.end(), [](const std::string& line) {
                return line.find("temperature") != std::string::npos;
              }));
    return out;
  };
  EXPECT_THAT(of(ensemble_0_14()),
              ElementsAre("temperature: FP32 [1, 1] 0.5", "top_k: INT32 [1, 1] 3",
                          "top_p: FP32 [1, 1] 0.9", "random_seed: UINT64 [1, 1] -1",
                          "beam_width: INT32 [1, 1] 2", "stop_words: BYTES [1, 2] a b\"c"));
  EXPECT_THAT(
      of(llmapi_0_19()),
      ElementsAre("sampling_param_temperature: FP32 [1] 0.5", "sampling_param_top_k: INT32 [1] 3",
                  "sampling_param_top_p: FP32 [1] 0.9", "sampling_param_seed: UINT64 [1] -1",
                  "sampling_param_beam_width: INT32 [1] 2",
                  "sampling_param_stop: BYTES [2] a b\"c"));
  sampling.stop_words.clear();
  EXPECT_THAT(of(tensorrt_llm_0_14()),
              ElementsAre("temperature: FP32 [1, 1] 0.5", "runtime_top_k: INT32 [1, 1] 3",
                          "runtime_top_p: FP32 [1, 1] 0.9", "random_seed: UINT64 [1, 1] -1",
                          "beam_width: INT32 [1, 1] 2"));
}

TEST(TritonInputs, ForAdaptersBadWordsAndScoresAreSet) {
  RequestShape with = shape(ensemble_0_19());
  with.sampling = {.lora_task_id = 4,
                   .bad_words = {"x"},
                   .log_probs = true,
                   .context_logits = true,
                   .generation_logits = true};
  const std::vector<std::string> all = tensors(with);
  for (const char* line :
       {"lora_task_id: UINT64 [1, 1] 4", "bad_words: BYTES [1, 1] x",
        "return_log_probs: BOOL [1, 1] 1", "return_context_logits: BOOL [1, 1] 1",
        "return_generation_logits: BOOL [1, 1] 1"})
    EXPECT_THAT(all, testing::Contains(line));
}

TEST(TritonInputs, WithUnsupportedSamplingAreOneError) {
  RequestShape with = shape(tensorrt_llm_0_14());
  with.sampling = {.stop_words = {"a"}, .bad_words = {"b"}, .context_logits = true};
  EXPECT_EQ(refusal(with),
            "the model tensorrt_llm has no input stop_words, bad_words, return_context_logits; "
            "leave out the option for it");
}

TEST(TritonInputs, OfABatchHaveOneRowPerPrompt) {
  RequestShape with = shape(ensemble_0_14());
  with.batch = 2;
  with.sampling.temperature = 0.5;
  with.inputs = {{"stop_words", R"(["x","y"])"}};
  EXPECT_THAT(
      tensors(with, {{.text_input = "a", .isl = {}, .osl = 3}, {.text_input = "b", .isl = {}}}),
      ElementsAre("text_input: BYTES [2, 1] a b", "max_tokens: INT32 [2, 1] 3 16",
                  "min_length: INT32 [2, 1] 3 16", "stream: BOOL [2, 1] 1 1",
                  "temperature: FP32 [2, 1] 0.5 0.5", "stop_words: BYTES [2, 2] x y x y"));
  EXPECT_EQ(made(with).answers().sequences, 2);
}

TEST(TritonInputs, PadTheIdsOfABatchToTheLongest) {
  RequestShape with = shape(tensorrt_llm_0_14());
  with.batch = 2;
  const std::vector<std::string> all = tensors(
      with,
      {{.text_input = "", .ids = {7, 8, 9}, .isl = {}}, {.text_input = "", .ids = {5}, .isl = {}}});
  EXPECT_EQ(all[0], "input_ids: INT32 [2, 3] 7 8 9 5 0 0");
  EXPECT_EQ(all[1], "input_lengths: INT32 [2, 1] 3 1");
}

TEST(TritonInputs, CountSeveralAnswersToAPromptAsSequences) {
  RequestShape with = shape(ensemble_0_14());
  with.batch = 2;
  with.inputs = {{"num_return_sequences", "3"}};
  EXPECT_EQ(made(with).answers().sequences, 6);
}

TEST(TritonInputs, CountTheBeamsOfTheLlmapiModelAsSequences) {
  RequestShape with = shape(llmapi_0_19());
  with.sampling.beam_width = 4;
  EXPECT_EQ(made(with).answers().sequences, 4);
  add(with.facts->inputs, "INT32", {1}, {"sampling_param_best_of"});
  with.sampling.beam_width.reset();
  with.inputs = {{"sampling_param_best_of", "4"}};
  EXPECT_EQ(made(with).answers().sequences, 1) << "best_of candidates give one answer";
}

TEST(TritonInputs, OfAnUnknownModelAcceptAllSamplingOptions) {
  RequestShape with = shape(ensemble_0_14());
  with.facts.reset();
  with.sampling = {.temperature = 1,
                   .top_k = 1,
                   .top_p = 1,
                   .repetition_penalty = 1.1,
                   .seed = 1,
                   .beam_width = 1,
                   .lora_task_id = 7,
                   .stop_words = {"a"},
                   .bad_words = {"b"},
                   .log_probs = true,
                   .context_logits = true,
                   .generation_logits = true};
  EXPECT_EQ(refusal(with), "accepted");
}

TEST(TritonInputs, OfAStopRequestAreEmptyExceptForStop) {
  const auto stop = [](const ModelFacts& facts) {
    std::vector<std::string> out;
    const TritonInputs inputs = made(shape(facts));
    for (const Tensor& tensor : inputs.stop()) out.push_back(text_of(tensor));
    return out;
  };
  EXPECT_THAT(stop(tensorrt_llm_0_14()),
              ElementsAre("input_ids: INT32 [1, 1] 0", "input_lengths: INT32 [1, 1] 0",
                          "request_output_len: INT32 [1, 1] 0", "stop: BOOL [1, 1] 1"));
  EXPECT_THAT(stop(llmapi_0_19()), ElementsAre()) << "that release has no input stop";
  ModelFacts later = llmapi_0_19();
  add(later.inputs, "BOOL", {1}, {"stop"});
  EXPECT_THAT(stop(later),
              ElementsAre("text_input: BYTES [1] ", "sampling_param_max_tokens: INT32 [1] 0",
                          "stop: BOOL [1] 1"));
}

TEST(TritonInputs, FromMetadataHaveNoBatchDimensionAndNoRequiredInput) {
  const ModelFacts ensemble =
      facts_of_metadata("e", "ensemble",
                        {{.name = "text_input", .datatype = "BYTES", .dims = {-1, 1}},
                         {.name = "max_tokens", .datatype = "INT32", .dims = {-1, 1}},
                         {.name = "image_input", .datatype = "FP16", .dims = {-1, 3, -1, -1}}});
  EXPECT_TRUE(ensemble.ensemble);
  RequestShape with = shape(ensemble);
  with.batch = 2;
  EXPECT_THAT(tensors(with, {{.text_input = "a", .isl = {}}, {.text_input = "b", .isl = {}}}),
              ElementsAre("text_input: BYTES [2, 1] a b", "max_tokens: INT32 [2, 1] 16 16"));
  const ModelFacts llmapi =
      facts_of_metadata("l", "",
                        {{.name = "text_input", .datatype = "BYTES", .dims = {-1}},
                         {.name = "streaming", .datatype = "BOOL", .dims = {1}}});
  EXPECT_FALSE(llmapi.ensemble);
  EXPECT_THAT(tensors(shape(llmapi)),
              ElementsAre("text_input: BYTES [1] hi", "streaming: BOOL [1] 1"));
  with.inputs = {{"max_token", "1"}};
  EXPECT_EQ(refusal(with),
            "--input max_token: the model e has no such input; did you mean 'max_tokens'?; its "
            "inputs are: text_input, max_tokens, image_input");
}

TEST(TritonInputs, RefuseABatchAboveTheLimitOfTheModel) {
  RequestShape with = shape(ensemble_0_14());
  with.batch = 9;
  EXPECT_EQ(refusal(with),
            "the model ensemble takes batches of at most 8, but --batch is 9; lower it");
  with = shape(llmapi_0_19());
  with.batch = 2;
  EXPECT_EQ(refusal(with),
            "the model tensorrt_llm takes no batches (its max_batch_size is 0); leave out --batch");
}

TEST(TritonInputs, RefuseAStreamOfAModelThatIsNotDecoupled) {
  ModelFacts facts = ensemble_0_14();
  facts.decoupled = false;
  EXPECT_EQ(refusal(shape(facts)),
            "the model ensemble is not decoupled, so it cannot stream; give --no-stream");
  RequestShape with = shape(facts);
  with.stream = false;
  EXPECT_EQ(refusal(with), "accepted");
}

TEST(TritonInputs, GivenByNameReplaceDefaultsAndDisableTheForcedLength) {
  RequestShape with = shape(ensemble_0_14());
  with.inputs = {{"min_length", "3"}, {"stream", "false"}, {"top_k", "1"}};
  EXPECT_THAT(tensors(with), ElementsAre("text_input: BYTES [1, 1] hi",
                                         "max_tokens: INT32 [1, 1] 16", "stream: BOOL [1, 1] 0",
                                         "min_length: INT32 [1, 1] 3", "top_k: INT32 [1, 1] 1"));
  EXPECT_FALSE(made(with).answers().forces_length);
}

TEST(TritonInputs, WithAnUnknownNameAreRefusedWithTheNearestOne) {
  RequestShape with = shape(llmapi_0_19());
  with.inputs = {{"sampling_param_topk", "1"}};
  EXPECT_EQ(
      refusal(with),
      "--input sampling_param_topk: the model tensorrt_llm has no such input; did you mean "
      "'sampling_param_top_k'?; its inputs are: text_input, streaming, "
      "sampling_param_exclude_input_from_output, return_cumulative_logprob, "
      "sampling_param_max_tokens, sampling_param_top_k, sampling_param_beam_width, "
      "sampling_param_temperature, sampling_param_top_p, sampling_param_seed, sampling_param_stop");
  with.facts.reset();
  EXPECT_EQ(refusal(with), "accepted") << "the inputs of that model are unknown";
}

TEST(TritonInputs, RequiredByTheModelButNotGivenAreAnError) {
  ModelFacts facts = ensemble_0_14();
  add(facts.inputs, "FP16", {3, -1, -1}, {"image_input"}, false);
  EXPECT_EQ(refusal(shape(facts)),
            "the model ensemble requires the input image_input (FP16 [3, -1, -1]), which no option "
            "sets; add --input image_input=VALUE");
  facts.inputs = {};
  add(facts.inputs, "FP32", {3}, {"pixels"});
  EXPECT_EQ(refusal(shape(facts)),
            "the model ensemble has neither an input text_input nor input_ids, so it takes no "
            "prompts; its inputs are: pixels");
}

// --- values ---

std::string value(const char* name, const char* text) {
  RequestShape with = shape(ensemble_0_14());
  add(with.facts->inputs, "INT8", {2, -1}, {"grid"});
  with.inputs = {{name, text}};
  const auto inputs = TritonInputs::make(with, *with.facts);
  return inputs.ok() ? text_of(inputs->common().back()) : inputs.error().message;
}

TEST(TritonValue, IsReadAsTheModelsTypeAndShape) {
  EXPECT_EQ(value("top_p", "1"), "top_p: FP32 [1, 1] 1");
  EXPECT_EQ(value("return_log_probs", "1"), "return_log_probs: BOOL [1, 1] 1");
  EXPECT_EQ(value("random_seed", "18446744073709551615"), "random_seed: UINT64 [1, 1] -1");
  EXPECT_EQ(value("stop_words", "5"), "stop_words: BYTES [1, 1] 5")
      << "a text that looks like a number";
  EXPECT_EQ(value("stop_words", R"({"a": [1]})"), R"(stop_words: BYTES [1, 1] {"a": [1]})")
      << "text as it was given";
  EXPECT_EQ(value("stop_words", R"(["a","b"])"), "stop_words: BYTES [1, 2] a b");
  EXPECT_EQ(value("stop_words", "[]"), "stop_words: BYTES [1, 0] ");
  EXPECT_EQ(value("prompt_embedding_table", "[[1,2],[3,4],[5,6]]"),
            "prompt_embedding_table: FP16 [1, 3, 2] 1 2 3 4 5 6");
  EXPECT_EQ(value("grid", "[[1,2,3],[4,5,6]]"), "grid: INT8 [1, 2, 3] 1 2 3 4 5 6");
  EXPECT_EQ(value("grid", "[1,2,3,4]"), "grid: INT8 [1, 2, 2] 1 2 3 4")
      << "the free dimension is the number of values divided by the fixed sizes";
}

TEST(TritonValue, ThatDoesNotFitIsRefused) {
  EXPECT_EQ(value("top_p", "warm"),
            "--input top_p: 'warm' is not of type FP32; the model's input is FP32 [1]");
  EXPECT_EQ(value("top_k", "1.5"),
            "--input top_k: '1.5' is not of type INT32; the model's input is INT32 [1]");
  EXPECT_EQ(value("top_k", "2147483648"),
            "--input top_k: '2147483648' is not of type INT32; the model's input is INT32 [1]");
  EXPECT_EQ(value("random_seed", "-1"),
            "--input random_seed: '-1' is not of type UINT64; the model's input is UINT64 [1]");
  EXPECT_EQ(value("stream", "yes"),
            "--input stream: 'yes' is not of type BOOL; the model's input is BOOL [1]");
  EXPECT_EQ(value("top_k", "[1,2]"),
            "--input top_k: '[1,2]' does not fit its shape; the model's input is INT32 [1]");
  EXPECT_EQ(value("grid", "[1,2,3]"),
            "--input grid: '[1,2,3]' does not fit its shape; the model's input is INT8 [2, -1]");
  EXPECT_EQ(
      value("grid", "[[1,2],[3]]"),
      "--input grid: '[[1,2],[3]]' does not fit its shape; the model's input is INT8 [2, -1]");
  EXPECT_EQ(value("top_p", "1e999"),
            "--input top_p: '1e999' is not of type FP32; the model's input is FP32 [1]");
  EXPECT_NE(value("top_k", std::string(5000, '[').c_str()), "") << "however deep";
}

}  // namespace triton_model_test
}  // namespace orch::protocol
