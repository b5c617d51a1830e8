// The facts that a Triton server reports about a model, and the tensors of one request, the same
// for both transports.
#pragma once

#include "bench/prompt/prompts.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace orch::protocol {

struct ModelTensor {
  std::string name;
  std::string datatype;                 // BYTES, INT32, ... as in metadata
  std::vector<std::int64_t> dims = {};  // as configured, without the batch; -1: any
  bool optional = false;
};

struct ModelFacts {
  std::string name;
  std::vector<ModelTensor> inputs = {};
  std::int64_t max_batch_size = 0;  // 0: the model has no batch dimension
  bool decoupled = false;
  // Set by the parameter accumulate_tokens: each event of a stream carries the whole text so far.
  bool accumulates = false;
  // Triton runs an ensemble to completion even after the client closes the stream.
  bool ensemble = false;

  const ModelTensor* input(std::string_view name) const;

  // The platform of an ensemble in its configuration.
  static constexpr std::string_view k_ensemble = "ensemble";
  // The max_batch_size assumed for models whose server does not report it.
  static constexpr std::int64_t k_any_batch = std::numeric_limits<std::int32_t>::max();
};

// The facts from metadata, which contains less than a configuration. The shapes of TENSORS include
// the batch dimension.
ModelFacts facts_of_metadata(std::string name, std::string_view platform,
                             std::vector<ModelTensor> tensors);

// Numbers as encoded for gRPC.
struct RawNumbers {
  std::string bytes;
};

// One input of one request. VALUES are in row-major order.
struct Tensor {
  std::string name;
  std::string datatype;
  std::vector<std::int64_t> shape = {};  // including the batch dimension, if the model has one
  std::variant<std::vector<std::string>, std::vector<std::int64_t>, std::vector<double>, RawNumbers>
      values = {};  // BYTES; integers and BOOL; FP*; any but BYTES
};

struct RequestShape;

// What the output_ids of an event contain.
enum class EventIds {
  whole,   // prompt and answer, in a single event: not counted
  added,   // the ids since the previous event
  so_far,  // prompt and answer up to this event
};

// The answers to requests of one shape, as the model sends them.
struct TritonAnswers {
  std::int64_t per_prompt = 1;
  std::int64_t sequences = 1;  // to one request, over all its prompts
  bool forces_length = true;   // the model can be forced to generate exactly the requested tokens
  bool repeats_text = false;   // each event of a stream carries the whole text so far
  EventIds event_ids = EventIds::whole;
};

// The ensemble of TensorRT-LLM's backend with inputs for the members of Sampling, for servers that
// do not report their models.
ModelFacts usual_ensemble(std::string_view name);

// The tensors of requests of one shape for one model. The input names identify the model of
// TensorRT-LLM's backend (ensemble, tensorrt_llm_bls, tensorrt_llm, llmapi) and its release, or
// LMDeploy's model turbomind, where each request needs its own session.
class TritonInputs {
 public:
  // FACTS are SHAPE's if it has any; otherwise members of SHAPE.inputs that FACTS lack are sent
  // unchecked. Errors: an input of SHAPE that the model does not have (with the most similar name),
  // or an unsuitable value; unsupported sampling, batching or streaming; a required input without a
  // value. Standard inputs that the model lacks are left out; omitted() lists them.
  static Result<TritonInputs> make(const RequestShape& shape, const ModelFacts& facts);

  // PROMPTS: one batch.
  std::vector<Tensor> tensors(std::span<const prompt::Prompt> prompts) const;
  std::vector<Tensor> of_prompts(std::span<const prompt::Prompt> prompts) const;
  const std::vector<Tensor>& common() const { return common_; }  // the same for all prompts
  // The inputs of a stop request; empty if the model has no input `stop`.
  const std::vector<Tensor>& stop() const { return stop_; }

  const std::vector<std::string>& omitted() const { return omitted_; }
  bool sends_prompts() const { return !own_.prompt.empty(); }
  bool takes_ids() const { return takes_ids_; }
  const TritonAnswers& answers() const { return answers_; }
  // Output tokens requested, over all sequences.
  std::int64_t osl(std::span<const prompt::Prompt> prompts) const;
  const ModelFacts& facts() const { return facts_; }

 private:
  class Maker;
  // Names of the inputs whose values are computed for each request; "" if the model lacks the
  // input, or the user gave it a value.
  struct OwnInputs {
    std::string prompt, lengths, osl, least_osl;
    std::string session;  // "": requests have no session

    std::string* find(std::string_view name);
  };

  TritonInputs() = default;

  ModelFacts facts_;
  std::vector<Tensor> common_;
  std::vector<Tensor> stop_;
  std::vector<std::string> omitted_;
  TritonAnswers answers_;
  OwnInputs own_;
  bool takes_ids_ = false;
  std::int64_t osl_ = 0;               // of prompts without their own
  mutable std::int64_t sessions_ = 0;  // of the requests made so far
};

}  // namespace orch::protocol
