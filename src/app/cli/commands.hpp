// The commands of the program: COMMAND.cpp defines add_COMMAND(), which declares it to the parser.
#pragma once

#include "os/system/diagnostics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace orch::cli {

// The exit statuses of commands. Commands that run another program may pass its status on: `shell`,
// and the commands that only stages run.
enum class Exit : int {
  done = 0,           // everything was done
  failed = 1,         // done in part, or something requested is missing, differs or failed
  refused = 2,        // nothing was done: wrong usage, an error of the input or of the store
  in_use = 3,         // nothing was done: a run uses the store
  not_valid = 4,      // `bench`: a measurement is not valid; `compare`: the gate failed
  not_started = 126,  // the program to run cannot be started
  interrupted = 130,  // by a signal
};
constexpr int status_of(Exit exit) { return static_cast<int>(exit); }

// Each function adds a subcommand to APP that sets EXIT_CODE if it is chosen. EXIT_CODE must
// outlive the parse.
void add_init(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_plan(CLI::App& app, int& exit_code);
void add_run(CLI::App& app, int& exit_code);
void add_resume(CLI::App& app, int& exit_code);
void add_status(CLI::App& app, int& exit_code);
void add_logs(CLI::App& app, int& exit_code);
void add_show(CLI::App& app, int& exit_code);
// Its exit status is that of the shell.
void add_shell(CLI::App& app, int& exit_code);
void add_query(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_score(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
// Exit::failed: no configuration qualifies. With --confirm, also the exit statuses of `run`.
void add_best(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_facts(CLI::App& app, int& exit_code);
void add_runners(CLI::App& app, int& exit_code);
void add_schema(CLI::App& app, int& exit_code);
// Exit::failed: measuring, or writing the results, failed.
void add_bench(CLI::App& app, int& exit_code);
// `bench` with the options and the output of llm_perf.py.
void add_llm_perf(CLI::App& app, int& exit_code);
void add_import(CLI::App& app, int& exit_code);
void add_fill_template(CLI::App& app, int& exit_code);
void add_verify(CLI::App& app, int& exit_code);
// Exit::failed: some digests differ from those of the point.
void add_reproduce(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_merge(CLI::App& app, int& exit_code);
void add_forget(CLI::App& app, int& exit_code);
void add_gc(CLI::App& app, int& exit_code);
// Completes every command that APP has when the script is generated.
void add_completion(CLI::App& app, int& exit_code);
// Describes every command that APP has when the page is generated.
void add_manual(CLI::App& app, int& exit_code);
// Its help covers every command that APP has when help is requested.
void add_help(CLI::App& app, int& exit_code);

// Whether a run prints its table of results and how to report them.
enum class Results { printed, left_out };

// `orchestrate run WORDS`, with STORE and, if set, LOG_LEVEL in place of the results folder and log
// level in WORDS.
Exit run_again(const std::vector<std::string>& words, const std::string& store,
               std::optional<system::LogLevel> log_level, Results results = Results::printed);

// `orchestrate guardian`, which only `orchestrate run` starts: --help and completion do not list
// it. Returns the exit status, or nullopt if the command line does not name this command.
std::optional<int> guardian_main(int argc, char** argv);
// `orchestrate watch-server`, the process that stands for a server that was already running.
// Otherwise like guardian_main().
std::optional<int> watch_server_main(int argc, char** argv);

// `orchestrate prompts JOBS COMMAND...`, which stages of runners execute: writes the dataset rows
// that the file JOBS names beside it, then becomes COMMAND. Otherwise like guardian_main().
std::optional<int> prompts_main(int argc, char** argv);

// `orchestrate unpack FILE`, which the stage `dataset` executes: prints the text of a .zst file.
// Otherwise like guardian_main().
std::optional<int> unpack_main(int argc, char** argv);

// `orchestrate convert-results OPTIONS -- ARGV...`, which measure stages of other tools execute:
// runs the tool, and writes a record from its files. Its --help lists its options; the list of
// commands and completion omit it. Returns as guardian_main() does.
std::optional<int> convert_results_main(int argc, char** argv);

// `orchestrate complete KIND WORDS...`, which completion scripts execute: prints the names of KIND
// that begin with the last of WORDS, the command line so far. On any error it prints nothing.
// Otherwise like guardian_main().
std::optional<int> complete_main(int argc, char** argv);

// The table of commands, and the main function.

// Adds every command that --help lists. EXIT_CODE must outlive the parse.
void add_commands(CLI::App& app, int& exit_code);

int main(int argc, char** argv);

// The manual page in roff, generated from the parser's table of commands and options.

// The page of the program APP with all its commands.
std::string manual_page(const CLI::App& app);

}  // namespace orch::cli
