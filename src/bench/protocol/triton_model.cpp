#include "bench/protocol/triton_model.hpp"

#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_value.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <array>

namespace orch::protocol {
namespace {

// The names of one input across the models of all releases; a model has at most one of them.
using Names = std::array<std::string_view, 3>;

constexpr std::int64_t k_most_answers = 65'536;  // per prompt; larger values are clamped

constexpr Names k_prompt = {"text_input", "input_ids"};
constexpr Names k_osl = {"max_tokens", "request_output_len", "sampling_param_max_tokens"};
constexpr Names k_least_osl = {"min_length", "min_tokens", "sampling_param_min_tokens"};
constexpr Names k_stream = {"stream", "streaming"};
constexpr Names k_exclude_prompt = {"exclude_input_in_output",
                                    "sampling_param_exclude_input_from_output"};
constexpr Names k_times = {"return_perf_metrics", "sampling_param_return_perf_metrics"};
constexpr Names k_temperature = {"temperature", "sampling_param_temperature"};
constexpr Names k_top_k = {"top_k", "runtime_top_k", "sampling_param_top_k"};
constexpr Names k_top_p = {"top_p", "runtime_top_p", "sampling_param_top_p"};
constexpr Names k_repetition_penalty = {"repetition_penalty", "sampling_param_repetition_penalty"};
constexpr Names k_seed = {"random_seed", "seed", "sampling_param_seed"};
constexpr Names k_beam_width = {"beam_width", "sampling_param_beam_width"};
constexpr Names k_lora = {"lora_task_id"};
constexpr Names k_stop_words = {"stop_words", "sampling_param_stop"};
constexpr Names k_bad_words = {"bad_words"};
constexpr Names k_log_probs = {"return_log_probs", "return_cumulative_logprob"};
constexpr Names k_context_logits = {"return_context_logits"};
constexpr Names k_generation_logits = {"return_generation_logits"};
constexpr Names k_prompt_lengths = {"input_lengths"};
constexpr const char* k_stop = "stop";
// For TurboMind: the number of a session, and ids that are never generated.
constexpr std::string_view k_session = "CORRID";
constexpr std::string_view k_banned_ids = "bad_words_list";

template <class Tensors> auto* find_named(Tensors& tensors, std::string_view name) {
  const auto found =
      std::ranges::find_if(tensors, [&](const auto& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(const std::vector<ModelTensor>& tensors) {
  std::vector<std::string> out;
  for (const ModelTensor& tensor : tensors) out.push_back(tensor.name);
  return out;
}

// The first value of the tensor NAME; nullopt if there is no such tensor, or it has no integers.
std::optional<std::int64_t> first_integer(const std::vector<Tensor>& tensors,
                                          std::string_view name) {
  const Tensor* tensor = find_named(tensors, name);
  const auto* values =
      tensor == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(&tensor->values);
  return values == nullptr || values->empty() ? std::nullopt : std::optional(values->front());
}

std::string texts_json(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? "," : "") + json_quote(text);
  return out + "]";
}

}  // namespace

const ModelTensor* ModelFacts::input(std::string_view wanted) const {
  return find_named(inputs, wanted);
}

ModelFacts usual_ensemble(std::string_view name) {
  ModelFacts facts{
      .name = std::string(name), .max_batch_size = ModelFacts::k_any_batch, .decoupled = true};
  const auto add = [&](std::string_view input, std::string_view datatype, std::int64_t size,
                       bool optional = true) {
    facts.inputs.push_back({.name = std::string(input),
                            .datatype = std::string(datatype),
                            .dims = {size},
                            .optional = optional});
  };
  add("text_input", "BYTES", 1, false);
  for (const std::string_view input : {"max_tokens", "min_length", "top_k", "beam_width"})
    add(input, "INT32", 1);
  for (const std::string_view input : {"temperature", "top_p", "repetition_penalty"})
    add(input, "FP32", 1);
  for (const std::string_view input :
       {"stream", "return_log_probs", "return_context_logits", "return_generation_logits"})
    add(input, "BOOL", 1);
  for (const std::string_view input : {"stop_words", "bad_words"}) add(input, "BYTES", -1);
  for (const std::string_view input : {"random_seed", "lora_task_id"}) add(input, "UINT64", 1);
  return facts;
}

// Metadata lacks some facts. For these the values of TensorRT-LLM's models are assumed, and every
// input counts as optional. In a model with batches, all shapes begin with a free dimension.
ModelFacts facts_of_metadata(std::string name, std::string_view platform,
                             std::vector<ModelTensor> tensors) {
  const bool batches = std::ranges::all_of(tensors, [](const ModelTensor& tensor) {
    return tensor.dims.size() > 1 && tensor.dims.front() == -1;
  });
  for (ModelTensor& tensor : tensors) {
    tensor.optional = true;
    if (batches) tensor.dims.erase(tensor.dims.begin());
  }
  return {.name = std::move(name),
          .inputs = std::move(tensors),
          .max_batch_size = batches ? ModelFacts::k_any_batch : 0,
          .decoupled = true,
          .accumulates = false,
          .ensemble = platform == ModelFacts::k_ensemble};
}

std::string* TritonInputs::OwnInputs::find(std::string_view name) {
  for (std::string* own : {&prompt, &lengths, &osl, &least_osl, &session})
    if (*own == name) return own;
  return nullptr;
}

class TritonInputs::Maker {
 public:
  Maker(const RequestShape& shape, const ModelFacts& facts) : shape_(shape), facts_(facts) {
    out_.facts_ = facts;
    out_.osl_ = shape.osl;
  }

  Result<TritonInputs> make() {
    ORCH_TRY(check_batch());
    ORCH_TRY(find_prompt());
    if (shape_.stream && !facts_.decoupled)
      return invalid(fmt::format(
          "the model {} is not decoupled, so it cannot stream; give --no-stream", facts_.name));
    find_lengths();
    ORCH_TRY(add_standard());
    ORCH_TRY(add_sampling());
    for (const auto& [name, value] : shape_.inputs) ORCH_TRY(add_given(name, value));
    for (const NamedArray& given : shape_.arrays) ORCH_TRY(add_array(given));
    ORCH_TRY(add_required());
    out_.answers_.repeats_text =
        facts_.accumulates || facts_.input("sampling_param_max_tokens") != nullptr;
    out_.answers_.event_ids = event_ids();
    out_.answers_.per_prompt = answers_per_prompt();
    out_.answers_.sequences = shape_.batch * out_.answers_.per_prompt;
    if (facts_.input(k_stop) != nullptr) out_.stop_ = stop_tensors();
    return std::move(out_);
  }

 private:
  std::int64_t rows() const { return facts_.max_batch_size > 0 ? shape_.batch : 0; }

  Status check_batch() const {
    if (shape_.batch == 1 || shape_.batch <= facts_.max_batch_size) return {};
    if (facts_.max_batch_size == 0)
      return invalid(
          fmt::format("the model {} takes no batches (its max_batch_size is 0); leave out --batch",
                      facts_.name));
    return invalid(
        fmt::format("the model {} takes batches of at most {}, but --batch is {}; lower it",
                    facts_.name, facts_.max_batch_size, shape_.batch));
  }

  // This model's name for an input, or "".
  std::string name_of(Names names) const {
    for (const std::string_view name : names)
      if (!name.empty() && facts_.input(name) != nullptr) return std::string(name);
    return {};
  }

  Status find_prompt() {
    out_.own_.prompt = name_of(k_prompt);
    if (out_.own_.prompt.empty())
      return invalid(
          fmt::format("the model {} has neither an input text_input nor input_ids, so it takes no "
                      "prompts; its inputs are: {}",
                      facts_.name, join(names_of(facts_.inputs), ", ")));
    out_.takes_ids_ = out_.own_.prompt == "input_ids";
    if (out_.takes_ids_ && facts_.input(k_session) != nullptr) out_.own_.session = k_session;
    if (out_.takes_ids_) out_.own_.lengths = name_of(k_prompt_lengths);
    return {};
  }

  void find_lengths() {
    out_.own_.osl = name_of(k_osl);
    if (out_.own_.osl.empty()) omit(k_osl);
    if (!shape_.forced_osl) return;
    out_.own_.least_osl = name_of(k_least_osl);
    // TurboMind has no minimum length; its own clients ban the end token.
    const bool bans_end = facts_.input(k_session) != nullptr &&
                          std::ranges::any_of(shape_.inputs, [](const auto& input) {
                            return input.first == k_banned_ids;
                          });
    out_.answers_.forces_length =
        !out_.own_.osl.empty() && (!out_.own_.least_osl.empty() || bans_end);
    if (out_.own_.least_osl.empty() && !bans_end) omit(k_least_osl);
  }

  Status add_standard() {
    if (const std::string stream = name_of(k_stream); !stream.empty())
      ORCH_TRY(set(stream, shape_.stream ? "true" : "false"));
    else if (shape_.stream) omit(k_stream);
    // Ensembles of some releases lack these; requests work without them.
    for (const Names names : {k_exclude_prompt, k_times})
      if (const std::string name = name_of(names); !name.empty()) ORCH_TRY(set(name, "true"));
    return {};
  }

  void omit(Names names) { out_.omitted_.emplace_back(names.front()); }

  Status add_sampling() {
    const Sampling& sampling = shape_.sampling;
    const auto number = [](const auto& value) {
      return value ? fmt::format("{}", *value) : std::string();
    };
    const auto flag = [](bool value) { return std::string(value ? "true" : ""); };
    const auto words = [](const std::vector<std::string>& texts) {
      return texts.empty() ? std::string() : texts_json(texts);
    };
    set_option(k_temperature, number(sampling.temperature));
    set_option(k_top_k, number(sampling.top_k));
    set_option(k_top_p, number(sampling.top_p));
    set_option(k_repetition_penalty, number(sampling.repetition_penalty));
    set_option(k_seed, number(sampling.seed));
    set_option(k_beam_width, number(sampling.beam_width));
    set_option(k_lora, number(sampling.lora_task_id));
    set_option(k_stop_words, words(sampling.stop_words));
    set_option(k_bad_words, words(sampling.bad_words));
    set_option(k_log_probs, flag(sampling.log_probs));
    set_option(k_context_logits, flag(sampling.context_logits));
    set_option(k_generation_logits, flag(sampling.generation_logits));
    if (!unsupported_.empty())
      return invalid(fmt::format("the model {} has no input {}; leave out the option for it",
                                 facts_.name, join(unsupported_, ", ")));
    return sampling_status_;
  }

  // Sets the input that has one of NAMES to VALUE, unless VALUE is "".
  void set_option(Names names, const std::string& value) {
    if (value.empty()) return;
    const std::string name = name_of(names);
    if (name.empty()) return void(unsupported_.emplace_back(names.front()));
    if (const Status status = set(name, value); sampling_status_.ok()) sampling_status_ = status;
  }

  Status set(const std::string& name, std::string_view value) {
    ORCH_ASSIGN(Tensor tensor, read_value(*facts_.input(name), value, rows()));
    put(std::move(tensor));
    return {};
  }

  void put(Tensor tensor) {
    if (Tensor* old = find_named(out_.common_, tensor.name)) *old = std::move(tensor);
    else out_.common_.push_back(std::move(tensor));
  }

  Status add_given(const std::string& name, const std::string& value) {
    if (facts_.input(name) != nullptr) {
      ORCH_TRY(set(name, value));
    } else {
      if (shape_.facts) return unknown(name);
      ORCH_ASSIGN(Tensor tensor, read_unknown_value(name, value, rows()));
      put(std::move(tensor));
    }
    replace_own(name);
    return {};
  }

  Status add_array(const NamedArray& given) {
    const ModelTensor* input = facts_.input(given.name);
    if (input == nullptr)
      return invalid(
          fmt::format("{}: the model {} has no input {}; send it to another model, such as "
                      "tensorrt_llm (--model), or to a release whose {} has it",
                      given.array->file, facts_.name, given.name, facts_.name));
    ORCH_ASSIGN(Tensor tensor, array_tensor(*input, *given.array, rows()));
    put(std::move(tensor));
    return {};
  }

  Error unknown(const std::string& name) const {
    const std::vector<std::string> known = names_of(facts_.inputs);
    return invalid(fmt::format("--input {}: the model {} has no such input{}; its inputs are: {}",
                               name, facts_.name, did_you_mean(name, known), join(known, ", ")));
  }

  void replace_own(std::string_view name) {
    if (name == out_.own_.osl || name == out_.own_.least_osl) out_.answers_.forces_length = false;
    if (std::string* own = out_.own_.find(name)) own->clear();
  }

  Status add_required() {
    for (const ModelTensor& input : facts_.inputs) {
      if (input.optional || is_given(input.name)) continue;
      if (input.name == k_stop_words.front() || input.name == k_bad_words.front())
        ORCH_TRY(set(input.name, ""));  // required before 0.9; "" adds no word
      else
        return invalid(fmt::format(
            "the model {} requires the input {} ({} [{}]), which no option sets; add --input "
            "{}=VALUE",
            facts_.name, input.name, input.datatype, fmt::join(input.dims, ", "), input.name));
    }
    return {};
  }

  bool is_given(std::string_view name) {
    return out_.own_.find(name) != nullptr || find_named(out_.common_, name) != nullptr;
  }

  // The model requires a prompt and lengths, and ignores their values.
  std::vector<Tensor> stop_tensors() const {
    std::vector<Tensor> out;
    const auto add = [&](const std::string& name, auto value) {
      if (name.empty()) return;
      const std::vector<std::int64_t> one(facts_.max_batch_size > 0 ? 2 : 1, 1);
      out.push_back({.name = name,
                     .datatype = facts_.input(name)->datatype,
                     .shape = one,
                     .values = std::vector{value}});
    };
    if (out_.takes_ids_) add(name_of(k_prompt), std::int64_t{0});
    else add(name_of(k_prompt), std::string());
    add(name_of(k_prompt_lengths), std::int64_t{0});
    add(name_of(k_osl), std::int64_t{0});
    add(k_stop, std::int64_t{1});
    return out;
  }

  EventIds event_ids() const {
    if (facts_.input(k_session) != nullptr) return EventIds::so_far;
    const bool without_prompt = find_named(out_.common_, k_exclude_prompt.front()) != nullptr;
    return shape_.stream || without_prompt ? EventIds::added : EventIds::whole;
  }

  // The answer has every beam, unless the request limits the number of answers.
  // (sampling_param_best_of returns only the best one.)
  std::int64_t answers_per_prompt() const {
    for (const std::string_view name :
         {std::string_view("num_return_sequences"), k_beam_width[0], k_beam_width[1]})
      if (const std::optional<std::int64_t> answers = first_integer(out_.common_, name))
        return std::clamp<std::int64_t>(*answers, 1, k_most_answers);
    return 1;
  }

  const RequestShape& shape_;
  const ModelFacts& facts_;
  std::vector<std::string> unsupported_;
  Status sampling_status_;  // the first value that is invalid for its input
  TritonInputs out_;
};

Result<TritonInputs> TritonInputs::make(const RequestShape& shape, const ModelFacts& facts) {
  return Maker(shape, facts).make();
}

std::int64_t TritonInputs::osl(std::span<const prompt::Prompt> prompts) const {
  std::int64_t sum = 0;
  for (const prompt::Prompt& prompt : prompts) sum += prompt.osl.value_or(osl_);
  // A user's input replaces the protocol's, with the same value for all prompts.
  for (const std::string_view name : k_osl)
    if (const auto given = first_integer(common_, name);
        given && *given >= 0 && *given <= k_most_tokens)
      sum = *given * (answers_.sequences / answers_.per_prompt);
  return sum * answers_.per_prompt;
}

std::vector<Tensor> TritonInputs::tensors(std::span<const prompt::Prompt> prompts) const {
  std::vector<Tensor> out = of_prompts(prompts);
  out.insert(out.end(), common_.begin(), common_.end());
  return out;
}

std::vector<Tensor> TritonInputs::of_prompts(std::span<const prompt::Prompt> prompts) const {
  std::vector<Tensor> out;
  const auto rows = static_cast<std::int64_t>(prompts.size());
  const auto add = [&](const std::string& name, std::int64_t width, auto values) {
    if (name.empty()) return;
    std::vector<std::int64_t> shape{width};
    if (facts_.max_batch_size > 0) shape.insert(shape.begin(), rows);
    out.push_back({.name = name,
                   .datatype = facts_.input(name)->datatype,
                   .shape = std::move(shape),
                   .values = std::move(values)});
  };
  const auto numbers = [&](auto of) {
    std::vector<std::int64_t> values;
    for (const prompt::Prompt& prompt : prompts) values.push_back(of(prompt));
    return values;
  };
  if (takes_ids_) {
    std::size_t longest = 0;
    for (const prompt::Prompt& prompt : prompts) longest = std::max(longest, prompt.ids.size());
    std::vector<std::int64_t> ids;
    for (const prompt::Prompt& prompt : prompts) {
      ids.insert(ids.end(), prompt.ids.begin(), prompt.ids.end());
      // Padding; input_lengths holds the length of the prompt.
      ids.resize(ids.size() + longest - prompt.ids.size());
    }
    add(own_.prompt, static_cast<std::int64_t>(longest), std::move(ids));
    add(own_.lengths, 1, numbers([](const prompt::Prompt& prompt) {
          return static_cast<std::int64_t>(prompt.ids.size());
        }));
  } else {
    std::vector<std::string> texts;
    for (const prompt::Prompt& prompt : prompts) texts.push_back(prompt.text_input);
    add(own_.prompt, 1, std::move(texts));
  }
  const auto osl = [&](const prompt::Prompt& prompt) { return prompt.osl.value_or(osl_); };
  add(own_.session, 1, numbers([&](const prompt::Prompt&) { return ++sessions_; }));
  add(own_.osl, 1, numbers(osl));
  add(own_.least_osl, 1, numbers(osl));
  return out;
}

}  // namespace orch::protocol
