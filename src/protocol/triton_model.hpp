// What a Triton server says of a model, and what one request gives to it, tensor by tensor: the
// same whichever wire it goes over. Writing tensors as JSON or protobuf is the protocols' work.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "prompt/prompts.hpp"

namespace orch::protocol {

struct ModelTensor {
  std::string name;
  std::string datatype;            // BYTES, INT32, ... as metadata write it
  std::vector<std::int64_t> dims;  // of the configuration (without the batch); -1: any
  bool optional = false;
};

struct ModelFacts {
  std::string name;
  std::vector<ModelTensor> inputs;
  std::int64_t max_batch_size = 0;  // 0: the model has no batch dimension
  bool decoupled = false;
  bool accumulates = false;  // its parameter accumulate_tokens: each event of a stream carries the
                             // whole text so far
  bool ensemble =
      false;  // of other models: Triton lets it run on when nobody waits for its answer any more

  const ModelTensor* input(std::string_view name) const;

  // How the configurations of such models name their platform.
  static constexpr std::string_view k_ensemble = "ensemble";
  // Of models that do not say how large a batch may be.
  static constexpr std::int64_t k_any_batch = std::numeric_limits<std::int32_t>::max();
};

// What metadata, which say less than a configuration, tell of a model: TENSORS with shapes in which
// the batch dimension stands.
ModelFacts facts_of_metadata(std::string name, std::string_view platform,
                             std::vector<ModelTensor> tensors);

// One input of one request. VALUES go row by row.
struct Tensor {
  std::string name;
  std::string datatype;
  std::vector<std::int64_t> shape;  // the batch dimension included, where the model has one
  std::variant<std::vector<std::string>, std::vector<std::int64_t>, std::vector<double>>
      values;  // BYTES; integers and BOOL; FP*
};

struct RequestShape;

// The ensemble of TensorRT-LLM's backend with whatever Sampling can ask for: for servers that do
// not tell.
ModelFacts usual_ensemble(std::string_view name);

// How requests of a shape look to a model, and what each prompt gives it. Which of the models of
// TensorRT-LLM's backend it is (ensemble, tensorrt_llm_bls, tensorrt_llm, llmapi; of which release)
// shows in the names of its inputs.
class TritonInputs {
 public:
  // FACTS are those of SHAPE where it has any; else inputs of SHAPE that they do not know are sent
  // as they are. Errors: an input of SHAPE that the model does not have (with the nearest that it
  // has), or a value that does not fit it; sampling that the model cannot be asked for; a required
  // input that nothing gives. Standard inputs that the model lacks are left out; omitted() names
  // them.
  static Result<TritonInputs> make(const RequestShape& shape, const ModelFacts& facts);

  // PROMPTS: as many as the batch has.
  std::vector<Tensor> tensors(std::span<const prompt::Prompt> prompts) const;
  std::vector<Tensor> of_prompts(std::span<const prompt::Prompt> prompts) const;
  const std::vector<Tensor>& common() const { return common_; }  // the same for all prompts
  // A request of these ends the one that has its id, whatever that asked for; none: the model has
  // no such input.
  const std::vector<Tensor>& stop() const { return stop_; }

  const std::vector<std::string>& omitted() const { return omitted_; }
  bool sends_prompts() const { return !prompt_input_.empty(); }
  bool takes_ids() const { return takes_ids_; }
  bool forces_length() const {
    return forces_length_;
  }  // exactly as many tokens as asked can be had
  bool repeats_text() const {
    return repeats_text_;
  }  // each event of a stream carries the whole text so far
  bool counts_ids() const {
    return counts_ids_;
  }  // output_ids are the answer's alone, without the prompt's
  std::int64_t sequences() const { return sequences_; }  // answers to one request
  std::int64_t osl(std::span<const prompt::Prompt> prompts)
      const;  // output tokens that are asked for, over all sequences
  const ModelFacts& facts() const { return facts_; }

 private:
  class Maker;
  TritonInputs() = default;

  ModelFacts facts_;
  std::vector<Tensor> common_;
  std::vector<Tensor> stop_;
  std::vector<std::string> omitted_;
  std::int64_t batch_ = 1;
  std::int64_t sequences_ = 1;
  std::int64_t osl_ = 0;
  std::string prompt_input_, lengths_input_, osl_input_,
      least_osl_input_;  // "" where the model has none
  bool takes_ids_ = false;
  bool forces_length_ = true;
  bool repeats_text_ = false;
  bool counts_ids_ = false;
};

}  // namespace orch::protocol
