#include "app/cli/completion/completion.hpp"

#include "app/cli/commands.hpp"
#include "app/cli/explain/explain_metric.hpp"
#include "app/cli/score/scorers.hpp"
#include "bench/protocol/protocol.hpp"
#include "core/base/text.hpp"
#include "results/tables/views.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

// How to complete values, by the names of options and positional arguments.
struct CompletionKind {
  std::string_view command;  // "" for every command
  std::string_view name;
  Completes completes;
  std::string_view asks = "";
};
constexpr CompletionKind k_completion_kinds[] = {
    {"", "MATRIX", Completes::files},
    {"", "FILE", Completes::files},
    {"", "--prompts", Completes::files},
    {"", "--machine", Completes::files},
    {"", "--site", Completes::files},
    {"", "--token-file", Completes::files},
    {"", "--ca-file", Completes::files},
    {"", "--python", Completes::files},
    {"", "--times", Completes::files},
    {"", "--program", Completes::files},
    {"", "--references", Completes::files},
    {"", "--write-references", Completes::files},
    {"", "--input-data", Completes::files},
    {"", "--profile-export-file", Completes::files},
    {"", "--lora", Completes::files},
    {"", "CONFIG", Completes::files},
    {"", "DIR", Completes::folders},
    {"", "--store", Completes::folders},
    {"", "--out", Completes::folders},
    {"", "--db", Completes::folders},
    {"", "--runners", Completes::folders},
    {"", "--script", Completes::folders},
    {"", "--tokenizer", Completes::folders},
    {"", "--tokenizer-path", Completes::folders},
    {"", "--prompt-cache", Completes::folders},
    {"", "--merge", Completes::folders},
    {"", "--runner", Completes::choices, "runners"},
    {"runners", "NAME", Completes::choices, "runners"},
    {"", "--where", Completes::choices, "parameters"},
    {"", "--again", Completes::choices, "parameters"},
    {"", "--resolve", Completes::choices, "parameters"},
    {"best", "--where", Completes::choices, "columns"},
    {"report", "--where", Completes::choices, "columns"},
    {"score", "--where", Completes::choices, "columns"},
    {"gc", "--keep", Completes::choices, "columns"},
    {"best", "--maximize", Completes::choices, "columns"},
    {"best", "--minimize", Completes::choices, "columns"},
    {"best", "--pareto", Completes::choices, "columns"},
    {"best", "--by", Completes::choices, "columns"},
    {"best", "--subject-to", Completes::choices, "columns"},
    {"compare", "--metric", Completes::choices, "columns"},
    {"compare", "A", Completes::choices, "sides"},
    {"compare", "B", Completes::choices, "sides"},
    {"report", "--compare", Completes::choices, "sides"},
    {"", "--of", Completes::choices, "columns"},
    {"forget", "EXPERIMENT", Completes::choices, "experiments"},
    {"", "--experiment", Completes::choices, "experiments"},
    {"reproduce", "NAME", Completes::choices, "points"},
    {"reproduce", "POINT", Completes::choices, "points"},
    {"shell", "STAGE", Completes::choices, "points"},
    {"score", "RUN", Completes::choices, "runs"},
    {"", "--run", Completes::choices, "runs"},
    {"plan", "--until", Completes::choices, "stages"},
    {"run", "--until", Completes::choices, "stages"},
    {"logs", "NAME", Completes::choices, "points"},
    {"show", "NAME", Completes::choices, "points"},
    {"status", "RUN", Completes::choices, "runs"},
    {"resume", "RUN", Completes::choices, "runs"},
    {"report", "RUN", Completes::choices, "runs"},
    {"report", "--output", Completes::files},
    {"", "--trace", Completes::files},
    {"best", "RUN", Completes::choices, "runs"},
    {"explain", "NAME", Completes::choices, "explained"},
};

// Values that the parser does not list, because the option has a custom check or accepts others as
// well.
struct KnownValues {
  std::string_view command;  // "" for every command
  std::string_view name;
  std::string_view words;
};
constexpr KnownValues k_known_values[] = {
    {"", "--executor", "local slurm"},
    {"", "--log-level", "off error warning info debug"},
    {"bench", "--arrival", "constant poisson gamma trace"},
    {"bench", "--format", "table json csv"},
    {"bench", "--stop-by", "close request"},
    {"bench", "--export", "genai-perf"},
    {"bench", "--goodput", "ttft_ms itl_ms request_latency_ms"},
    {"bench", "--until", "ttft_ms:5 itl_ms:5 request_latency_ms:5 output_tps:5"},
    {"llm-perf", "-i", "grpc http"},
    {"compare", "--gate", "change_low change_high worst_loss"},
    {"compare", "--gate-allow", "invalid unsupported disturbed unpaired missing no-claim unknown"},
};

std::vector<std::string> known_words(std::string_view command, std::string_view name) {
  std::vector<std::string> words;
  if (command == "explain" && name == "NAME") words = metric_names();
  if (command == "query" && name == "SQL") words = tables::names_of_views();
  if (command == "bench" && name == "--protocol")
    for (const protocol::ProtocolRow& row : protocol::protocol_table())
      words.emplace_back(row.name);
  if (command == "score" && name == "--scorer")
    for (const ScorerRow& row : scorer_table()) words.emplace_back(row.name);
  for (const KnownValues& known : k_known_values)
    if (known.name == name && (known.command.empty() || known.command == command))
      words = split(known.words, ' ');
  return words;
}

// The choices of OPTION, which the description of its validator has as "{a,b}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{'), close = type.find('}', open);
  return close == std::string::npos
             ? std::vector<std::string>()
             : split(std::string_view(type).substr(open + 1, close - open - 1), ',');
}

CompletedOption completed(const CLI::Option& option, std::string_view command) {
  CompletedOption out{.help = option.get_description(),
                      .takes_value = option.get_items_expected_max() > 0,
                      .is_optional = option.get_items_expected_min() == 0,
                      .choices = choices_of(option)};
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  const std::string known = out.names.empty() ? option.get_name(true) : out.names.back();
  for (const CompletionKind& kind : k_completion_kinds) {
    if (kind.name != known || (!kind.command.empty() && kind.command != command)) continue;
    out.completes = kind.completes;
    out.asks = kind.asks;
  }
  if (out.choices.empty()) out.choices = known_words(command, known);
  if (!out.choices.empty()) out.completes = Completes::choices;
  return out;
}

CompletedCommand completed(const CLI::App& app) {
  CompletedCommand command{.name = app.get_name(), .help = app.get_description()};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? command.words : command.options)
        .push_back(completed(*option, command.name));
  return command;
}

std::vector<std::string> names_of(const CompletedCommand& command) {
  std::vector<std::string> names;
  for (const CompletedOption& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// The arguments of the function by which a script queries the program for OPTION.
std::string asked(const CompletedOption& option) {
  return option.asks + (option.choices.empty() ? "" : " " + join(option.choices, " "));
}

// bash

std::string bash_words(const std::vector<std::string>& words) {
  return "mapfile -t COMPREPLY < <(compgen -W " + shell_quote(join(words, " ")) + " -- \"$word\")";
}

std::string bash_reply(const CompletedOption& option) {
  switch (option.completes) {
    case Completes::choices:
      return option.asks.empty() ? bash_words(option.choices) : "_orchestrate_ask " + asked(option);
    case Completes::files: return "_orchestrate_paths -f";
    case Completes::folders: return "_orchestrate_paths -d";
    case Completes::nothing: break;
  }
  return ":";
}

std::string bash_command(const CompletedCommand& command) {
  std::string text = fmt::format("    {}:-*) {} ;;\n", command.name, bash_words(names_of(command)));
  if (!command.words.empty())
    text += fmt::format("    {}:*) {} ;;\n", command.name, bash_reply(command.words.front()));
  return text;
}

// zsh

// Escapes TEXT for a spec of _arguments or _describe.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string zsh_action(const CompletedOption& option) {
  switch (option.completes) {
    case Completes::choices:
      return option.asks.empty() ? "(" + join(option.choices, " ") + ")"
                                 : " _orchestrate_ask " + asked(option);
    case Completes::files: return "_files";
    case Completes::folders: return "_files -/";
    case Completes::nothing: break;
  }
  return " ";
}

std::string zsh_command(const CompletedCommand& command) {
  std::string text = fmt::format("    {})\n      _arguments", command.name);
  for (const CompletedOption& option : command.options)
    for (const std::string& name : option.names) {
      const std::string value = option.takes_value
                                    ? fmt::format("{}:{}:{}", option.is_optional ? ":" : "",
                                                  zsh_text(name), zsh_action(option))
                                    : "";
      text += " \\\n        " +
              shell_quote(fmt::format("{}[{}]{}", name, zsh_text(option.help), value));
    }
  for (const CompletedOption& word : command.words)
    text += " \\\n        " +
            shell_quote(fmt::format("*:{}:{}", zsh_text(word.help), zsh_action(word)));
  return text + "\n      ;;\n";
}

// fish

std::string fish_quote(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

std::string fish_values(const CompletedOption& option) {
  switch (option.completes) {
    case Completes::choices:
      return " -f -a " + fish_quote(option.asks.empty()
                                        ? join(option.choices, " ")
                                        : "(_orchestrate_ask " + asked(option) + ")");
    case Completes::files: return " -F";
    case Completes::folders: return " -f -a '(__fish_complete_directories)'";
    case Completes::nothing: break;
  }
  return " -f";
}

std::string fish_option(const std::string& condition, const CompletedOption& option) {
  std::string text = "complete -c orchestrate -n " + condition;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes_value) text += (option.is_optional ? "" : " -r") + fish_values(option);
  return text + " -d " + fish_quote(option.help) + "\n";
}

}  // namespace

std::vector<CompletedCommand> completed_commands(const CLI::App& app) {
  std::vector<CompletedCommand> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(completed(*command));
  for (CompletedCommand& command : commands) {
    if (command.name != "help" || command.words.empty()) continue;
    command.words.front().completes = Completes::choices;
    for (const CompletedCommand& one : commands) command.words.front().choices.push_back(one.name);
  }
  return commands;
}

std::string bash_completion(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> names;
  std::string values, words;
  for (const CompletedCommand& command : commands) {
    names.push_back(command.name);
    words += bash_command(command);
    for (const CompletedOption& option : command.options)
      for (const std::string& name : option.names)
        if (option.takes_value) {
          const std::string reply = bash_reply(option) + "; return";
          values += fmt::format(
              "    {}:{}) {} ;;\n", command.name, name,
              option.is_optional ? fmt::format("[[ $word == -* ]] || {{ {}; }}", reply) : reply);
        }
  }
  return fmt::format(
      R"(# Completion of `orchestrate` in bash. For ~/.bashrc: source <(orchestrate completion bash)
_orchestrate_paths() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
}}

# KIND WORD...: offers the program's names of this KIND, and the words.
_orchestrate_ask() {{
  local name program=${{COMP_WORDS[0]/#\~\//$HOME/}}
  while read -r name; do
    if [[ $name == "$word"* ]]; then COMPREPLY+=("$name"); fi
  done < <("$program" complete "$1" "${{COMP_WORDS[@]:1:COMP_CWORD}}" 2>/dev/null
    printf '%s\n' "${{@:2}}")
}}

_orchestrate() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${{COMP_WORDS[i]}} != -* ]]; then command=${{COMP_WORDS[i]}} && break; fi
  done
  # bash splits --option=value into three words
  if [[ $word == = ]]; then word=""; fi
  if [[ $before == = ]]; then before=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
  case $command:$before in
{}  esac
  case $command:$word in
{}    :-*) {} ;;
    :*) {} ;;
  esac
}}
complete -F _orchestrate orchestrate
)",
      values, words, bash_words({"--help", "--version"}), bash_words(names));
}

std::string zsh_completion(const std::vector<CompletedCommand>& commands) {
  std::string names, cases;
  for (const CompletedCommand& command : commands) {
    names += "    " + shell_quote(command.name + ":" + zsh_text(command.help)) + "\n";
    cases += zsh_command(command);
  }
  return fmt::format(R"zsh(#compdef orchestrate
# Completion of `orchestrate` in zsh. Save it as _orchestrate in a folder of $fpath, or put this
# into ~/.zshrc after compinit: source <(orchestrate completion zsh)

# KIND WORD...: offers the program's names of this KIND, and the words.
_orchestrate_ask() {{
  local -a names
  names=(${{(f)"$("${{program/#\~\//$HOME/}}" complete $1 "${{(@Q)typed}}" 2>/dev/null)"}})
  compadd -a names
  compadd -- "${{@:2}}"
}}

_orchestrate() {{
  local program=${{(Q)words[1]}}
  local -a typed=("${{(@)words[2,CURRENT]}}")
  local -a commands
  commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT -= 1))
  case $command in
{}  esac
}}
if [[ $funcstack[1] == _orchestrate ]]; then
  _orchestrate "$@"
else
  compdef _orchestrate orchestrate
fi
)zsh",
                     names, cases);
}

std::string fish_completion(const std::vector<CompletedCommand>& commands) {
  std::string text =
      "# Completion of `orchestrate` in fish: orchestrate completion fish "
      ">~/.config/fish/completions/orchestrate.fish\n"
      "complete -c orchestrate -f\n"
      "\n"
      "# KIND WORD...: offers the program's names of this KIND, and the words.\n"
      "function _orchestrate_ask\n"
      "    set -l words (commandline -opc) (commandline -ct)\n"
      "    set -l program (string replace -r '^~/' $HOME/ -- $words[1])\n"
      "    $program complete $argv[1] $words[2..] 2>/dev/null\n"
      "    string join -- \\n $argv[2..]\n"
      "end\n"
      "\n";
  for (const CompletedCommand& command : commands) {
    const std::string condition = fish_quote("__fish_seen_subcommand_from " + command.name);
    text += fmt::format("complete -c orchestrate -n __fish_use_subcommand -a {} -d {}\n",
                        command.name, fish_quote(command.help));
    for (const CompletedOption& option : command.options) text += fish_option(condition, option);
    if (!command.words.empty())
      text += fmt::format("complete -c orchestrate -n {}{}\n", condition,
                          fish_values(command.words.front()));
  }
  return text;
}

void add_completion(CLI::App& app, int& exit_code) {
  struct Shell {
    const char* name;
    std::string (*text)(const std::vector<CompletedCommand>&);
  };
  static constexpr Shell k_shells[] = {
      {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
  CLI::App* command =
      app.add_subcommand("completion", "Print a shell completion script for this program");
  auto name = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Shell& shell : k_shells) names.emplace_back(shell.name);
  command->add_option("SHELL", *name, "bash, zsh or fish")->required()->check(CLI::IsMember(names));
  command->callback([&app, &exit_code, name] {
    for (const Shell& shell : k_shells)
      if (*name == shell.name) fmt::print("{}", shell.text(completed_commands(app)));
    exit_code = status_of(Exit::done);
  });
}

}  // namespace orch::cli
