#include "app/cli/commands.hpp"
#include "app/cli/fill_template_compat.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/say.hpp"
#include "core/base/text.hpp"
#include "os/system/files.hpp"
#include "results/store/layout.hpp"
#include "spec/render/fill_script.hpp"
#include "spec/render/pbtxt_fill.hpp"

#include <clocale>

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

constexpr std::uint64_t k_most_template_bytes = 16 << 20;

constexpr std::string_view k_help = R"(Without --compat, the values are checked:
  SUBS is KEY:VALUE,KEY:VALUE and may be repeated. The first colon ends a key, so a value may
  contain colons. A comma ends a value only if a name and a colon follow. A backslash makes the next
  character literal: 'a:x\,b:y' gives a the value 'x,b:y'. A value inside quotes is escaped as
  protobuf text requires.
  All errors are reported at once, and nothing is written if there are any. Errors are a key without
  a placeholder, a key with two values, no value for a placeholder outside quotes
  (triton_max_batch_size, decoupled_mode, max_queue_delay_microseconds, max_queue_size, the instance
  counts, data types), and a value with which the model would not load.
  Warnings: a value that the backend would silently replace by a default, and a key that it ignores.
  Other placeholders without a value stay and are listed. The file is replaced atomically and keeps
  its mode; stdout gets the same text.
With --compat TAG (0.5 to 1.x, as 0.14, 0.14.0 or v0.14.0), files, output and exit status are those
of the release's fill_template.py:
  SUBS is given once. Before 0.16 no value may contain a comma or colon; from 0.16 on, a backslash
  makes the next character literal. max_queue_size (from 0.12 on) and max_queue_delay_microseconds
  (from 0.19 on) default to 0. From 0.19 on, a key that is not in the file is an error.
  --participant_ids is an option of 0.15. The exit status is 1 if the script would fail, which
  may leave an empty file, and 2 if it would refuse its arguments.)";

struct Options {
  std::string file;
  std::vector<std::string> substitutions;
  bool in_place = false;
  std::string release;
  std::string compat;
  std::optional<std::string> participant_ids;
};

std::string unfilled_note(const std::string& file,
                          const std::vector<render::UnfilledKey>& unfilled) {
  std::vector<std::string> keys;
  for (const render::UnfilledKey& key : unfilled)
    keys.push_back(key.fallback.empty()
                       ? fmt::format("{} (line {})", key.key, key.where.line)
                       : fmt::format("{} (line {}: {})", key.key, key.where.line, key.fallback));
  return fmt::format("{}: no value for {}; they stay, and the backend uses its defaults", file,
                     join(keys, ", "));
}

Result<std::string> read_template(const std::string& file) {
  ORCH_ASSIGN(std::string text, system::RealFiles().read_text(file, k_most_template_bytes));
  const std::size_t bad = find_not_utf8(text);
  if (bad == std::string::npos) return text;
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
  return invalid("this line is not UTF-8, which Triton does not read; write it as UTF-8",
                 {file, static_cast<int>(line), 0});
}

// The release that the user names; nullopt if none is named, so that the placeholders decide.
Result<std::optional<render::Release>> release_of(const Options& options) {
  if (options.release.empty()) return std::optional<render::Release>();
  ORCH_ASSIGN(const render::Release release, render::read_release(options.release));
  return std::optional(release);
}

Exit fill(const Options& options) {
  Errors errors;
  if (options.participant_ids)
    errors.push_back(
        invalid("--participant_ids is an option of --compat 0.15; write participant_ids:VALUE "
                "among the substitutions"));
  if (options.in_place)
    if (const Status free = store::check_output(options.file); !free)
      errors.push_back(free.error());
  const auto values = render::read_substitutions(options.substitutions, errors);
  const auto text = read_template(options.file);
  const auto release = release_of(options);
  if (!text || !release) {
    if (!text) errors.push_back(text.error());
    if (!release) errors.push_back(release.error());
    print_errors(errors);
    return Exit::refused;
  }
  const render::PbtxtTemplate from{.text = *text, .file = options.file, .release = *release};
  render::FilledPbtxt filled = render::fill_pbtxt(from, values);
  for (const std::string& key : filled.unknown)
    errors.push_back(render::unknown_key(from, key, values.at(key)));
  errors.insert(errors.end(), filled.errors.begin(), filled.errors.end());
  keep_readable(errors);
  keep_readable(filled.warnings);
  for (const Error& warning : filled.warnings)
    say(stderr, "warning: {}\n", printable(warning.text()));
  print_errors(errors);
  if (!errors.empty()) return Exit::refused;
  if (!filled.unfilled.empty())
    say(stderr, "note: {}\n", printable(unfilled_note(options.file, filled.unfilled)));
  if (!options.in_place) return print_out(filled.text) ? Exit::done : Exit::refused;
  const Status written = system::replace_text(options.file, filled.text);
  if (!written) print_errors({written.error()});
  return written ? Exit::done : Exit::refused;
}

// Removes --compat and its value from WORDS; returns the value, or nullopt if WORDS lack the
// option. Sets WHY if the value is missing.
std::optional<std::string> take_compat(std::vector<std::string>& words, std::string& why) {
  std::optional<std::string> tag;
  for (std::size_t i = 0; i < words.size() && words[i] != "--";) {
    if (words[i].starts_with("--compat=")) {
      tag = words[i].substr(9);
    } else if (words[i] == "--compat") {
      tag = i + 1 < words.size() ? words[i + 1] : "";
      if (i + 1 == words.size()) why = "--compat needs a release, such as --compat 0.14";
      else words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
      continue;
    }
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return tag;
}

// Parses the options of the scripts as Python's argparse does: options may be abbreviated, joined
// and mixed with positional arguments.
class Argparse {
 public:
  Argparse(std::span<const std::string> words, bool takes_participant_ids) : words_(words) {
    options_ = {{"-h", Action::help},
                {"--help", Action::help},
                {"--in_place", Action::in_place},
                {"-i", Action::in_place}};
    if (takes_participant_ids) options_.push_back({"--participant_ids", Action::participant_ids});
  }

  ScriptArguments run() {
    sort_words();
    for (at_ = 0; at_ < sorted_.size() && going(); ++at_) {
      const Word& word = sorted_[at_];
      if (word.is_option) take_option(word);
      else if (!word.is_separator) positionals_.push_back(word.text);
      else if (positionals_.size() == 2 && sorted_[at_ - 1].is_option)
        unknown_.push_back(word.text);  // both positional arguments have values
    }
    if (!going()) return result_;
    if (positionals_.size() < 2) refuse("FILE and SUBS are needed");
    else if (positionals_.size() > 2) unknown_.push_back(positionals_[2]);
    if (going() && !unknown_.empty())
      refuse(fmt::format("{} is not an argument of the script", quoted(unknown_.front())));
    if (going())
      std::tie(result_.file, result_.substitutions) = std::tie(positionals_[0], positionals_[1]);
    return result_;
  }

 private:
  enum class Action { none, help, in_place, participant_ids };
  struct Option {
    std::string name;
    Action action;
  };
  struct Word {
    std::string text;
    bool is_option = false;
    bool is_separator = false;
    Option option = {};                      // with Action::none, an unknown option
    std::optional<std::string> joined = {};  // --option=JOINED, -oJOINED
  };

  bool going() const { return result_.outcome == ScriptArguments::Outcome::run; }
  void refuse(std::string why) {
    result_.outcome = ScriptArguments::Outcome::refused;
    result_.why = std::move(why);
  }

  const Option* named(std::string_view name) const {
    const auto found = std::ranges::find(options_, name, &Option::name);
    return found == options_.end() ? nullptr : &*found;
  }

  void sort_words() {
    bool all_positional = false;
    for (const std::string& text : words_) {
      if (all_positional) sorted_.push_back({.text = text});
      else if (text == "--") {
        all_positional = true;
        sorted_.push_back({.text = text, .is_separator = true});
      } else sorted_.push_back(sorted(text));
    }
  }

  Word sorted(const std::string& text) {
    if (text.size() < 2 || text[0] != '-') return {.text = text};
    if (const Option* option = named(text))
      return {.text = text, .is_option = true, .option = *option};
    const std::size_t equals = text.find('=');
    const auto after_equals = [&] {
      return equals == text.npos ? std::nullopt : std::optional(text.substr(equals + 1));
    };
    if (const Option* option = named(text.substr(0, equals)))
      return {.text = text, .is_option = true, .option = *option, .joined = after_equals()};
    std::vector<Word> near;
    for (const Option& option : options_) {
      if (text[1] == '-' && option.name.starts_with(text.substr(0, equals)))
        near.push_back(
            {.text = text, .is_option = true, .option = option, .joined = after_equals()});
      if (text[1] != '-' && option.name == text.substr(0, 2))
        near.push_back(
            {.text = text, .is_option = true, .option = option, .joined = text.substr(2)});
    }
    if (near.size() > 1)
      refuse(fmt::format("{} may be {} or {}", quoted(text), near[0].option.name,
                         near[1].option.name));
    if (!near.empty()) return near.front();
    if (is_negative_number(text) || text.find(' ') != text.npos) return {.text = text};
    return {.text = text, .is_option = true};
  }

  // Whether TEXT is a negative number: -1, -1.5, -.5.
  static bool is_negative_number(std::string_view text) {
    text.remove_prefix(1);
    const std::size_t point = text.find('.');
    const std::string_view digits = point == text.npos ? text : text.substr(point + 1);
    return !digits.empty() &&
           (text.substr(0, std::min(point, text.size())).find_first_not_of("0123456789") ==
            text.npos) &&
           digits.find_first_not_of("0123456789") == text.npos;
  }

  void take_option(Word word) {
    if (word.option.action == Action::none) return unknown_.push_back(word.text);
    if (word.option.action == Action::participant_ids) return take_participant_ids(word);
    for (;;) {
      const bool is_short = word.option.name[1] != '-';
      const bool joined = word.joined && (!is_short || !word.joined->empty());
      const Option* next =
          joined && is_short ? named(std::string("-") + word.joined->front()) : nullptr;
      if (word.joined && !next) return refuse(fmt::format("{} takes no value", word.option.name));
      if (word.option.action == Action::help) result_.outcome = ScriptArguments::Outcome::help;
      else result_.in_place = true;
      if (!next || !going()) return;
      word.option = *next;
      word.joined = word.joined->size() > 1 ? std::optional(word.joined->substr(1)) : std::nullopt;
    }
  }

  void take_participant_ids(const Word& word) {
    if (word.joined) {
      result_.participant_ids = *word.joined;
    } else if (at_ + 1 < sorted_.size() && !sorted_[at_ + 1].is_option &&
               !sorted_[at_ + 1].is_separator) {
      result_.participant_ids = sorted_[++at_].text;
    } else {
      refuse("--participant_ids needs a value");
    }
  }

  std::span<const std::string> words_;
  std::vector<Option> options_;
  std::vector<Word> sorted_;
  std::size_t at_ = 0;
  std::vector<std::string> positionals_;
  std::vector<std::string> unknown_;
  ScriptArguments result_;
};

// Whether Python would write invalid UTF-8 from arguments to stdout unchanged, as in the locales C,
// POSIX and C.UTF-8.
bool stdout_takes_any_bytes() {
  const char* name = std::setlocale(LC_CTYPE, "");
  const std::string locale = name ? name : "C";
  std::setlocale(LC_CTYPE, "C");
  return locale == "C" || locale == "POSIX" || locale == "C.UTF-8" || locale == "C.utf8" ||
         locale == "UTF-8";
}

Status write_as_script(const std::string& text, const ScriptArguments& arguments) {
  if (!arguments.in_place) {
    ORCH_ASSIGN(const std::string out, render::to_output(text, stdout_takes_any_bytes()));
    return print_out(out + "\n") ? Status() : Status(io_error("write", "stdout", EIO));
  }
  const auto out = render::to_output(text, false);
  // A failure leaves the file empty, as with the script, which opens the file before the text turns
  // out to be unwritable.
  ORCH_TRY(system::RealFiles().put(arguments.file, out.value_or("")));
  return out ? Status() : Status(out.error());
}

Status run_as_script(const render::FillScript& script, const ScriptArguments& arguments) {
  if (arguments.in_place) ORCH_TRY(store::check_output(arguments.file));
  ORCH_ASSIGN(const std::string bytes, system::RealFiles().read(arguments.file));
  const render::FillScriptCall call{.template_bytes = bytes,
                                    .file = arguments.file,
                                    .substitutions = arguments.substitutions,
                                    .participant_ids = arguments.participant_ids};
  ORCH_ASSIGN(const std::string text, render::run_fill_script(script, call));
  return write_as_script(text, arguments);
}

}  // namespace

void add_fill_template(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("fill-template",
                                         "Fill the ${placeholders} of a config.pbtxt and check it, "
                                         "or do exactly what fill_template.py of a release does");
  auto options = std::make_shared<Options>();
  command->footer(std::string(k_help));
  command->add_flag("-i,--in_place,--in-place", options->in_place,
                    "Write the result to FILE instead of stdout");
  command->add_option("FILE", options->file, "The template")->required();
  command->add_option("SUBS", options->substitutions, "KEY:VALUE,KEY:VALUE ...")->required();
  command
      ->add_option("--release", options->release,
                   "Release that reads the file (default: inferred from the placeholders)")
      ->type_name("TAG");
  command
      ->add_option("--compat", options->compat,
                   "Behave exactly like fill_template.py of the release TAG")
      ->type_name("TAG");
  command
      ->add_option("--participant_ids", options->participant_ids,
                   "With --compat 0.15: the value of participant_ids")
      ->type_name("IDS");
  command->callback([options, &exit_code] { exit_code = status_of(fill(*options)); });
}

ScriptArguments read_as_argparse(std::span<const std::string> words, bool takes_participant_ids) {
  return Argparse(words, takes_participant_ids).run();
}

std::optional<int> fill_as_script(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "fill-template") return std::nullopt;
  std::vector<std::string> words(argv + 2, argv + argc);
  std::string why;
  const std::optional<std::string> tag = take_compat(words, why);
  if (!tag) return std::nullopt;
  const auto refuse = [](const std::string& reason) {
    say(stderr, "{}\nRun 'orchestrate fill-template --help' for more information.\n",
        printable(reason));
    return status_of(Exit::refused);
  };
  if (!why.empty()) return refuse(why);
  const auto script = render::fill_script_of(*tag);
  if (!script) return refuse("--compat: " + script.error().message);
  const ScriptArguments arguments = read_as_argparse(words, script->participant_ids);
  if (arguments.outcome == ScriptArguments::Outcome::refused)
    return refuse(fmt::format("--compat {}: {}", *tag, arguments.why));
  if (arguments.outcome == ScriptArguments::Outcome::help) {
    say(stdout, "orchestrate fill-template --compat {} [-h] [-i]{} FILE SUBS\n", *tag,
        script->participant_ids ? " [--participant_ids IDS]" : "");
    return status_of(Exit::done);
  }
  const Status done = run_as_script(*script, arguments);
  if (!done) say(stderr, "--compat {}: {}\n", *tag, printable(done.error().text()));
  return status_of(done ? Exit::done : Exit::failed);
}

}  // namespace orch::cli
