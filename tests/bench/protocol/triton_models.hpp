// The inputs of the models of TensorRT-LLM's backend, by release, as in their configurations.
#pragma once

#include "bench/protocol/triton_model.hpp"

namespace orch::protocol {

inline void add(std::vector<ModelTensor>& tensors, std::string_view datatype,
                std::vector<std::int64_t> dims, std::initializer_list<const char*> names,
                bool optional = true) {
  for (const char* name : names)
    tensors.push_back(
        {.name = name, .datatype = std::string(datatype), .dims = dims, .optional = optional});
}

// 0.14; tensorrt_llm_bls has the same inputs.
inline ModelFacts ensemble_0_14() {
  ModelFacts facts{.name = "ensemble", .inputs = {}, .max_batch_size = 8, .decoupled = true};
  add(facts.inputs, "BYTES", {1}, {"text_input"}, false);
  add(facts.inputs, "INT32", {1}, {"max_tokens"}, false);
  add(facts.inputs, "INT32", {1},
      {"num_return_sequences", "end_id", "pad_id", "top_k", "min_length", "beam_width"});
  add(facts.inputs, "BYTES", {-1}, {"bad_words", "stop_words"});
  add(facts.inputs, "FP32", {1}, {"top_p", "temperature", "length_penalty"});
  add(facts.inputs, "UINT64", {1}, {"random_seed"});
  add(facts.inputs, "BOOL", {1},
      {"return_log_probs", "return_context_logits", "return_generation_logits", "stream"});
  add(facts.inputs, "FP16", {-1, -1}, {"prompt_embedding_table"});
  return facts;
}

inline ModelFacts ensemble_0_19() {
  ModelFacts facts = ensemble_0_14();
  add(facts.inputs, "BOOL", {1}, {"exclude_input_in_output", "return_perf_metrics"});
  add(facts.inputs, "UINT64", {1}, {"lora_task_id"});
  return facts;
}

// 0.11: text_input and max_tokens are lists of any length.
inline ModelFacts ensemble_0_11() {
  ModelFacts facts = ensemble_0_14();
  for (ModelTensor& input : facts.inputs)
    if (input.name == "text_input" || input.name == "max_tokens") input.dims = {-1};
  return facts;
}

// 0.5: word lists are required, and integers are unsigned.
inline ModelFacts ensemble_0_5() {
  ModelFacts facts = ensemble_0_11();
  for (ModelTensor& input : facts.inputs) {
    if (input.datatype == "INT32") input.datatype = "UINT32";
    if (input.name.ends_with("_words")) input.optional = false;
  }
  return facts;
}

inline ModelFacts tensorrt_llm_0_14() {
  ModelFacts facts{.name = "tensorrt_llm", .inputs = {}, .max_batch_size = 8, .decoupled = true};
  add(facts.inputs, "INT32", {-1}, {"input_ids"}, false);
  add(facts.inputs, "INT32", {1}, {"input_lengths", "request_output_len"}, false);
  add(facts.inputs, "INT32", {2, -1}, {"stop_words_list", "bad_words_list"});
  add(facts.inputs, "INT32", {1}, {"end_id", "min_length", "runtime_top_k", "beam_width"});
  add(facts.inputs, "FP32", {1}, {"runtime_top_p", "temperature"});
  add(facts.inputs, "UINT64", {1}, {"random_seed", "lora_task_id"});
  add(facts.inputs, "BOOL", {1},
      {"streaming", "stop", "exclude_input_in_output", "return_log_probs"});
  return facts;
}

inline ModelFacts tensorrt_llm_1_x() {
  ModelFacts facts = tensorrt_llm_0_14();
  for (ModelTensor& input : facts.inputs) {
    if (input.name == "random_seed") input.name = "seed";
    if (input.name == "min_length") input.name = "min_tokens";
  }
  return facts;
}

inline ModelFacts llmapi_0_19() {
  ModelFacts facts{.name = "tensorrt_llm", .inputs = {}, .max_batch_size = 0, .decoupled = true};
  add(facts.inputs, "BYTES", {-1}, {"text_input"}, false);
  add(facts.inputs, "BOOL", {1},
      {"streaming", "sampling_param_exclude_input_from_output", "return_cumulative_logprob"});
  add(facts.inputs, "INT32", {1},
      {"sampling_param_max_tokens", "sampling_param_top_k", "sampling_param_beam_width"});
  add(facts.inputs, "FP32", {1}, {"sampling_param_temperature", "sampling_param_top_p"});
  add(facts.inputs, "UINT64", {1}, {"sampling_param_seed"});
  add(facts.inputs, "BYTES", {-1}, {"sampling_param_stop"});
  return facts;
}

}  // namespace orch::protocol
