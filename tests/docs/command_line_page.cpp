#include "app/cli/commands.hpp"
#include "docs/pages.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace orch::docs {

namespace {

// "--format NAME", "-h, --help", "MATRIX".
std::string name_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "-" : ", -") + name;
  for (const std::string& name : option.get_lnames())
    names += (names.empty() ? "--" : ", --") + name;
  if (names.empty()) return option.get_name(true);
  if (option.get_items_expected_max() == 0) return names;
  // What follows ':' in "TEXT:{a,b}" and "INT:NONNEGATIVE" is a check; the forms that a command
  // names itself ("N[:SD]", "METRIC:PERCENT") stay whole.
  const std::string type = option.get_type_name();
  const std::size_t colon = type.find(':');
  const std::string_view kind = std::string_view(type).substr(0, colon);
  const bool is_check = kind == "TEXT" || kind == "INT" || kind == "UINT" || kind == "FLOAT";
  return names + " " + (is_check ? std::string(kind) : type);
}

std::string meaning_of(const CLI::Option& option) {
  std::string text = prose(option.get_description());
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}', open);
  if (close != std::string::npos)
    text += fmt::format(" ({})", prose(type.substr(open + 1, close - open - 1)));
  if (!option.get_default_str().empty() && option.get_items_expected_max() > 0)
    text += fmt::format(" [{}]", code(option.get_default_str()));
  return option.get_required() ? text + " (required)" : text;
}

bool is_help(const CLI::Option& option) {
  return !option.get_lnames().empty() && option.get_lnames().front() == "help";
}

std::string table_of(const std::vector<const CLI::Option*>& options, std::string_view what) {
  std::string rows;
  for (const CLI::Option* option : options)
    if (!is_help(*option)) rows += row({code(name_of(*option)), meaning_of(*option)});
  return rows.empty() ? "" : "\n" + head({std::string(what), "meaning"}) + rows;
}

// The options of COMMAND, group by group in the order in which --help shows them.
std::string options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> words;
  std::vector<std::pair<std::string, std::vector<const CLI::Option*>>> groups;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      words.push_back(option);
      continue;
    }
    const std::string& group = option->get_group();
    if (group.empty()) continue;  // hidden
    auto known = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& one) { return one.first == group; });
    if (known == groups.end()) known = groups.insert(groups.end(), {group, {}});
    known->second.push_back(option);
  }
  std::string text = table_of(words, "word");
  for (const auto& [group, options] : groups) {
    const std::string table = table_of(options, "option");
    if (groups.size() > 1 && !table.empty()) text += fmt::format("\n**{}**\n", prose(group));
    text += table;
  }
  return text;
}

std::string usage_of(const CLI::App& command) {
  std::string usage = "orchestrate " + command.get_name();
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional())
      usage += fmt::format(fmt::runtime(option->get_required() ? " {}" : " [{}]"),
                           option->get_name(true));
  return usage + " [options]";
}

}  // namespace

std::string command_line_page() {
  CLI::App app;
  int exit_code = 0;
  cli::add_commands(app, exit_code);
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  std::string text = title("The command line") +
                     "\nEvery command has `--help`. A command exits with 0 when it did what it was "
                     "asked, with 1 when it could not, with 2 when the command line or a file is "
                     "wrong, and with 130 when it was interrupted.\n\n";
  text += head({"command", "does"});
  for (const CLI::App* command : commands)
    text +=
        row({fmt::format("[`{0}`](#{0})", command->get_name()), prose(command->get_description())});
  for (const CLI::App* command : commands) {
    text += fmt::format("\n## {}\n\n{}.\n\n    {}\n", command->get_name(),
                        prose(command->get_description()), usage_of(*command));
    text += options_of(*command);
    if (!command->get_footer().empty())
      text += fmt::format("\n```\n{}\n```\n", command->get_footer());
  }
  return text;
}

}  // namespace orch::docs
