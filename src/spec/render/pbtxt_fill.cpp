#include "spec/render/pbtxt_fill.hpp"

#include "core/base/text.hpp"
#include "spec/render/fill_script.hpp"

#include <set>

namespace orch::render {

namespace {

// A placeholder and its context.
struct Place {
  Placeholder placeholder;
  char quote = 0;  // of the string around it; 0 outside
  bool comment = false;
  Location where;

  bool bare() const { return !quote && !comment; }
};

// Scans protobuf text and tracks the context (string, comment) at the current offset.
class Scanner {
 public:
  Scanner(std::string_view text, std::string file) : text_(text), where_{std::move(file), 1, 1} {}

  // Advances to OFFSET, which must not precede the current one.
  void walk_to(std::size_t offset) {
    while (at_ < offset) step();
  }
  char quote() const { return quote_; }
  bool comment() const { return comment_; }
  const Location& where() const { return where_; }

 private:
  void step() {
    const char c = text_[at_++];
    ++where_.column;
    if (c == '\n') {  // also ends an unterminated string
      comment_ = false;
      quote_ = 0;
      ++where_.line;
      where_.column = 1;
    } else if (comment_) {
      return;
    } else if (quote_) {
      if (c == '\\' && at_ < text_.size() && text_[at_] != '\n') {
        ++at_;
        ++where_.column;
      } else if (c == quote_) quote_ = 0;
    } else if (c == '#') {
      comment_ = true;
    } else if (c == '"' || c == '\'') {
      quote_ = c;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Location where_;
  char quote_ = 0;
  bool comment_ = false;
};

std::vector<Place> places_in(const PbtxtTemplate& from) {
  Scanner scanner(from.text, from.file);
  std::vector<Place> places;
  for (Placeholder& placeholder : find_placeholders(from.text)) {
    scanner.walk_to(placeholder.offset);
    places.push_back({std::move(placeholder), scanner.quote(), scanner.comment(), scanner.where()});
  }
  return places;
}

std::vector<std::string> names_of(const std::vector<Place>& places) {
  std::set<std::string> names;
  for (const Place& place : places) names.insert(place.placeholder.name);
  return {names.begin(), names.end()};
}

// The value of `name: "..."` at the beginning of a line, or "".
std::string model_of(std::string_view text) {
  for (const std::string& line : split(text, '\n')) {
    std::string_view rest = line;
    if (!rest.starts_with("name")) continue;
    rest = trim(rest.substr(4));
    if (!rest.starts_with(':')) continue;
    rest = trim(rest.substr(1));
    const std::size_t end = rest.starts_with('"') ? rest.find('"', 1) : rest.npos;
    if (end != rest.npos) return std::string(rest.substr(1, end - 1));
  }
  return "";
}

// NAME, shortened for a message.
std::string shown(std::string_view name) {
  return name.size() <= 60 ? std::string(name) : fmt::format("{}...", name.substr(0, 60));
}

bool is_one_word(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) {
    return is_letter_or_digit(c) || c == '_' || c == '.' || c == '+' || c == '-';
  });
}

std::string in_quotes(std::string_view value, char quote) {
  std::string out;
  for (const char c : value) {
    if (c == quote || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

class Filling {
 public:
  Filling(const PbtxtTemplate& from, const std::map<std::string, std::string>& values)
      : from_(from),
        values_(values),
        places_(places_in(from)),
        model_(model_of(from.text)),
        releases_(releases_with(model_, names_of(places_))) {
    if (from.release) releases_ = {*from.release, {from.release->major, from.release->minor + 1}};
  }

  FilledPbtxt run() {
    auto place = places_.begin();
    filled_.text = substitute(from_.text, [&](const Placeholder&) { return fill(*place++); });
    for (const auto& [key, value] : values_) {
      const Place* best = best_place(key);
      if (!best) filled_.unknown.push_back(key);
      else check(*best, value);
    }
    sort_by_place(filled_.errors);
    sort_by_place(filled_.warnings);
    return std::move(filled_);
  }

 private:
  std::optional<std::string> fill(const Place& place) {
    const auto value = values_.find(place.placeholder.name);
    if (value == values_.end()) {
      leave(place);
      return std::nullopt;
    }
    return place.quote ? in_quotes(value->second, place.quote) : value->second;
  }

  void leave(const Place& place) {
    if (place.comment || !left_.insert(place.placeholder.name).second) return;
    const std::string name = shown(place.placeholder.name);
    const ModelKey* row = row_of(name);
    const std::string remedy =
        fmt::format("add {}:VALUE{}", name, row ? ", " + expected(*row, releases_) : "");
    if (place.bare())
      error(
          place,
          fmt::format("${{{}}} has no value and is outside quotes, where Triton cannot read it; {}",
                      name, remedy));
    else if (row && row->required)
      error(place, fmt::format("${{{}}} has no value, and without one the model does not load; {}",
                               name, remedy));
    else
      filled_.unfilled.push_back(
          {place.placeholder.name, place.where, row ? row->fallback : std::string_view()});
  }

  void check(const Place& place, const std::string& value) {
    const std::string name = shown(place.placeholder.name);
    const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (std::ranges::any_of(value, control))
      return error(place, fmt::format("{}: {} has control characters; write the value on one line",
                                      name, quoted(value)));
    if (find_not_utf8(value) != std::string::npos)
      return error(place, fmt::format("{}: {} is not UTF-8, which Triton does not read", name,
                                      quoted(value)));
    if (place.comment)
      return warn(place,
                  fmt::format("${{{}}} occurs only in a comment, so {} has no effect; remove it",
                              name, quoted(value)));
    const ModelKey* row = row_of(name);
    if (value.empty() && place.quote && !(row && row->required)) return;  // equal to unset
    if (const auto finding = row ? check_value(*row, value, releases_) : std::nullopt) {
      finding->loads ? warn(place, fmt::format("{}: {}", name, finding->message))
                     : error(place, fmt::format("{}: {}", name, finding->message));
    } else if (place.bare() && !is_one_word(value)) {
      error(place,
            fmt::format(
                "{}: {} is outside quotes, where only a number or a word can be read; write one",
                name, quoted(value)));
    } else if (row && row->required && value.empty()) {
      error(place, fmt::format("{}: without a value the model does not load; write {}:VALUE, {}",
                               name, name, expected(*row, releases_)));
    }
    if (row && is_idle(*row, releases_))
      warn(place, fmt::format("{}: {} {}; remove it", name, quoted(value), row->idle));
  }

  const ModelKey* row_of(std::string_view name) const {
    const ModelKey* row = find_model_key(name, model_);
    // A row of another model may have another meaning; it is used only if the model is unknown.
    return row && (model_.empty() || has_model(*row, model_) || !is_model(model_)) ? row : nullptr;
  }

  static bool is_model(std::string_view model) {
    const auto rows = model_keys();
    return std::ranges::any_of(rows, [&](const ModelKey& row) { return has_model(row, model); });
  }

  // The first occurrence of KEY outside comments, otherwise the first; null if there is none.
  const Place* best_place(const std::string& key) const {
    const Place* best = nullptr;
    for (const Place& place : places_)
      if (place.placeholder.name == key && (!best || (best->comment && !place.comment)))
        best = &place;
    return best;
  }

  void error(const Place& place, std::string message) {
    filled_.errors.push_back(invalid(std::move(message), place.where));
  }
  void warn(const Place& place, std::string message) {
    filled_.warnings.push_back(invalid(std::move(message), place.where));
  }

  const PbtxtTemplate& from_;
  const std::map<std::string, std::string>& values_;
  std::vector<Place> places_;
  std::string model_;
  Releases releases_;
  FilledPbtxt filled_;
  std::set<std::string> left_;  // names reported as staying
};

// The templates that have KEY, as "tensorrt_llm, preprocessing from 0.19 on"; "" if unknown.
std::string owners_of(std::string_view key) {
  std::vector<std::string> owners;
  for (const ModelKey& row : model_keys()) {
    if (row.key != key) continue;
    std::string owner = join(split(row.models, ' '), ", ");
    if (row.since != k_any_release) owner += " from " + to_string(row.since) + " on";
    if (row.until != k_no_release) owner += " before " + to_string(row.until);
    owners.push_back(std::move(owner));
  }
  return join(owners, "; ");
}

}  // namespace

FilledPbtxt fill_pbtxt(const PbtxtTemplate& from,
                       const std::map<std::string, std::string>& values) {
  return Filling(from, values).run();
}

Error unknown_key(const PbtxtTemplate& from, std::string_view key, std::string_view value) {
  const std::string owners = owners_of(key);
  const std::vector<std::string> names = names_of(places_in(from));
  const ModelKey* row = find_model_key(key, model_of(from.text));
  const std::string why =
      names.empty() ? ", nor any other; is the file filled already?"
      : !row        ? did_you_mean(key, names)
      : has_model(*row, model_of(from.text))
          ? fmt::format(
                "; the templates of {} have it: this one is of another release, or filled already; "
                "remove the key",
                owners)
          : fmt::format("; it belongs to the templates of {}; remove it here", owners);
  return invalid(
      fmt::format("there is no placeholder ${{{}}} for {}{}", shown(key),
                  quoted(fmt::format("{}:{}", key, value)), why.empty() ? "; remove it" : why),
      {from.file, 0, 0});
}

}  // namespace orch::render
