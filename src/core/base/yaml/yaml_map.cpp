#include "core/base/text.hpp"
#include "core/base/yaml/yaml.hpp"

#include <iterator>

namespace orch {

std::optional<bool> to_bool(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

namespace {

using Kind = Form::Kind;

// "'prices.gpu_hour'" for the key "gpu_hour" of "'prices'".
std::string below(std::string_view name, std::string_view key) {
  return fmt::format("{}.{}'", name.substr(0, name.size() - 1), printable(key));
}

bool is_of_maps(const Form& form) { return form.of->kind == Kind::keys; }

bool is_number(const Form& form) { return form.kind == Kind::integer || form.kind == Kind::number; }

std::string number_in_words(const Form& form) {
  std::string text(form.noun);
  if (text.empty()) text = form.kind == Kind::integer ? "a whole number" : "a number";
  if (form.least && form.most && !form.above)
    return fmt::format("{} from {} to {}", text, *form.least, *form.most);
  if (form.least) text += fmt::format("{} {}", form.above ? " above" : ", at least", *form.least);
  if (form.most) text += fmt::format(", at most {}", *form.most);
  return text;
}

std::vector<std::string> choices_of(const Form& form) {
  return {form.choices.begin(), form.choices.end()};
}

std::string one_form_in_words(const Form& form) {
  if (is_number(form)) return number_in_words(form);
  if (!form.noun.empty()) return std::string(form.noun);
  switch (form.kind) {
    case Kind::boolean: return "true or false";
    case Kind::list: return is_of_maps(form) ? "a list of maps" : "a list";
    case Kind::names: return "a map of names and values";
    case Kind::keys: return "a map of keys and values";
    default: break;
  }
  std::string choices = one_of(choices_of(form));
  std::erase(choices, '\'');
  return choices.empty() ? "one value" : choices;
}

std::string in_words(const Form& form) {
  std::vector<std::string> forms;
  for (const Form* one = &form; one; one = one->otherwise) forms.push_back(one_form_in_words(*one));
  return join(forms, ", or ");
}

bool has_shape(const Form& form, const Yaml& node) {
  if (form.kind == Kind::list) return node.is_list();
  if (form.kind == Kind::names || form.kind == Kind::keys) return node.is_map();
  return node.is_scalar();
}

bool is_within(const Form& form, double number) {
  return (!form.least || (form.above ? number > *form.least : number >= *form.least)) &&
         (!form.most || number <= *form.most);
}

bool is_one(const Form& form, const std::string& text) {
  if (form.kind == Kind::boolean) return to_bool(text).has_value();
  if (!is_number(form))
    return form.choices.empty() ? !form.least || !text.empty() : contains(form.choices, text);
  const auto number = to_real(text);
  return number && is_within(form, *number) && (form.kind == Kind::number || to_integer(text));
}

// TEXT as one value of a list in brackets.
std::string flow_word(const std::string& text) {
  static constexpr std::string_view k_plain = "_-./=+";
  const auto is_plain = [](char c) {
    return is_letter_or_digit(c) || k_plain.find(c) != std::string_view::npos;
  };
  if (std::ranges::all_of(text, is_plain)) return text;
  const char quote = text.find('"') == std::string::npos ? '"' : '\'';
  return quote + text + quote;
}

// The text to write instead of NODE, which is not a list: for a scalar, the list that was meant.
std::string list_instead(const Yaml& node) {
  static constexpr std::size_t k_longest = 200;
  if (node.is_null()) return "[] or leave it out";
  if (!node.is_scalar() || node.text.size() > k_longest) return "[VALUE, ...]";
  std::vector<std::string> words;
  for (const std::string& word : split(node.text, ' '))
    if (!word.empty()) words.push_back(flow_word(printable(word)));
  return fmt::format("[{}]", join(words, ", "));
}

// The end of the message about NODE, with the remedy.
std::string remedy_of(const Form& form, const Yaml& node) {
  std::string near;
  if (node.is_scalar()) near = did_you_mean(node.text, choices_of(form));
  if (!form.remedy.empty()) return fmt::format("{}; {}", near, form.remedy);
  if (form.kind == Kind::list)
    return "; write " + (is_of_maps(form) ? "[{KEY: VALUE, ...}, ...]" : list_instead(node));
  if (form.kind == Kind::names) return "; write {NAME: VALUE}";
  const bool may_be_empty = form.kind == Kind::word && !form.least && form.choices.empty();
  return node.is_null() && may_be_empty ? "; write '' for the empty text" : near;
}

Error not_of(const Form& form, const Yaml& node, std::string_view name) {
  return invalid(fmt::format("{} must be {}, not {}{}", name, in_words(form), node.describe(),
                             remedy_of(form, node)),
                 node.where);
}

// The faults of NODE, a value in a list or in a map of names.
Errors faults_of_part(const Yaml& node, const Form& form, const std::string& name, bool is_item) {
  if (form.kind == Kind::keys && !form.otherwise) return {};  // checked where its keys are read
  if (is_item && form.kind == Kind::word && form.choices.empty() && !node.is_scalar() &&
      (!form.otherwise || !has_shape(*form.otherwise, node)))
    return {
        invalid(fmt::format("{} must be a list of plain values, not of {}", name, node.describe()),
                node.where)};
  return faults_of(node, form, name);
}

// The message that NODE, a list or a map of names, has too few or too many entries for FORM; "" if
// FORM allows their number.
std::string fault_of_size(const Yaml& node, const Form& form, std::string_view name,
                          std::string_view help) {
  const std::size_t size = node.items.size() + node.entries.size();
  if (is_within(form, static_cast<double>(size))) return "";
  const std::string_view what = help.substr(0, help.find_first_of(":;."));
  if (size == 0)
    return fmt::format("{} is empty{}", name,
                       what.empty() || !form.remedy.empty() ? remedy_of(form, node)
                                                            : fmt::format("; write {}", what));
  const bool few = form.least && static_cast<double>(size) < *form.least;
  return fmt::format("{} has {} {}; give it at {} {}{}", name, size,
                     size == 1 ? "entry" : "entries", few ? "least" : "most",
                     few ? *form.least : *form.most,
                     form.remedy.empty() ? "" : remedy_of(form, node));
}

// The faults in NODE, which has the shape of FORM.
Errors faults_inside(const Yaml& node, const Form& form, const std::string& name,
                     std::string_view help) {
  if (form.kind == Kind::keys) return {};
  Errors faults;
  if (node.is_scalar()) {
    if (is_one(form, node.text)) return {};
    if (node.text.empty() && form.least && !is_number(form))
      return {invalid(fmt::format("{} is empty; give it a value", name), node.where)};
    return {not_of(form, node, name)};
  }
  if (std::string fault = fault_of_size(node, form, name, help); !fault.empty())
    faults.push_back(invalid(std::move(fault), node.where));
  for (const Yaml& item : node.items)
    std::ranges::move(faults_of_part(item, *form.of, name, true), std::back_inserter(faults));
  for (const auto& [key, value] : node.entries)
    std::ranges::move(faults_of_part(value, *form.of, below(name, key.text), false),
                      std::back_inserter(faults));
  return faults;
}

}  // namespace

Errors faults_of(const Yaml& node, const Form& form, const std::string& name,
                 std::string_view help) {
  if (form.kind == Kind::keys && node.is_null()) return {};
  std::optional<Errors> faults;  // of the first form of this shape
  for (const Form* one = &form; one; one = one->otherwise) {
    if (!has_shape(*one, node)) continue;
    Errors found = faults_inside(node, *one, name, help);
    if (found.empty()) return {};
    if (!faults) faults = std::move(found);
  }
  return faults ? *std::move(faults) : Errors{not_of(form, node, name)};
}

void assign(bool& target, const Yaml& node) { target = *to_bool(node.text); }

void assign(int& target, const Yaml& node) { target = static_cast<int>(*to_integer(node.text)); }

void assign(std::int64_t& target, const Yaml& node) { target = *to_integer(node.text); }

void assign(double& target, const Yaml& node) { target = *to_real(node.text); }

void assign(std::string& target, const Yaml& node) { target = node.text; }

void assign(std::vector<std::string>& target, const Yaml& node) {
  target.clear();
  if (node.is_scalar()) target.push_back(node.text);
  for (const Yaml& item : node.items) target.push_back(item.text);
}

YamlMap::YamlMap(const Yaml& node, const KeyTable& keys, std::string what, Errors& errors,
                 bool is_part)
    : node_(node),
      what_(std::move(what)),
      errors_(errors),
      rows_(keys.keys),
      known_(members_of(keys.keys, &Key::name)) {
  check_keys(is_part);
}

YamlMap::YamlMap(const Yaml& node, std::vector<std::string> keys, std::string what, Errors& errors)
    : node_(node), what_(std::move(what)), errors_(errors), known_(std::move(keys)) {
  check_keys(true);
}

void YamlMap::check_keys(bool is_part) {
  if (!node_.is_map() && !node_.is_null())
    return fail(node_.where, fmt::format("{} must be a map of keys and values, not {}", what_,
                                         node_.describe()));
  for (const Key& key : rows_)
    if (key.required && !is_part && !take(key.name))
      fail(node_.where, fmt::format("{} has no '{}'; add it", what_, key.name));
  for (const auto& [key, value] : node_.entries)
    if (!contains(known_, key.text))
      fail(key.where, fmt::format("unknown key {} in {}{}", quoted(key.text), what_,
                                  did_you_mean(key.text, known_)));
}

void YamlMap::fail(const Location& where, std::string message) {
  errors_.push_back(invalid(std::move(message), where));
}

const Yaml* YamlMap::take(std::string_view key) const {
  assert(contains(known_, key));
  const Yaml* value = node_.find(key);
  return value && value->idle ? nullptr : value;
}

const Yaml* YamlMap::take_fitting(std::string_view key) {
  const Yaml* value = take(key);
  if (!value) return nullptr;
  const Key& key_row = row(key);
  const Errors faults = faults_of(*value, *key_row.form, name_of(key), key_row.help);
  errors_.insert(errors_.end(), faults.begin(), faults.end());
  return faults.empty() ? value : nullptr;
}

std::vector<const Yaml*> YamlMap::take_items(std::string_view key) {
  std::vector<const Yaml*> items;
  const Yaml* list = take(key);
  if (!list || (!take_fitting(key) && !list->is_list())) return items;
  for (const Yaml& item : list->items)
    if (faults_of_part(item, *row(key).form->of, "''", true).empty()) items.push_back(&item);
  return items;
}

std::vector<const Yaml::Entry*> YamlMap::take_entries(std::string_view key) {
  std::vector<const Yaml::Entry*> entries;
  const Yaml* names = take(key);
  if (!names || (!take_fitting(key) && !names->is_map())) return entries;
  for (const Yaml::Entry& entry : names->entries)
    if (faults_of_part(entry.value, *row(key).form->of, "''", false).empty())
      entries.push_back(&entry);
  return entries;
}

std::optional<YamlMap> YamlMap::section(std::string_view key) {
  const Yaml* value = take(key);
  if (!value) return std::nullopt;
  return YamlMap(*value, *row(key).form->keys, name_of(key), errors_);
}

const Key& YamlMap::row(std::string_view key) const {
  const auto row = std::ranges::find(rows_, key, &Key::name);
  assert(row != rows_.end());
  return *row;
}

std::string YamlMap::name_of(std::string_view key) const {
  const bool is_section = what_.starts_with('\'') && what_.find('\'', 1) == what_.size() - 1;
  return is_section ? below(what_, key) : fmt::format("'{}'", key);
}

}  // namespace orch
