// What Triton's two wires have in common: whatever follows from a model's inputs alone. It does not
// know how a request is written.
#pragma once

#include <utility>

#include "protocol/protocol.hpp"

namespace orch::protocol {

class TritonProtocol : public Protocol {
 public:
  TritonProtocol(const RequestShape& shape, TritonInputs inputs)
      : inputs_(std::move(inputs)),
        stream_(shape.stream),
        returns_(inputs_.sequences() / shape.batch) {}

  bool forces_length() const override { return inputs_.forces_length(); }
  bool sends_prompts() const override { return inputs_.sends_prompts(); }
  bool takes_ids() const override { return inputs_.takes_ids(); }
  bool counts_ids() const override { return inputs_.takes_ids() && inputs_.counts_ids(); }
  std::int64_t sequences() const override { return inputs_.sequences(); }
  std::int64_t osl(std::span<const prompt::Prompt> prompts) const override {
    return inputs_.osl(prompts);
  }
  std::vector<std::string> left_out() const override { return inputs_.left_out(); }

 protected:
  TritonInputs inputs_;
  bool stream_;
  std::int64_t returns_;  // answers to one prompt
};

}  // namespace orch::protocol
