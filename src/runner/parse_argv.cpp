// `argv`, `batch` and `job` of a stage: the command, its conditional parts, and many stages in one process.
#include "base/text.hpp"
#include "render/symbols.hpp"
#include "runner/forms.hpp"
#include "runner/stage_reader.hpp"

namespace orch::runner {

namespace {

bool has_symbol(const Yaml& word, std::string_view name) {
  const auto symbols = render::symbols_of(word.text);
  return std::find(symbols.begin(), symbols.end(), name) != symbols.end();
}

}  // namespace

void StageReader::read_argv() {
  const std::size_t before = reader_.errors().size();
  for (const Yaml* item : reader_.words(map_, "argv", true)) {
    if (item->is_map()) read_fragment(*item);
    else add_word(*item, std::nullopt);
  }
  argv_ = node_.find("argv");
  if (argv_ && reader_.errors().size() == before) check_program(*argv_);
}

void StageReader::read_fragment(const Yaml& item) {
  // {port:http} without quotes is a map to YAML.
  if (item.entries.size() == 1 && item.entries.front().value.is_null() && item.entries.front().key.text != "when") {
    const std::string symbol = "{" + item.entries.front().key.text + "}";
    return fail(item.where, "{} needs quotes, because braces make a map in YAML; write \"{}\"", quoted(symbol), symbol);
  }
  YamlMap map(item, "a part of 'argv'", reader_.errors());
  const Yaml* when = reader_.required(map, "when");
  const Yaml* then = map.require("then");
  const Nodes words = reader_.words(map, "then", false);
  if (then && then->is_list() && then->items.empty()) fail(then->where, "'then' is empty; write the words that stand here when it is true");
  map.finish();
  if (!when) return;
  const auto answer = question(fmt::format("'when' in argv of stage '{}'", stage_.name), *when, matrix::Question::Answer::truth, false);
  for (const Yaml* word : words) add_word(*word, answer);
}

void StageReader::add_word(const Yaml& word, std::optional<std::size_t> when) {
  if (stage_.fragments.empty() || stage_.fragments.back().when != when) stage_.fragments.push_back({.words = {}, .when = when});
  stage_.fragments.back().words.push_back(word.text);
  stage_.argv.push_back(word.text);
  argv_words_.push_back(&word);
  filled_.push_back(&word);
}

// A fragment may stand before the program and put another one before it: whatever can come first must be a program.
void StageReader::check_program(const Yaml& argv) {
  if (argv.items.empty())
    return fail(argv.where, "'argv' of stage '{}' is empty; write the program and its words, or leave it out", stage_.name);
  std::size_t first = 0;
  for (const Fragment& fragment : stage_.fragments) {
    const Yaml& word = *argv_words_[first];
    if (const auto why = refuse_program(word.text)) fail(word.where, "the program {} {}", quoted(word.text), *why);
    first += fragment.words.size();
    if (!fragment.when) return;
  }
  if (!stage_.fragments.empty())
    fail(argv.where, "'argv' of stage '{}' has only words with 'when', so it may have none; write the program without 'when'", stage_.name);
}

void StageReader::read_batch() {
  if (has("batch", Kind::task)) stage_.batch = map_.take_bool("batch").value_or(false);
  if (has("job", Kind::task)) {
    for (const auto& [name, value] : reader_.pairs(map_, "job")) {
      stage_.job[name->text] = value->text;
      filled_.push_back(value);
    }
  }
  if (const Yaml* job = key_node("job"); job && kind_known_ && stage_.kind == Kind::task && !stage_.batch)
    fail(job->where, "'job' is for a batch; add 'batch: true' to stage '{}'", stage_.name);
  if (!stage_.batch) return;
  if (!key_node("job"))
    fail(key_node("batch")->where, "stage '{}' is a batch without 'job'; write what one job is given: job: {{out: \"{{out}}\"}}",
         stage_.name);
  if (std::none_of(argv_words_.begin(), argv_words_.end(), [](const Yaml* word) { return has_symbol(*word, "jobs"); }))
    fail(argv_ ? argv_->where : key_.where, "stage '{}' is a batch, but no word of its argv is {{jobs}}; give the program its job file",
         stage_.name);
  for (const Yaml* word : argv_words_)
    if (has_symbol(*word, "out"))
      fail(word->where, "{{out}} in argv of the batch '{}' would be one job's folder for all; write it under 'job'", stage_.name);
}

}  // namespace orch::runner
