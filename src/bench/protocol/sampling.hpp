// Sampling parameters of a request. It does not know how a protocol encodes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orch::protocol {

// The server decides what is not set.
struct Sampling {
  std::optional<double> temperature = {};
  std::optional<std::int64_t> top_k = {};
  std::optional<double> top_p = {};
  std::optional<double> repetition_penalty = {};
  std::optional<std::uint64_t> seed = {};
  std::optional<std::int64_t> beam_width = {};
  std::optional<std::uint64_t> lora_task_id = {};
  // Of the adapter's weights, which the first request carries; "": they are in the server.
  std::string lora_weights_sha256 = {};
  std::vector<std::string> stop_words = {};
  std::vector<std::string> bad_words = {};
  bool log_probs = false;
  bool context_logits = false;
  bool generation_logits = false;
};

}  // namespace orch::protocol
