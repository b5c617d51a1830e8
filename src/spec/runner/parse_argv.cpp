// `argv`, `batch` and `job` of a stage: the command, its conditional parts, and several stages in
// one process.
#include "core/base/text.hpp"
#include "spec/keys/runner_keys.hpp"
#include "spec/render/template.hpp"
#include "spec/runner/manifest_reader.hpp"
#include "spec/runner/stage_reader.hpp"
#include "spec/runner/symbol_check.hpp"

namespace orch::runner {

namespace {

constexpr std::size_t k_most_depth = 4;

bool has_symbol(const Yaml& word, std::string_view name) {
  const auto symbols = render::symbols_of(word.text);
  return std::ranges::find(symbols, name) != symbols.end();
}

// TEXT as a node at the location of NAME.
Yaml node_at(const Yaml& name, std::string text) {
  Yaml scalar;
  scalar.kind = Yaml::Kind::scalar;
  scalar.text = std::move(text);
  scalar.places = scalar.where = name.where;
  return scalar;
}

}  // namespace

void StageReader::read_argv() {
  const std::size_t before = reader_.errors().size();
  for (const Yaml* word : reader_.items(map_, "launch")) add_word(*word, {}, stage_.fragments);
  stage_.launcher = argv_words_.size();
  if (const Yaml* launch = key_node("launch"); launch && !key_node("argv"))
    fail(launch->where, "'launch' of stage '{}' launches nothing; give the stage 'argv'",
         stage_.name);
  read_items(reader_.items(map_, "argv"), stage_.fragments);
  argv_ = node_.find("argv");
  if (argv_ && reader_.errors().size() == before) check_program(*argv_);
}

void StageReader::read_items(const Nodes& items, std::vector<Fragment>& into) {
  for (const Yaml* item : items) {
    if (!item->is_map()) add_word(*item, {}, into);
    else if (item->find("options")) read_options(*item, "options", into);
    else if (item->find("values")) read_options(*item, "values", into);
    else if (item->find("times")) read_part(*item, "times", matrix::Question::Answer::number, into);
    else if (item->find("words")) read_cut(*item, into);
    else read_fragment(*item, into);
  }
}

void StageReader::read_fragment(const Yaml& item, std::vector<Fragment>& into) {
  // YAML parses {port:http} without quotes as a map.
  if (item.entries.size() == 1 && item.entries.front().value.is_null() &&
      item.entries.front().key.text != "when") {
    const std::string symbol = "{" + item.entries.front().key.text + "}";
    return fail(item.where, "{} needs quotes, because braces make a map in YAML; write \"{}\"",
                quoted(symbol), symbol);
  }
  read_part(item, "when", matrix::Question::Answer::truth, into);
}

void StageReader::read_part(const Yaml& item, std::string_view key, matrix::Question::Answer answer,
                            std::vector<Fragment>& into) {
  if (indices_.size() == k_most_depth)
    return fail(item.where, "parts of 'argv' are nested more than {} deep; write them side by side",
                k_most_depth);
  const bool counted = answer == matrix::Question::Answer::number;
  YamlMap map(item, counted ? keys::k_repeated_words : keys::k_when_words, "a part of 'argv'",
              reader_.errors());
  const Yaml* asked = map.take_fitting(key);
  const Nodes items = reader_.items(map, "then");
  const std::string index = counted ? read_index(map, item.where) : "";
  if (!asked) return;
  Fragment part{.words = {},
                .when = question(fmt::format("'{}' in argv of stage '{}'", key, stage_.name),
                                 *asked, answer, false),
                .counted = counted,
                .index = index};
  indices_.push_back(index);
  if (std::ranges::any_of(items, [](const Yaml* one) { return one->is_map(); })) {
    read_items(items, part.parts);
    into.push_back(std::move(part));
  } else {
    for (const Yaml* word : items) add_word(*word, part, into);
  }
  indices_.pop_back();
}

// The name of the counter in the arguments of a repeated part.
std::string StageReader::read_index(YamlMap& map, const Location& where) {
  const Yaml* node = map.take("index");
  const std::string name = node ? node->text : "index";
  const Location& at = node ? node->where : where;
  if (const auto why = refuse_index(name)) fail(at, "{} {}", quoted(name), *why);
  else if (std::ranges::find(indices_, name) != indices_.end())
    fail(at, "{} is the index of the part around this one; choose another one: index: NAME",
         quoted(name));
  else if (name != "index" && (is_built_in_symbol(name) || manifest_.vocabulary().find(name)))
    fail(at, "{} is already the name of a parameter, a fact or a symbol; give 'index' another name",
         quoted(name));
  return name;
}

// --NAME VALUE for every parameter that has a value; under 'options', a bare --NAME for a boolean
// that is true. {NAME: --other} sets another option name.
void StageReader::read_options(const Yaml& item, std::string_view key,
                               std::vector<Fragment>& into) {
  YamlMap map(item, key == "options" ? keys::k_options : keys::k_values, "a part of 'argv'",
              reader_.errors());
  for (const Yaml* one : reader_.items(map, key)) {
    const bool renamed = one->is_map();
    add_option(renamed ? one->entries.front().key : *one,
               renamed ? one->entries.front().value.text : "--" + one->text, key == "options",
               into);
  }
}

void StageReader::add_option(const Yaml& name, const std::string& option, bool bare_truth,
                             std::vector<Fragment>& into) {
  const matrix::Parameter* parameter = read_here(name, "option");
  if (!parameter) return;
  const bool truth = bare_truth && parameter->type == matrix::Type::boolean;
  Fragment part = where_it_has_a_value(*parameter, name, truth);
  if (parameter->is_list) part.each = name.text;
  add_word(made_.emplace_back(node_at(name, option)), part, into);
  if (!truth) add_word(made_.emplace_back(node_at(name, "{" + name.text + "}")), part, into);
}

// {words: NAME}: a text of several words, for an option with several values.
void StageReader::read_cut(const Yaml& item, std::vector<Fragment>& into) {
  YamlMap map(item, keys::k_cut_words, "a part of 'argv'", reader_.errors());
  const Yaml* name = map.take_fitting("words");
  const matrix::Parameter* parameter = name ? read_here(*name, "words") : nullptr;
  if (!parameter) return;
  if (parameter->type != matrix::Type::text)
    return fail(name->where,
                "'words' cuts a text at its blanks, and {} is of type {}; write \"{{{}}}\" as a "
                "word of 'argv'",
                quoted(name->text), to_string(parameter->type), name->text);
  Fragment part = where_it_has_a_value(*parameter, *name, false);
  part.cut = true;
  add_word(made_.emplace_back(node_at(*name, "{" + name->text + "}")), part, into);
}

const matrix::Parameter* StageReader::read_here(const Yaml& name, std::string_view as) {
  const auto parameter = std::ranges::find_if(
      manifest_.parameters, [&](const auto& one) { return one.name == name.text; });
  if (parameter != manifest_.parameters.end() &&
      std::ranges::find(stage_.reads, name.text) != stage_.reads.end())
    return &*parameter;
  fail(name.where, "{} {} is not a parameter that stage '{}' reads; add it under 'reads'", as,
       quoted(name.text), stage_.name);
  return nullptr;
}

Fragment StageReader::where_it_has_a_value(const matrix::Parameter& parameter, const Yaml& name,
                                           bool truth) {
  const Yaml asked =
      node_at(name, truth ? fmt::format("coalesce({}, 0)", name.text) : name.text + " IS NOT NULL");
  Fragment part;
  if (truth || parameter.optional)
    part.when = question(fmt::format("option '{}' of stage '{}'", name.text, stage_.name), asked,
                         matrix::Question::Answer::truth, false);
  return part;
}

void StageReader::add_word(const Yaml& word, const Fragment& part, std::vector<Fragment>& into) {
  if (into.empty() || into.back().when != part.when || into.back().counted != part.counted ||
      into.back().cut != part.cut || into.back().each != part.each || !into.back().parts.empty())
    into.push_back(part);
  into.back().words.push_back(word.text);
  if (!indices_.empty()) counts_[&word] = indices_;
  if (is_in_version_) return version_words_.push_back(&word);
  stage_.argv.push_back(word.text);
  argv_words_.push_back(&word);
  filled_.push_back(&word);
}

// The command of `version` runs before any stage, so only parameters and files of the runner may
// occur in it.
void StageReader::read_version() {
  const Yaml* node = key_node("version");
  is_in_version_ = true;
  read_items(reader_.items(map_, "version"), stage_.version);
  is_in_version_ = false;
  if (!node) return;
  stage_.version_where = node->where;
  const SymbolCheck symbols(stage_, manifest_, reader_);
  for (const Yaml* word : version_words_) {
    const std::size_t before = reader_.errors().size();
    symbols.check(*word, counts_[word]);
    if (reader_.errors().size() > before) continue;
    for (const std::string& symbol : render::symbols_of(word->text))
      if (!symbol.starts_with("file:") && !manifest_.vocabulary().find(symbol))
        fail(word->where,
             "'version' of stage '{}' uses {{{}}}, and it is asked before anything is made; use "
             "parameters and {{file:PATH}}",
             stage_.name, symbol);
  }
}

// Fragments before the program may put another program in front: every word that can come first
// must be a program.
void StageReader::check_program(const Yaml& argv) {
  std::size_t word = 0;
  if (!check_first_words(stage_.fragments, word) && !stage_.fragments.empty())
    fail(argv.where,
         "'argv' of stage '{}' has only words with 'when', so it may be empty; write the program "
         "without 'when'",
         stage_.name);
}

// WORD is the index of the first word of FRAGMENTS, and afterwards of the first word after them.
// Returns whether one of them applies to every point.
bool StageReader::check_first_words(const std::vector<Fragment>& fragments, std::size_t& word) {
  for (const Fragment& fragment : fragments) {
    bool certain = true;
    if (fragment.parts.empty()) {
      const Yaml& first = *argv_words_[word];
      if (const auto why = refuse_program(first.text))
        fail(first.where, "the program {} {}", quoted(first.text), *why);
      word += fragment.words.size();
    } else {
      certain = check_first_words(fragment.parts, word);
    }
    if (!fragment.when && certain) return true;
  }
  return false;
}

void StageReader::read_batch() {
  if (has("batch", Kind::task)) map_.take("batch", stage_.batch);
  if (has("job", Kind::task)) {
    for (const Yaml::Entry* argument : reader_.entries(map_, "job")) {
      stage_.job[argument->key.text] = argument->value.text;
      filled_.push_back(&argument->value);
    }
  }
  if (const Yaml* job = key_node("job");
      job && kind_known_ && stage_.kind == Kind::task && !stage_.batch)
    fail(job->where, "'job' is for a batch; add 'batch: true' to stage '{}'", stage_.name);
  if (!stage_.batch) return;
  if (stage_.shared)
    fail(key_node("shared")->where,
         "'shared' is for a process of its own; remove it from batch '{}'", stage_.name);
  if (!key_node("job"))
    fail(key_node("batch")->where,
         "stage '{}' is a batch without 'job'; write the arguments of one job: job: {{out: "
         "\"{{out}}\"}}",
         stage_.name);
  if (std::ranges::none_of(argv_words_, [](const Yaml* word) { return has_symbol(*word, "jobs"); }))
    fail(
        argv_ ? argv_->where : key_.where,
        "stage '{}' is a batch, but no word of its argv is {{jobs}}; give the program its job file",
        stage_.name);
  for (const Yaml* word : argv_words_)
    if (has_symbol(*word, "out"))
      fail(word->where,
           "{{out}} in argv of the batch '{}' would be the same folder for all jobs; write it "
           "under 'job'",
           stage_.name);
}

}  // namespace orch::runner
