#include "docs/pages.hpp"
#include "spec/matrix/vocabulary.hpp"
#include "spec/runner/list_manifest.hpp"

#include <fmt/format.h>

namespace orch::docs {

namespace {

std::string form_of(const Form& form);

std::string link(const KeyTable& table) { return fmt::format("[{0}](#{0})", table.name); }

std::string number_of(const Form& form, std::string_view what) {
  std::string text(what);
  if (form.least && (*form.least != 0 || form.above))
    text += fmt::format("{} {}", form.above ? " above" : ", at least", *form.least);
  if (form.most) text += fmt::format(", at most {}", *form.most);
  return text;
}

std::string list_of(const Form& form) {
  const std::string items = form_of(*form.of);
  return fmt::format("list of {}", items == "word" ? "words" : items == "path" ? "paths" : items);
}

std::string one_form_of(const Form& form) {
  switch (form.kind) {
    case Form::Kind::word: {
      std::string choices;
      for (const std::string_view choice : form.choices)
        choices += (choices.empty() ? "" : ", ") + code(choice);
      return choices.empty() ? "word" : choices;
    }
    case Form::Kind::sql: return "SQL";
    case Form::Kind::path: return "path";
    case Form::Kind::version: return "version";
    case Form::Kind::integer: return number_of(form, "integer");
    case Form::Kind::number: return number_of(form, "number");
    case Form::Kind::boolean: return "`true` or `false`";
    case Form::Kind::list: return list_of(form);
    case Form::Kind::names: {
      const bool single = form.most && *form.most == 1;
      return fmt::format("{}NAME: {}{}", single ? "one " : "", form_of(*form.of),
                         single ? "" : ", ...");
    }
    case Form::Kind::keys: return "map " + link(*form.keys);
  }
  return "";
}

std::string form_of(const Form& form) {
  std::string text;
  for (const Form* one = &form; one; one = one->otherwise)
    text += (text.empty() ? "" : ", or ") + one_form_of(*one);
  return text;
}

}  // namespace

std::string keys_page(std::string_view heading, std::string_view introduction,
                      const std::vector<const KeyTable*>& tables) {
  std::string text = fmt::format("{}\n{}\n", title(heading), introduction);
  for (const KeyTable* table : tables) {
    text += fmt::format("\n## {}\n\n{}\n\n", table->name, prose(table->help));
    text += head({"key", "value", "meaning"});
    for (const Key& key : table->keys)
      text += row({code(key.name), form_of(*key.form) + (key.required ? "; required" : ""),
                   prose(key.help)});
  }
  return text;
}

std::string machine_facts() {
  constexpr std::size_t k_prefix = std::string_view("host_").size();
  std::string text =
      "\n## machine\n\nFacts of the machine. Rules and SQL read them with the prefix `host_`.\n\n" +
      head({"key", "value", "meaning"});
  for (const matrix::Parameter& fact : matrix::host_facts())
    text +=
        row({code(fact.name.substr(k_prefix)), prose(runner::type_words(fact)), prose(fact.help)});
  return text;
}

}  // namespace orch::docs
