#include "core/base/text.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/say.hpp"
#include "spec/render/pbtxt_fill.hpp"
#include "spec/render/substitutions.hpp"
#include "results/store/own_places.hpp"
#include "os/system/files.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

constexpr int k_wrong = 2;
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

// The release that the user names; empty when it follows from the placeholders.
Result<std::optional<render::Release>> release_of(const Options& options) {
  if (options.release.empty()) return std::optional<render::Release>();
  ORCH_ASSIGN(const render::Release release, render::read_release(options.release));
  return std::optional(release);
}

int fill(const Options& options) {
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
    return k_wrong;
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
  if (!errors.empty()) return k_wrong;
  if (!filled.unfilled.empty())
    say(stderr, "note: {}\n", printable(unfilled_note(options.file, filled.unfilled)));
  if (!options.in_place) return print_out(filled.text) ? 0 : k_wrong;
  const Status written = system::replace_text(options.file, filled.text);
  if (!written) print_errors({written.error()});
  return written ? 0 : k_wrong;
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
  command->callback([options, &exit_code] { exit_code = fill(*options); });
}

}  // namespace orch::cli
