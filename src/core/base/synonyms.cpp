#include "core/base/synonyms.hpp"

#include "core/base/text.hpp"

#include <algorithm>

namespace orch {

namespace {

struct Synonym {
  std::string_view ours;
  std::string_view others;  // separated by one space; the names of one word may have several rows
};

constexpr Synonym k_synonyms[] = {
    {"tp", "tensor_parallel tensor_parallel_size tensor_parallelism tp_size tensor_para_size"},
    {"pp", "pipeline_parallel pipeline_parallel_size pipeline_parallelism pp_size nodes num_nodes"},
    {"cp", "context_parallel context_parallel_size cp_size"},
    {"moe_ep", "expert_parallel expert_parallel_size ep ep_size moe_expert_parallel_size"},
    {"moe_tp", "moe_tensor_parallel_size"},
    {"isl",
     "input_len input_length input_tokens prompt_len prompt_length prompt_tokens context_len"},
    {"osl", "output_len output_length output_tokens max_new_tokens max_tokens request_output_len"},
    {"batch_size", "batch batches bs max_batch max_num_seqs max_num_sequences"},
    {"concurrency", "users clients connections parallel concurrent num_concurrent"},
    {"request_rate", "rate qps rps requests_per_second"},
    {"num_prompts", "requests num_requests request_count prompts"},
    {"precision", "dtype quantization quant quantize weight_dtype qformat"},
    {"trtllm_version", "version release trt_llm_version tensorrt_llm_version"},
    {"instances", "replicas dp data_parallel data_parallel_size instance_count"},
    {"gpus", "gpu gpu_count num_gpus devices"},
    {"gpu_memory_gib", "gpu_memory vram memory_gib"},
    {"warmup", "warm_up warmup_requests warmup_request_count"},
    {"repeats", "repeat repetitions trials runs iterations"},
    {"exclude", "skip filter"},
    {"model", "models"},
    {"models", "model"},
    {"steady", "settled steady_state stable"},
    {"reasons", "reason why_invalid"},
};

bool lists(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

std::optional<std::string> synonym(std::string_view word, std::span<const std::string> known) {
  std::string plain = lower(word);
  std::replace(plain.begin(), plain.end(), '-', '_');
  for (const Synonym& row : k_synonyms)
    if (lists(row.others, plain) && std::ranges::find(known, row.ours) != known.end())
      return std::string(row.ours);
  return std::nullopt;
}

}  // namespace orch
