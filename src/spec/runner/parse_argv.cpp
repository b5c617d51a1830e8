// `argv`, `batch` and `job` of a stage: the command, its conditional parts, and several stages in
// one process.
#include "core/base/text.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/manifest_reader.hpp"
#include "spec/runner/stage_entry.hpp"
#include "spec/runner/symbol_check.hpp"

namespace orch::runner {

using Answer = matrix::Question::Answer;

namespace {

constexpr std::size_t k_most_depth = 4;

bool has_symbol(const FilledText& word, std::string_view name) {
  const auto symbols = render::symbols_of(word.text->text);
  return contains(symbols, name);
}

// TEXT as a node at the location of NAME.
Yaml node_at(const Yaml& name, std::string text) {
  Yaml scalar;
  scalar.kind = Yaml::Kind::scalar;
  scalar.text = std::move(text);
  scalar.places = scalar.where = name.where;
  return scalar;
}

// WORD is the index among WORDS of the first word of FRAGMENTS, and afterwards of the first word
// after them. Returns whether one of FRAGMENTS applies to every point.
bool check_first_words(StageEntry& entry, const std::vector<FilledText>& words,
                       const std::vector<Fragment>& fragments, std::size_t& word) {
  for (const Fragment& fragment : fragments) {
    bool certain = true;
    if (fragment.parts.empty()) {
      const Yaml& first = *words[word].text;
      if (const auto why = refuse_program(first.text))
        entry.fail(first.where, "the program {} {}", quoted(first.text), *why);
      word += fragment.words.size();
    } else {
      certain = check_first_words(entry, words, fragment.parts, word);
    }
    if (!fragment.when && certain) return true;
  }
  return false;
}

}  // namespace

void read_argv(StageEntry& entry, ArgvReader& argv) {
  StageKind& stage = entry.stage;
  const std::size_t before = entry.reader.errors().size();
  const Yaml* launch = entry.key_node("launch");
  argv.read(entry.reader.items(entry.map, "launch"), stage.fragments);
  stage.launcher = argv.words().size();
  if (launch && !entry.key_node("argv"))
    entry.fail(launch->where, "'launch' of stage '{}' launches nothing; give the stage 'argv'",
               stage.name);
  argv.read(entry.reader.items(entry.map, "argv"), stage.fragments);
  for (const FilledText& word : argv.words()) stage.argv.push_back(word.text->text);
  entry.filled = argv.words();
  const Yaml* node = entry.node.find("argv");
  if (!node || entry.reader.errors().size() != before) return;
  // Fragments before the program may put another program in front: every word that can come first
  // must be a program.
  std::size_t word = 0;
  if (!check_first_words(entry, argv.words(), stage.fragments, word) && !stage.fragments.empty())
    entry.fail(node->where,
               "'argv' of stage '{}' has only words with 'when', so it may be empty; write the "
               "program without 'when'",
               stage.name);
}

void ArgvReader::read(const Nodes& items, std::vector<Fragment>& into) {
  for (const Yaml* item : items) {
    if (!item->is_map()) add_word(*item, {}, into);
    else if (item->find("options")) read_options(*item, "options", into);
    else if (item->find("values")) read_options(*item, "values", into);
    else if (item->find("times")) read_part(*item, "times", Answer::number, into);
    else if (item->find("words")) read_cut(*item, into);
    else if (!refuse_symbol(*item)) read_part(*item, "when", Answer::truth, into);
  }
}

// Reports {port:http} without quotes, which YAML parses as a map. Returns whether ITEM is one.
bool ArgvReader::refuse_symbol(const Yaml& item) {
  if (item.entries.size() != 1 || !item.entries.front().value.is_null() ||
      item.entries.front().key.text == "when")
    return false;
  const std::string symbol = "{" + item.entries.front().key.text + "}";
  entry_.fail(item.where, "{} needs quotes, because braces make a map in YAML; write \"{}\"",
              quoted(symbol), symbol);
  return true;
}

void ArgvReader::read_part(const Yaml& item, std::string_view key, Answer answer,
                           std::vector<Fragment>& into) {
  if (indices_.size() == k_most_depth)
    return entry_.fail(item.where,
                       "parts of 'argv' are nested more than {} deep; write them side by side",
                       k_most_depth);
  const bool counted = answer == Answer::number;
  YamlMap map(item, counted ? keys::k_repeated_words : keys::k_when_words, "a part of 'argv'",
              entry_.reader.errors());
  const Yaml* asked = map.take_fitting(key);
  const Nodes items = entry_.reader.items(map, "then");
  const std::string index = counted ? read_index(map, item.where) : "";
  if (!asked) return;
  Fragment part{.words = {},
                .when = entry_.ask(fmt::format("'{}' in argv", key), *asked, answer, false),
                .counted = counted,
                .index = index};
  indices_.push_back(index);
  if (std::ranges::any_of(items, [](const Yaml* one) { return one->is_map(); })) {
    read(items, part.parts);
    into.push_back(std::move(part));
  } else {
    for (const Yaml* word : items) add_word(*word, part, into);
  }
  indices_.pop_back();
}

// The name of the counter in the arguments of a repeated part.
std::string ArgvReader::read_index(YamlMap& map, const Location& where) {
  const Yaml* node = map.take("index");
  const std::string name = node ? node->text : "index";
  const Location& at = node ? node->where : where;
  if (const auto why = refuse_index(name)) entry_.fail(at, "{} {}", quoted(name), *why);
  else if (contains(indices_, name))
    entry_.fail(at, "{} is the index of the part around this one; choose another name: index: NAME",
                quoted(name));
  else if (name != "index" && (is_built_in_symbol(name) || entry_.manifest.parameter(name)))
    entry_.fail(
        at, "{} is already the name of a parameter, a fact or a symbol; give 'index' another name",
        quoted(name));
  return name;
}

// --NAME VALUE for every parameter that has a value; under 'options', a bare --NAME for a boolean
// that is true. {NAME: --other} sets another option name.
void ArgvReader::read_options(const Yaml& item, std::string_view key, std::vector<Fragment>& into) {
  const bool bare_truth = key == "options";
  YamlMap map(item, bare_truth ? keys::k_options : keys::k_values, "a part of 'argv'",
              entry_.reader.errors());
  for (const Yaml* one : entry_.reader.items(map, key)) {
    const bool renamed = one->is_map();
    const Yaml& name = renamed ? one->entries.front().key : *one;
    const matrix::Parameter* parameter = read_here(name, "option");
    if (!parameter) continue;
    const bool truth = bare_truth && parameter->type == matrix::Type::boolean;
    Fragment part = where_it_has_a_value(*parameter, name, truth);
    if (parameter->is_list) part.each = name.text;
    add_generated(name, renamed ? one->entries.front().value.text : "--" + name.text, part, into);
    if (!truth) add_generated(name, "{" + name.text + "}", part, into);
  }
}

// {words: NAME}: a text of several words, for an option with several values.
void ArgvReader::read_cut(const Yaml& item, std::vector<Fragment>& into) {
  YamlMap map(item, keys::k_cut_words, "a part of 'argv'", entry_.reader.errors());
  const Yaml* name = map.take_fitting("words");
  const matrix::Parameter* parameter = name ? read_here(*name, "words") : nullptr;
  if (!parameter) return;
  if (parameter->type != matrix::Type::text)
    return entry_.fail(
        name->where,
        "'words' splits a text at its blanks, but {} is of type {}; write \"{{{}}}\" as a "
        "word of 'argv'",
        quoted(name->text), to_string(parameter->type), name->text);
  Fragment part = where_it_has_a_value(*parameter, *name, false);
  part.cut = true;
  add_generated(*name, "{" + name->text + "}", part, into);
}

const matrix::Parameter* ArgvReader::read_here(const Yaml& name, std::string_view as) {
  const matrix::Parameter* parameter = entry_.manifest.parameter(name.text);
  if (parameter && contains(entry_.stage.reads, name.text)) return parameter;
  entry_.fail(name.where, "{} {} is not a parameter that stage '{}' reads; add it under 'reads'",
              as, quoted(name.text), entry_.stage.name);
  return nullptr;
}

Fragment ArgvReader::where_it_has_a_value(const matrix::Parameter& parameter, const Yaml& name,
                                          bool truth) {
  const Yaml asked =
      node_at(name, truth ? fmt::format("coalesce({}, 0)", name.text) : name.text + " IS NOT NULL");
  Fragment part;
  if (truth || parameter.optional)
    part.when = entry_.ask(fmt::format("option '{}'", name.text), asked, Answer::truth, false);
  return part;
}

void ArgvReader::add_word(const Yaml& word, const Fragment& part, std::vector<Fragment>& into) {
  if (into.empty() || into.back().when != part.when || into.back().counted != part.counted ||
      into.back().cut != part.cut || into.back().each != part.each || !into.back().parts.empty())
    into.push_back(part);
  into.back().words.push_back(word.text);
  words_.push_back({&word, indices_});
}

void ArgvReader::add_generated(const Yaml& name, std::string text, const Fragment& part,
                               std::vector<Fragment>& into) {
  add_word(generated_.emplace_back(node_at(name, std::move(text))), part, into);
}

// The command of `version` runs before any stage, so only parameters and files of the runner may
// occur in it.
void read_version(StageEntry& entry) {
  StageKind& stage = entry.stage;
  const Yaml* node = entry.key_node("version");
  ArgvReader version(entry);
  version.read(entry.reader.items(entry.map, "version"), stage.version);
  if (!node) return;
  stage.version_where = node->where;
  const SymbolCheck symbols(stage, entry.manifest, entry.reader);
  for (const auto& [word, counts] : version.words()) {
    const std::size_t before = entry.reader.errors().size();
    symbols.check(*word, counts);
    if (entry.reader.errors().size() > before) continue;
    for (const std::string& symbol : render::symbols_of(word->text))
      if (!symbol.starts_with("file:") && !entry.manifest.parameter(symbol))
        entry.fail(word->where,
                   "'version' of stage '{}' uses {{{}}}, but it runs before anything is made; "
                   "use parameters and {{file:PATH}}",
                   stage.name, symbol);
  }
}

void read_batch(StageEntry& entry, const ArgvReader& argv) {
  StageKind& stage = entry.stage;
  if (entry.has("batch", Kind::task)) entry.map.take("batch", stage.batch);
  if (entry.has("job", Kind::task)) {
    for (const Yaml::Entry* argument : entry.reader.entries(entry.map, "job")) {
      stage.job[argument->key.text] = argument->value.text;
      entry.filled.push_back({&argument->value});
    }
  }
  if (const Yaml* job = entry.key_node("job");
      job && entry.kind_known && stage.kind == Kind::task && !stage.batch)
    entry.fail(job->where, "'job' is for a batch; add 'batch: true' to stage '{}'", stage.name);
  if (!stage.batch) return;
  if (stage.shared)
    entry.fail(entry.key_node("shared")->where,
               "'shared' needs a task with its own process; remove it from batch '{}'", stage.name);
  if (!entry.key_node("job"))
    entry.fail(entry.key_node("batch")->where,
               "stage '{}' is a batch without 'job'; write the arguments of one job: job: {{out: "
               "\"{{out}}\"}}",
               stage.name);
  if (const Yaml* node = entry.node.find("argv"); std::ranges::none_of(
          argv.words(), [](const FilledText& word) { return has_symbol(word, "jobs"); }))
    entry.fail(
        node ? node->where : entry.key.where,
        "stage '{}' is a batch, but no word of its argv is {{jobs}}; give the program its job file",
        stage.name);
  for (const FilledText& word : argv.words())
    if (has_symbol(word, "out"))
      entry.fail(word.text->where,
                 "{{out}} in argv of the batch '{}' would be the same folder for all jobs; write "
                 "it under 'job'",
                 stage.name);
}

}  // namespace orch::runner
