#include "app/cli/commands.hpp"
#include "app/cli/help.hpp"
#include "app/cli/reading.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

constexpr std::size_t k_roff_width = 78;

// TEXT with everything escaped that roff would interpret inside a line.
std::string roff_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else if (c == '~') out += "\\(ti";
    else if (c == '^') out += "\\(ha";
    else if (c == '`') out += "\\(ga";
    else if (c == '\'') out += "\\(aq";
    else out += c;
  }
  return out;
}

// LINE as a line of text: it must not begin like a roff request.
std::string roff_line(const std::string& line) {
  return (line.starts_with('.') ? "\\&" : "") + line + "\n";
}

// The words of TEXT, which is escaped, wrapped into lines.
std::string roff_filled(const std::string& text) {
  std::string out, line;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!line.empty() && line.size() + 1 + word.size() > k_roff_width)
      out += roff_line(std::exchange(line, ""));
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? out : out + roff_line(line);
}

std::string bold(std::string_view text) { return "\\fB" + roff_text(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff_text(text) + "\\fR"; }

// The value of an option: "TEXT", "INT in [1 - 8]", "table|csv"; "" for a flag.
std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto colon = type.find(':');
  if (option.get_items_expected_max() == 0 || colon == std::string::npos) return type;
  std::string value = type.substr(colon + 1);
  if (value.starts_with('{') && value.ends_with('}')) {
    value = value.substr(1, value.size() - 2);
    std::replace(value.begin(), value.end(), ',', '|');
  }
  return value.empty() ? type.substr(0, colon) : value;
}

std::string option_entry(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back(bold("-" + name));
  for (const std::string& name : option.get_lnames()) names.push_back(bold("--" + name));
  if (option.get_positional()) names = {bold(option.get_name(true))};
  const std::string value = option.get_positional() ? "" : value_name(option);
  std::string help = option.get_description();
  if (!option.get_default_str().empty())
    help += fmt::format(" (default: {})", option.get_default_str());
  if (option.get_required() && !option.get_positional()) help += " (required)";
  return ".TP\n" + roff_line(join(names, ", ") + (value.empty() ? "" : " " + italic(value))) +
         roff_filled(roff_text(help));
}

// The synopsis of a command: "orchestrate plan [OPTIONS] MATRIX".
std::string synopsis(const CLI::App& command) {
  std::string text = bold("orchestrate " + command.get_name()) + " [" + italic("OPTIONS") + "]";
  for (const CLI::Option* word : command.get_options()) {
    if (!word->get_positional()) continue;
    const std::string name =
        italic(word->get_name(true)) + (word->get_items_expected_max() > 1 ? " ..." : "");
    text += word->get_required() ? " " + name : " [" + name + "]";
  }
  return text;
}

// The entries of OPTIONS, with a heading for each group except "Options".
std::string option_entries(const std::vector<const CLI::Option*>& options) {
  std::vector<std::string> groups;
  for (const CLI::Option* option : options)
    if (std::ranges::find(groups, option->get_group()) == groups.end())
      groups.push_back(option->get_group());
  std::string text;
  for (const std::string& group : groups) {
    if (group.empty()) continue;  // hidden
    if (group != "Options") text += ".PP\n" + roff_line(bold(group.substr(0, group.find(" ("))));
    for (const CLI::Option* option : options)
      if (option->get_group() == group) text += option_entry(*option);
  }
  return text;
}

std::string command_section(const CLI::App& command) {
  std::vector<const CLI::Option*> words, options;
  for (const CLI::Option* option : command.get_options())
    (option->get_positional() ? words : options).push_back(option);
  std::string text = fmt::format(".SS {}\n", roff_text(command.get_name()));
  text += roff_filled(synopsis(command)) + ".PP\n" +
          roff_filled(roff_text(command.get_description()) + ".");
  for (const CLI::Option* word : words) text += option_entry(*word);
  text += option_entries(options);
  if (command.get_footer().empty()) return text;
  text += ".PP\n.nf\n";
  std::string footer = command.get_footer();
  footer.erase(0, footer.find_first_not_of('\n'));
  footer.erase(footer.find_last_not_of('\n') + 1);
  for (const std::string& line : split(footer, '\n')) text += roff_line(roff_text(line));
  return text + ".fi\n";
}

constexpr std::string_view k_last_sections = R"(.SH EXIT STATUS
.TP
0
Everything was done.
.TP
1
Something failed, or a part of the plan is left.
.TP
2
The command line, the matrix or another input has errors; nothing was begun.
.TP
3
Another run uses the store.
.TP
4
.BR bench :
a measurement is not valid;
.BR compare :
the gate failed.
.TP
130
The command was interrupted.
.SH FILES
.TP
.I results/
The results of commands used in this folder;
.B \-\-store
names another results folder.
.TP
.I runners/
A user's own runners, at or above the matrix or the working folder.
.TP
.I ../share/orchestrate
Beside the folder of the program: the installed runners, templates and
experiments.
.TP
.I \(ti/.config/orchestrate/site.yaml
The site file: prices, ports, the machine, and a folder of runners.
.SH ENVIRONMENT
.TP
.B XDG_CONFIG_HOME
The folder of
.I orchestrate/site.yaml
instead of
.IR \(ti/.config .
.TP
.B XDG_CACHE_HOME
The folder of the caches of prompts and of Python environments instead of
.IR \(ti/.cache .
.TP
.B ORCHESTRATE_PYTHON
The Python that counts tokens for
.BR bench .
.SH SEE ALSO
The documents in
.I ../share/doc/orchestrate
beside the folder of the program.
)";

}  // namespace

std::string manual_page(const CLI::App& app) {
  const std::string about = app.get_description();
  std::string text = fmt::format(
      ".\\\" Written by `orchestrate manual`.\n"
      ".TH ORCHESTRATE 1 {} \"orchestrate {}\" \"User Commands\"\n.SH NAME\n",
      built_date(), k_version);
  text += roff_filled("orchestrate \\- " + roff_text(about.substr(about.find(": ") + 2)));
  text += ".SH SYNOPSIS\n.B orchestrate\n.I COMMAND\n.RI [ OPTIONS ]\n.SH DESCRIPTION\n";
  text += roff_filled(
      roff_text("orchestrate reads a matrix of configurations, plans the stages of a serving stack "
                "that it needs, runs those that have not run yet, and stores every measurement in "
                "an SQLite database. Each command prints its options with --help."));
  text += option_entries(app.get_options()) + ".SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    text += command_section(*command);
  return text + std::string(k_last_sections);
}

void add_manual(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("manual", "Print the manual page of this program, in the format of man");
  command->callback([&app, &exit_code] {
    exit_code = status_of(print_out(manual_page(app)) ? Exit::done : Exit::failed);
  });
}

}  // namespace orch::cli
