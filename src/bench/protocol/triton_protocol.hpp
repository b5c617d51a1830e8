// Common parts of Triton's two wires: everything that follows from a model's inputs alone. It does
// not know how a request is written.
#pragma once

#include <utility>

#include "bench/protocol/protocol.hpp"

namespace orch::protocol {

class TritonProtocol : public Protocol, protected Stopper {
 public:
  TritonProtocol(const RequestShape& shape, TritonInputs inputs, WireFormat wire)
      : Protocol({.wire = std::move(wire),
                  .sequences = inputs.sequences(),
                  .forces_length = inputs.forces_length(),
                  .sends_prompts = inputs.sends_prompts(),
                  .takes_ids = inputs.takes_ids(),
                  .omitted_inputs = inputs.omitted()}),
        inputs_(std::move(inputs)),
        stream_(shape.stream),
        answers_per_prompt_(inputs_.sequences() / shape.batch) {}

  std::int64_t osl(std::span<const prompt::Prompt> prompts) const final {
    return inputs_.osl(prompts);
  }
  // Answers of Triton are not checked for an end marker.
  std::string why_incomplete(const AnswerState&) const final { return {}; }
  const Stopper* stopper() const final { return inputs_.stop().empty() ? nullptr : this; }

 protected:
  TritonInputs inputs_;
  bool stream_;
  std::int64_t answers_per_prompt_;
};

}  // namespace orch::protocol
