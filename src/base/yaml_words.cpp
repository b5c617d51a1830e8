#include "base/yaml_words.hpp"

#include "base/text.hpp"

namespace orch {

namespace {

class Explanation {
 public:
  Explanation(const YamlProblem& problem, YamlSource& source)
      : problem_(problem), source_(source), text_(source.text()) {}

  Error error() {
    const auto occurs = [&](const Row& row) {
      return problem_.problem.find(row.words) != std::string_view::npos;
    };
    const auto row = std::find_if(k_table.begin(), k_table.end(), occurs);
    if (row != k_table.end()) return row->explain(*this);
    return here(fmt::format("not valid YAML ({}); put a text with special characters in quotes",
                            problem_.problem));
  }

 private:
  struct Row {
    std::string_view words;
    std::function<Error(Explanation&)> explain;
  };
  static const std::vector<Row> k_table;

  Error here(std::string message) { return invalid(std::move(message), source_.at(problem_.at)); }
  Error at_begin(std::string message) {
    return invalid(std::move(message), source_.at(problem_.began));
  }

  bool at_end() const {
    return text_.find_first_not_of(" \t\r\n", problem_.at) == std::string_view::npos;
  }
  char character(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  std::size_t line_start() const {
    const auto end =
        problem_.at == 0 ? std::string_view::npos : text_.find_last_of("\r\n", problem_.at - 1);
    return end == std::string_view::npos ? 0 : end + 1;
  }
  std::string_view before() const {
    return trim(text_.substr(line_start(), std::min(problem_.at, text_.size()) - line_start()));
  }
  // The character at the fault, in quotes.
  std::string shown() const {
    std::size_t size = 1;
    while ((static_cast<unsigned char>(character(problem_.at + size)) & 0xc0) == 0x80) ++size;
    return quoted(text_.substr(std::min(problem_.at, text_.size()), size));
  }

  Error tab() { return here("a tab in the indentation; indent with spaces"); }

  Error strange_character() {
    if (character(problem_.at) == '\t') return tab();
    return here(fmt::format("a plain value cannot begin with {}; put it in quotes", shown()));
  }

  Error colon() {
    const std::string_view line = before();
    if (line.find(": ") != std::string_view::npos || line.find(":\t") != std::string_view::npos)
      return here("a ':' inside a plain value; put the value in quotes");
    return here(
        "a key cannot stand here, because the line above continues; indent it like the other keys, "
        "or give the line above its ':'");
  }

  Error open_collection(std::size_t began) {
    const char open = character(began);
    const char close = open == '[' ? ']' : '}';
    if (at_end())
      return invalid(fmt::format("a '{}' is never closed; add the '{}'", open, close),
                     source_.at(began));
    const int line = source_.at(began).line;
    if (character(problem_.at) == ':')
      return here(
          fmt::format("a ':' cannot stand here, because the '{}' of line {} is still open; add "
                      "'{}' or ',', or put a text with ':' in quotes",
                      open, line, close));
    return here(fmt::format("',' or '{}' is missing here: the '{}' of line {} is still open", close,
                            open, line));
  }
  Error bracket() { return open_collection(problem_.began); }

  Error no_content() {
    if (at_end() && problem_.collection) return open_collection(*problem_.collection);
    return here(fmt::format(
        "a value is missing before {}; write it, or put a text that begins so in quotes", shown()));
  }

  Error misplaced() {
    const std::string_view line = before();
    const bool items = problem_.problem.find("'-'") != std::string_view::npos;
    if (line.ends_with('\'') || line.ends_with('"'))
      return here("text after a closing quote; put the whole value in quotes of the other kind");
    if (!line.empty())
      return here(fmt::format("{} cannot stand here; put the whole value in quotes", shown()));
    const bool dash = character(problem_.at) == '-';
    if (dash && items && is_letter_or_digit(character(problem_.at + 1)))
      return here("an item begins with '- '; add a space after the '-'");
    if (dash && !items)
      return here(
          "a '-' among the keys of a map; indent it below the key whose list it belongs to");
    if (items)
      return here(
          "this line is between the items of a list and is not an item; begin it with '- ', or "
          "indent it like "
          "the item above");
    return here(
        "the indentation of this line matches none of the keys above; indent it like the keys that "
        "it "
        "belongs to");
  }

  Error no_colon() {
    return at_begin(
        "this line is not 'key: value'; add the ':', or indent it as a part of the value above");
  }

  Error open_quote() {
    const char quote = character(problem_.began);
    return at_begin(
        fmt::format("a quote ({}) opens here and is never closed; add the closing one", quote));
  }

  Error bad_name() {
    const auto about = [&](std::string_view what) {
      return problem_.context.find(what) != std::string_view::npos;
    };
    if (!about("anchor") && !about("alias")) return bad_tag();
    return at_begin(
        fmt::format("a name of letters, digits, '-' and '_' must follow '{}'; put a text that "
                    "begins so in quotes",
                    character(problem_.began)));
  }

  Error bad_tag() {
    if (problem_.context.find("directive") != std::string_view::npos) return directive();
    return at_begin("'!' begins a YAML tag; put a text that begins so in quotes");
  }

  Error directive() {
    return at_begin(
        "a line that begins with '%' is a YAML directive, which is not supported; remove it, or "
        "put the text in quotes");
  }

  Error escape() {
    const std::string letter = quoted(text_.substr(std::min(problem_.at, text_.size()), 2));
    return here(fmt::format(
        "{} is not a YAML escape; write a backslash as '\\\\', or use single quotes", letter));
  }
  Error escape_digits() {
    return here(
        "an escape that names no character; write \\xNN, \\uNNNN or \\UNNNNNNNN with hexadecimal "
        "digits");
  }

  Error block_header() {
    return here(fmt::format(
        "only '+', '-' or a digit from 1 may follow '{}'; write the text on the lines below",
        character(problem_.began)));
  }

  Error item_here() {
    return here(
        "a '-' item cannot begin here; write the list on the lines below or as [a, b], or put a "
        "text that begins so in quotes");
  }
  Error question_here() {
    return here("a '?' key cannot begin here; put a text that begins so in quotes");
  }

  Error second_text() {
    if (const char c = character(problem_.at); c == ']' || c == '}')
      return here(fmt::format("this '{}' closes nothing; remove it", c));
    if (before().ends_with('\'') || before().ends_with('"')) return misplaced();
    return here(
        "text after the end of the value above; remove it, or put the whole value in quotes");
  }

  Error too_deep() { return here("nested too deeply; flatten the file"); }

  const YamlProblem& problem_;
  YamlSource& source_;
  std::string_view text_;
};

// The first row whose words occur in libyaml's text explains it.
const std::vector<Explanation::Row> Explanation::k_table = {
    {"found a tab character", &Explanation::tab},
    {"cannot start any token", &Explanation::strange_character},
    {"mapping values are not allowed", &Explanation::colon},
    {"expected ',' or", &Explanation::bracket},
    {"expected node content", &Explanation::no_content},
    {"expected key", &Explanation::misplaced},
    {"expected '-' indicator", &Explanation::misplaced},
    {"could not find expected ':'", &Explanation::no_colon},
    {"unexpected end of stream", &Explanation::open_quote},
    {"unexpected document indicator", &Explanation::open_quote},
    {"alphabetic or numeric character", &Explanation::bad_name},
    {"unknown escape character", &Explanation::escape},
    {"hexdecimal number", &Explanation::escape_digits},
    {"Unicode character escape", &Explanation::escape_digits},
    {"indentation indicator", &Explanation::block_header},
    {"expected comment or line break", &Explanation::block_header},
    {"block sequence entries", &Explanation::item_here},
    {"mapping keys are not allowed", &Explanation::question_here},
    {"expected <document start>", &Explanation::second_text},
    {"directive", &Explanation::directive},
    {"incompatible YAML document", &Explanation::directive},
    {"version number", &Explanation::directive},
    {"tag", &Explanation::bad_tag},
    {"'!'", &Explanation::bad_tag},
    {"'>'", &Explanation::bad_tag},
    {"URI", &Explanation::bad_tag},
    {"UTF-8", &Explanation::bad_tag},
    {"nesting", &Explanation::too_deep},
};

}  // namespace

Error explain(const YamlProblem& problem, YamlSource& source) {
  Explanation explanation(problem, source);
  return explanation.error();
}

}  // namespace orch
