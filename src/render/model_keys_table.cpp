// The table itself. Where a row says what a wrong value becomes, that is what the sources of the backend do at the releases named.
#include "render/model_keys.hpp"

namespace orch::render {

namespace {

constexpr double k_uint32 = 4294967295, k_uint64 = 18446744073709551616.0;
constexpr double k_above_0 = std::numeric_limits<double>::min(), k_below_1 = 0.99999999;
constexpr std::string_view k_types =
    "TYPE_BOOL TYPE_UINT8 TYPE_UINT16 TYPE_UINT32 TYPE_UINT64 TYPE_INT8 TYPE_INT16 TYPE_INT32 TYPE_INT64 TYPE_FP16 "
    "TYPE_FP32 TYPE_FP64 TYPE_STRING TYPE_BF16";
constexpr std::string_view k_others =
    "ensemble preprocessing postprocessing tensorrt_llm_bls multimodal_encoders whisper_bls disaggregated_serving_bls";

using enum ValueKind;

constexpr ModelKey k_keys[] = {
    // What Triton itself reads; outside quotes.
    {.key = "triton_max_batch_size", .models = "tensorrt_llm", .since = {0, 6}, .kind = integer, .least = 1},
    {.key = "triton_max_batch_size", .models = k_others, .since = {0, 6}, .kind = integer},
    {.key = "decoupled_mode", .models = "tensorrt_llm tensorrt_llm_bls whisper_bls disaggregated_serving_bls", .kind = config_flag},
    {.key = "max_queue_delay_microseconds", .models = "tensorrt_llm", .since = {0, 6}, .kind = integer, .most = k_uint64},
    {.key = "max_queue_delay_microseconds", .models = "preprocessing multimodal_encoders", .since = {0, 19},
     .kind = integer, .most = k_uint64},
    {.key = "max_queue_size", .models = "tensorrt_llm", .since = {0, 12}, .kind = integer, .most = k_uint32},
    {.key = "max_queue_size", .models = "preprocessing multimodal_encoders", .since = {0, 19}, .kind = integer, .most = k_uint32},
    {.key = "preprocessing_instance_count", .models = "preprocessing", .since = {0, 7}, .kind = integer, .least = 1},
    {.key = "postprocessing_instance_count", .models = "postprocessing", .since = {0, 7}, .kind = integer, .least = 1},
    {.key = "bls_instance_count", .models = "tensorrt_llm_bls", .since = {0, 7}, .kind = integer, .least = 1},
    {.key = "disaggregated_serving_bls_count", .models = "disaggregated_serving_bls", .since = {0, 15}, .kind = integer, .least = 1},
    {.key = "encoder_input_features_data_type", .models = "tensorrt_llm multimodal_encoders", .since = {0, 15}, .kind = word,
     .choices = k_types},
    {.key = "logits_datatype", .models = "ensemble tensorrt_llm_bls tensorrt_llm", .since = {0, 17}, .kind = word, .choices = k_types},
    {.key = "logits_datatype", .models = "disaggregated_serving_bls", .since = {0, 19}, .kind = word, .choices = k_types},
    {.key = "prompt_embedding_table_data_type", .models = "ensemble tensorrt_llm_bls tensorrt_llm", .since = {1, 0}, .kind = word,
     .choices = k_types},
    {.key = "triton_backend", .models = "tensorrt_llm", .since = {0, 10}, .required = true},

    // Engines and how requests are scheduled.
    {.key = "engine_dir", .models = "tensorrt_llm whisper_bls"},
    {.key = "engine_dir", .models = "preprocessing", .since = {0, 12}},
    {.key = "encoder_engine_dir", .models = "tensorrt_llm", .since = {0, 11}},
    {.key = "batching_strategy", .models = "tensorrt_llm", .since = {0, 6}, .kind = word,
     .choices = "inflight_fused_batching inflight_batching V1 v1", .required = true},
    {.key = "batch_scheduler_policy", .models = "tensorrt_llm", .kind = word, .choices = "guaranteed_no_evict max_utilization",
     .fallback = "guaranteed_no_evict"},
    {.key = "decoding_mode", .models = "tensorrt_llm", .since = {0, 9}, .kind = word,
     .choices = "top_k top_p top_k_top_p beam_search medusa/0.10 redrafter/0.16 lookahead/0.16 eagle/0.16",
     .fallback = "top_k_top_p, or beam_search when max_beam_width is above 1"},
    {.key = "max_beam_width", .models = "tensorrt_llm", .since = {0, 6}, .kind = integer, .least = 1, .fallback = "1"},
    {.key = "enable_chunked_context", .models = "tensorrt_llm", .since = {0, 8}, .kind = flag, .fallback = "false"},
    {.key = "enable_trt_overlap", .models = "tensorrt_llm", .kind = flag, .fallback = "false (true at 0.7)", .idle_since = {0, 10},
     .idle = "is ignored from 0.10 on"},
    {.key = "gpu_device_ids", .models = "tensorrt_llm", .since = {0, 8}, .kind = id_lists, .fallback = "all GPUs that are visible"},
    {.key = "participant_ids", .models = "tensorrt_llm", .since = {0, 13}, .kind = id_lists, .fallback = "unset"},
    {.key = "num_nodes", .models = "tensorrt_llm", .since = {0, 19}, .kind = integer, .least = 1, .fallback = "1"},
    {.key = "gpu_weights_percent", .models = "tensorrt_llm", .since = {0, 10}, .kind = real, .most = 1, .fallback = "1.0"},
    {.key = "multi_block_mode", .models = "tensorrt_llm", .since = {0, 12}, .kind = flag, .fallback = "true", .idle_since = {0, 12},
     .idle_until = {0, 15},
     .idle = "has no effect at 0.12 to 0.14, where the backend looks for 'multiBlockMode'"},
    {.key = "enable_context_fmha_fp32_acc", .models = "tensorrt_llm", .since = {0, 12}, .kind = flag, .fallback = "false",
     .idle_since = {0, 12}, .idle_until = {0, 15},
     .idle = "has no effect at 0.12 to 0.14, where the backend looks for 'enableContextFMHAFP32Acc'"},
    {.key = "cuda_graph_mode", .models = "tensorrt_llm", .since = {0, 15}, .kind = flag, .fallback = "false"},
    {.key = "cuda_graph_cache_size", .models = "tensorrt_llm", .since = {0, 15}, .kind = integer, .fallback = "0"},

    // The KV cache.
    {.key = "max_tokens_in_paged_kv_cache", .models = "tensorrt_llm", .kind = integer, .least = 1, .fallback = "unset"},
    {.key = "max_attention_window_size", .models = "tensorrt_llm", .since = {0, 7}, .kind = integers, .least = 1,
     .fallback = "the longest sequence"},
    {.key = "sink_token_length", .models = "tensorrt_llm", .since = {0, 10}, .kind = integer, .least = 1, .fallback = "unset"},
    {.key = "kv_cache_free_gpu_mem_fraction", .models = "tensorrt_llm", .kind = real, .least = k_above_0, .most = k_below_1,
     .fallback = "0.9"},
    {.key = "cross_kv_cache_fraction", .models = "tensorrt_llm", .since = {0, 14}, .kind = real, .least = k_above_0, .most = k_below_1,
     .fallback = "unset"},
    {.key = "kv_cache_host_memory_bytes", .models = "tensorrt_llm", .since = {0, 10}, .kind = integer, .most = k_uint64, .fallback = "0"},
    {.key = "kv_cache_onboard_blocks", .models = "tensorrt_llm", .since = {0, 10}, .kind = flag, .fallback = "true"},
    {.key = "enable_kv_cache_reuse", .models = "tensorrt_llm", .since = {0, 7}, .kind = flag, .fallback = "false (true from 0.19 on)"},
    {.key = "max_kv_cache_length", .models = "tensorrt_llm", .since = {0, 6}, .until = {0, 7}, .kind = integer, .least = 1,
     .fallback = "unset"},
    {.key = "max_num_sequences", .models = "tensorrt_llm", .until = {0, 8}, .kind = integer, .least = 1, .fallback = "unset"},

    // What comes back.
    {.key = "exclude_input_in_output", .models = "tensorrt_llm", .since = {0, 6}, .kind = flag, .fallback = "false"},
    {.key = "normalize_log_probs", .models = "tensorrt_llm", .since = {0, 8}, .kind = flag, .fallback = "true"},
    {.key = "cancellation_check_period_ms", .models = "tensorrt_llm", .since = {0, 10}, .kind = integer, .fallback = "100"},
    {.key = "stats_check_period_ms", .models = "tensorrt_llm", .since = {0, 10}, .kind = integer, .fallback = "100"},
    {.key = "iter_stats_max_iterations", .models = "tensorrt_llm", .since = {0, 10}, .kind = integer, .fallback = "the executor's own"},
    {.key = "request_stats_max_iterations", .models = "tensorrt_llm", .since = {0, 10}, .kind = integer, .fallback = "the executor's own"},

    // LoRA, speculative and guided decoding.
    {.key = "lora_cache_optimal_adapter_size", .models = "tensorrt_llm", .since = {0, 9}, .kind = integer, .fallback = "8"},
    {.key = "lora_cache_max_adapter_size", .models = "tensorrt_llm", .since = {0, 9}, .kind = integer, .fallback = "64"},
    {.key = "lora_cache_gpu_memory_fraction", .models = "tensorrt_llm", .since = {0, 9}, .kind = real, .most = 1, .fallback = "0.05"},
    {.key = "lora_cache_host_memory_bytes", .models = "tensorrt_llm", .since = {0, 9}, .kind = integer, .most = k_uint64,
     .fallback = "1 GB"},
    {.key = "lora_prefetch_dir", .models = "tensorrt_llm", .since = {0, 19}},
    {.key = "medusa_choices", .models = "tensorrt_llm", .since = {0, 9}, .kind = tree, .fallback = "the choices of mc_sim_7b_63"},
    {.key = "eagle_choices", .models = "tensorrt_llm", .since = {0, 16}, .kind = tree, .fallback = "the choices of mc_sim_7b_63"},
    {.key = "speculative_decoding_fast_logits", .models = "tensorrt_llm", .since = {0, 15}, .kind = flag, .fallback = "false"},
    {.key = "lookahead_window_size", .models = "tensorrt_llm", .since = {0, 19}, .kind = integer, .least = 1, .most = k_uint32,
     .fallback = "unset, with which decoding_mode:lookahead does not load"},
    {.key = "lookahead_ngram_size", .models = "tensorrt_llm", .since = {0, 19}, .kind = integer, .least = 1, .most = k_uint32,
     .fallback = "unset, with which decoding_mode:lookahead does not load"},
    {.key = "lookahead_verification_set_size", .models = "tensorrt_llm", .since = {0, 19}, .kind = integer, .most = k_uint32,
     .fallback = "unset, with which decoding_mode:lookahead does not load"},
    {.key = "guided_decoding_backend", .models = "tensorrt_llm", .since = {0, 19}, .kind = word, .choices = "xgrammar"},
    {.key = "xgrammar_tokenizer_info_path", .models = "tensorrt_llm", .since = {0, 19}},
    {.key = "tokenizer_dir", .models = "tensorrt_llm", .since = {0, 19}},

    // The Python models around it.
    {.key = "tokenizer_dir", .models = "preprocessing postprocessing", .required = true},
    {.key = "tokenizer_type", .models = "preprocessing postprocessing", .until = {0, 9}, .kind = word,
     .choices = "auto t5 llama", .required = true},
    {.key = "add_special_tokens", .models = "preprocessing", .since = {0, 9}, .kind = python_flag,
     .choices = "true false 1 0 t f y n yes no", .fallback = "true (false up to 0.10)"},
    {.key = "skip_special_tokens", .models = "postprocessing", .since = {0, 11}, .kind = python_flag,
     .choices = "true false 1 0 t f y n yes no", .fallback = "true"},
    {.key = "visual_model_path", .models = "preprocessing multimodal_encoders", .since = {0, 12}, .until = {0, 19}},
    {.key = "multimodal_model_path", .models = "preprocessing multimodal_encoders", .since = {0, 19}},
    {.key = "hf_model_path", .models = "multimodal_encoders", .since = {0, 16}},
    {.key = "hf_model_path", .models = "preprocessing", .since = {1, 0}},
    {.key = "max_num_images", .models = "preprocessing", .since = {0, 15}, .kind = integer, .fallback = "no limit"},
    {.key = "accumulate_tokens", .models = "tensorrt_llm_bls", .since = {0, 7}, .kind = python_flag,
     .choices = "true false 1 0 t f yes no", .fallback = "false"},
    {.key = "tensorrt_llm_model_name", .models = "tensorrt_llm_bls", .since = {0, 9}},
    {.key = "tensorrt_llm_draft_model_name", .models = "tensorrt_llm_bls", .since = {0, 9}},
    {.key = "multimodal_encoders_name", .models = "tensorrt_llm_bls", .since = {0, 13}},
    {.key = "context_model_name", .models = "disaggregated_serving_bls", .since = {0, 15}},
    {.key = "generation_model_name", .models = "disaggregated_serving_bls", .since = {0, 15}},
    {.key = "n_mels", .models = "whisper_bls", .since = {0, 15}, .kind = integer, .least = 1, .required = true},
    {.key = "zero_pad", .models = "whisper_bls", .since = {0, 15}, .kind = word, .choices = "true false", .fallback = "false"},
};

}  // namespace

std::span<const ModelKey> model_keys() { return k_keys; }

}  // namespace orch::render
