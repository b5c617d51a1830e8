"""Converts the inputs of the `tensorrt_llm` tensors to settings of the engine, or rejects them.

It knows the meaning of each input as the TensorRT-LLM backend defines it at 0.14; it does not
know Triton or steps.
"""
import openvino_genai

from engine import Refused

# Inputs for features that this engine lacks. A value listed here requests nothing.
UNSUPPORTED = {
    "beam_width": (1, "beam search", "leave it at 1"),
    "num_return_sequences": (
        1,
        "way to give several answers to one prompt",
        "send the prompt several times",
    ),
    "return_log_probs": (0, "log probabilities", "leave it out or false"),
    "return_context_logits": (0, "context logits", "leave it out or false"),
    "return_generation_logits": (0, "generation logits", "leave it out or false"),
    "runtime_top_p_decay": (1, "a decaying top_p", "leave it out"),
    "runtime_top_p_min": (0, "a decaying top_p", "leave it out"),
}
UNSUPPORTED_ARRAYS = {
    "bad_words_list": "bad words",
    "embedding_bias": "an embedding bias",
    "draft_input_ids": "draft tokens",
    "draft_logits": "draft tokens",
    "prompt_embedding_table": "prompt tuning",
    "prompt_table_extra_ids": "prompt tuning",
    "lora_weights": "LoRA adapters",
    "lora_config": "LoRA adapters",
    "lora_task_id": "LoRA adapters",
    "context_phase_params": "requests handed over from another server",
}


def refuse_unsupported(inputs):
    for name, (neutral, what, remedy) in UNSUPPORTED.items():
        value = inputs.get(name, neutral)
        if value != neutral:
            raise Refused(f"{name} is {value:g}: this engine has no {what}; {remedy}")
    for name, what in UNSUPPORTED_ARRAYS.items():
        if name in inputs and asks(name, inputs[name]):
            raise Refused(f"{name} is set: this engine does not support {what}; leave it out")


def asks(name, value):
    """A list of words without a word has offsets of -1 only."""
    return value.size > 0 and (name != "bad_words_list" or bool(word_list(value)))


def within(inputs, name, low, high, default):
    value = inputs.get(name, default)
    if not low <= value <= high:
        raise Refused(f"{name} is {value:g}; it must be from {low:g} to {high:g}")
    return value


def generation_config(inputs, vocab_size):
    config = openvino_genai.GenerationConfig()
    config.apply_chat_template = False
    config.max_new_tokens = int(inputs["request_output_len"])
    config.min_new_tokens = min(int(inputs.get("min_length", 0)), config.max_new_tokens)
    end_id = int(inputs.get("end_id", -1))
    config.ignore_eos = not 0 <= end_id < vocab_size
    config.set_eos_token_id(0 if config.ignore_eos else end_id)
    choose(config, inputs)
    config.repetition_penalty = float(within(inputs, "repetition_penalty", 1e-6, 1e6, 1.0))
    config.presence_penalty = float(within(inputs, "presence_penalty", -2, 2, 0.0))
    config.frequency_penalty = float(within(inputs, "frequency_penalty", -2, 2, 0.0))
    return config


def choose(config, inputs):
    """Greedy unless top_k > 1, or top_k is 0 or absent and top_p > 0."""
    top_k = int(within(inputs, "runtime_top_k", 0, 1 << 30, 0))
    top_p = float(within(inputs, "runtime_top_p", 0, 1, 0.0))
    temperature = float(within(inputs, "temperature", 0, 1e6, 1.0))
    config.do_sample = temperature > 0 and (top_k > 1 or (top_k == 0 and top_p > 0))
    if config.do_sample:
        config.temperature = temperature
        config.top_p = top_p or 1.0
        if top_k:
            config.top_k = top_k
        config.rng_seed = int(inputs.get("random_seed", 0))


def word_list(rows):
    """Converts [[ids of all words], [end offset of each, then -1]] to one list of ids per word."""
    words, begin = [], 0
    for end in rows[1].tolist():
        if end > begin:
            words.append(rows[0, begin:end].tolist())
            begin = end
    return words
