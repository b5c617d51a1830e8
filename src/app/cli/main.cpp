#include "app/cli/commands.hpp"
#include "app/cli/fill_template_compat.hpp"
#include "app/cli/help.hpp"
#include "app/cli/say.hpp"
#include "core/base/text.hpp"

#include <csignal>

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace orch::cli {

namespace {

// The commands, in the order of a first session.
using AddCommand = void (*)(CLI::App& app, int& exit_code);
constexpr AddCommand k_commands[] = {
    add_init,      add_runners,  add_doctor,  add_check,         add_plan,    add_run,
    add_resume,    add_status,   add_logs,    add_show,          add_shell,   add_query,
    add_report,    add_score,    add_compare, add_best,          add_explain, add_facts,
    add_bench,     add_llm_perf, add_import,  add_fill_template, add_schema,  add_verify,
    add_reproduce, add_export,   add_merge,   add_forget,        add_gc,      add_completion,
    add_manual,    add_help};

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// The message if COMMAND is `bench` or `llm-perf` and lacks WORD, an option of `bench` or of other
// tools; "" otherwise.
std::string other_option_message(const CLI::App& app, const CLI::App& command,
                                 const std::string& word) {
  const std::string& name = command.get_name();
  if (!word.starts_with('-') || command.get_option_no_throw(word)) return "";
  const std::string_view here = option_here(word);
  if (name == "bench" && !here.empty())
    return fmt::format("'bench' has no option {}, which other tools have; here it is {}",
                       quoted(word), here);
  if (name != "llm-perf") return "";
  const bool in_bench = app.get_subcommand("bench")->get_option_no_throw(word);
  if (in_bench || !here.empty())
    return fmt::format("'llm-perf' has no option {}; 'orchestrate bench' has {}", quoted(word),
                       in_bench ? "it" : here);
  return "";
}

// The message about an unknown command or option, with a suggestion. "" if there is no such
// message: the parser library then prints its own.
std::string misspelling_message(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) return "";
  const std::string name = argv[1];
  const std::vector<std::string> commands = command_names(app);
  if (!name.starts_with('-') && std::ranges::find(commands, name) == commands.end()) {
    const std::string near = did_you_mean(name, commands);
    return fmt::format("unknown command {}{}", quoted(name),
                       near.empty() ? "; the commands are: " + join(commands, ", ") : near);
  }
  const CLI::App* command = name.starts_with('-') ? &app : app.get_subcommand(name);
  const std::vector<std::string> options = option_names(*command);
  for (int i = 2; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string_view(argv[i]).find('='));
    if (word == "--") return "";
    if (const std::string other = other_option_message(app, *command, word); !other.empty())
      return other;
    if (word.starts_with("--") && std::ranges::find(options, word) == options.end())
      return fmt::format("unknown option {} of '{}'{}", quoted(word), name,
                         did_you_mean(word, options));
  }
  return "";
}

}  // namespace

void add_commands(CLI::App& app, int& exit_code) {
  app.description(
      "orchestrate: from a matrix of LLM serving configurations to numbers in a database");
  for (const AddCommand add : k_commands) add(app, exit_code);
  lay_out_help(app);
}

int main(int argc, char** argv) {
  // A write beyond `ulimit -f` fails; by default it would end the process.
  std::signal(SIGXFSZ, SIG_IGN);
  for (const auto hidden : {guardian_main, watch_server_main, prompts_main, unpack_main,
                            convert_results_main, complete_main, fill_as_script})
    if (const auto status = hidden(argc, argv)) return *status;
  constexpr std::size_t k_indent = 2;  // the indentation of some tables
  if (::isatty(STDOUT_FILENO) == 1) TextTable::fit(terminal_columns(STDOUT_FILENO) - k_indent);
  CLI::App app;
  bool with_licences = false;
  CLI::Option* licences =
      app.add_flag("--licences", with_licences, "with --version: the licence of each library, too");
  licences->needs(
      app.set_version_flag("--version", [&with_licences] { return version_text(with_licences); }));
  app.require_subcommand(1);
  int exit_code = 0;
  add_commands(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::string why = misspelling_message(app, argc, argv);
    if (why.empty()) app.exit(error);
    else say(stderr, "{}\nRun with --help for more information.\n", why);
    return status_of(Exit::refused);
  }
  return exit_code;
}

}  // namespace orch::cli
