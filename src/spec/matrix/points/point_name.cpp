#include "spec/matrix/points/point_name.hpp"

#include "core/base/digest.hpp"
#include "core/base/text.hpp"

namespace orch::matrix {

namespace {

constexpr std::size_t k_longest_label = 160;

struct ShortForm {
  std::string_view name;
  std::string_view text;
};
// The usual abbreviations.
constexpr ShortForm k_short_forms[] = {
    {"batch_size", "bs"},
    {"max_batch_size", "mbs"},
    {"concurrency", "c"},
    {"request_rate", "rr"},
    {"max_input_len", "maxin"},
    {"max_seq_len", "maxseq"},
    {"max_num_tokens", "maxnt"},
    {"num_prompts", "np"},
    {"temperature", "t"},
    {"beam_width", "bw"},
    {"kv_cache_free_gpu_mem_fraction", "kvf"},
};

std::string short_form(std::string_view name) {
  for (const ShortForm& form : k_short_forms)
    if (form.name == name) return std::string(form.text);
  if (name.ends_with("_version")) name.remove_suffix(8);
  return std::string(name);
}

std::string file_safe(std::string_view text) {
  std::string safe(text);
  for (char& c : safe)
    if (!is_letter_or_digit(c) && c != '.' && c != '_' && c != '-') c = '-';
  return safe;
}

}  // namespace

std::string label(const Parameter& parameter, const Value& value) {
  if (parameter.type == Type::text) return file_safe(value.text);
  const std::string name = short_form(parameter.name);
  if (parameter.type == Type::boolean) return value.text == "true" ? name : "no_" + name;
  return file_safe(name + (is_digit(name.back()) ? "-" : "") + value.text);
}

PointNames::PointNames(const Vocabulary& vocabulary, const Matrix& matrix,
                       const ParameterTable& table)
    : table_(table), default_runner_(matrix.runner) {
  for (const auto& [name, model] : matrix.models)
    models_.emplace(name, Origin{.written = model.written, .revision = model.revision});
  for (std::size_t i = 0; i < table_.names.size(); ++i) {
    const Parameter* parameter = vocabulary.find(table_.names[i]);
    if (!parameter || parameter->is_compared) continue;
    if (table_.names[i] == k_runner_key) {
      runner_ = i;
      continue;
    }
    declared_.push_back(i);
    if (table_.names[i] == "model") model_ = i;
    else if (parameter->is_model) named_.push_back(i);
  }
}

std::string PointNames::stem(std::string_view label) {
  const bool argument_safe = !label.empty() && is_letter_or_digit(label.front());
  return fmt::format("{}{}", argument_safe ? "" : "p", label.substr(0, k_longest_label));
}

std::string PointNames::name(std::string_view label, std::size_t row,
                             std::span<const std::size_t> left_out, const Origin& model,
                             std::size_t hex_digits) const {
  const auto value_of = [&](std::optional<std::size_t> name) {
    const bool counts = name && !contains(left_out, *name);
    return counts ? table_.find(row, *name) : nullptr;
  };
  Components own;
  for (const std::size_t i : declared_)
    if (const Value* value = value_of(i)) own.add(table_.names[i], value->text);
  // Points of the default runner are named as in a matrix without other runners.
  if (const Value* runner = value_of(runner_); runner && runner->text != default_runner_)
    own.add(k_runner_key, runner->text);
  const bool modeled = value_of(model_) != nullptr;
  own.add("model.source", modeled ? model.written : "");
  own.add("model.revision", modeled ? model.revision : "");
  for (const std::size_t i : named_) {
    const Value* value = value_of(i);
    const auto other = value ? models_.find(value->text) : models_.end();
    if (other == models_.end()) continue;
    own.add(table_.names[i] + ".source", other->second.written);
    own.add(table_.names[i] + ".revision", other->second.revision);
  }
  return stem(label) + '-' + own.digest().prefix(hex_digits);
}

}  // namespace orch::matrix
