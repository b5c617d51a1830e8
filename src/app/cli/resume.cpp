#include "app/cli/commands.hpp"
#include "app/cli/experiment_options.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/say.hpp"
#include "analysis/report/run_command.hpp"
#include "results/store/store.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>

namespace orch::cli {

namespace {

constexpr int k_cannot = 2;

struct ResumeOptions {
  std::optional<std::int64_t> run;
  std::string store = "results";
  std::optional<system::LogLevel> log_level;  // empty: as the run had it
};

// Why the run cannot be resumed; "" when it can.
std::string why_not(const report::RunCommand& command_of_run) {
  std::error_code code;
  if (command_of_run.words.size() < 2 || command_of_run.words[1] != "run")
    return fmt::format("run {} came from `orchestrate {}`, which cannot be resumed",
                       command_of_run.run,
                       command_of_run.words.size() < 2 ? "" : command_of_run.words[1]);
  if (command_of_run.folder.empty())
    return fmt::format(
        "the folder where run {} was started is not recorded; go there and use `orchestrate run "
        "{}`",
        command_of_run.run, command_of_run.matrix_file);
  if (!std::filesystem::is_directory(command_of_run.folder, code))
    return fmt::format(
        "{}, where run {} was started, does not exist; use `orchestrate run MATRIX --store DIR`",
        command_of_run.folder, command_of_run.run);
  const std::filesystem::path matrix =
      std::filesystem::path(command_of_run.folder) / command_of_run.matrix_file;
  if (!std::filesystem::exists(matrix, code))
    return fmt::format(
        "the matrix of run {}, {}, does not exist; restore it, or use `orchestrate run MATRIX "
        "--store "
        "DIR` with another",
        command_of_run.run, matrix.string());
  return "";
}

int resume(const ResumeOptions& options) {
  const std::string store = std::filesystem::absolute(options.store).lexically_normal().string();
  std::optional<report::RunCommand> command_of_run;
  const int status = read_store(store, [&](store::Store& opened) -> Status {
    ORCH_ASSIGN(command_of_run, report::read_run_command(opened.database(), options.run));
    return {};
  });
  if (status != 0) return status;
  if (!command_of_run) {
    say(stderr, "nothing to resume in {}: every run there has ended\n", store);
    return 0;
  }
  if (const std::string why = why_not(*command_of_run); !why.empty()) {
    print_errors({invalid(why)});
    return k_cannot;
  }
  std::error_code code;
  std::filesystem::current_path(command_of_run->folder, code);
  if (code) {
    print_errors({io_error("go to", command_of_run->folder, code.value())});
    return k_cannot;
  }
  say(stderr, "resuming run {} in {}: orchestrate {}\n", command_of_run->run,
      command_of_run->folder,
      fmt::join(command_of_run->words.begin() + 1, command_of_run->words.end(), " "));
  return run_again({command_of_run->words.begin() + 2, command_of_run->words.end()}, store,
                   options.log_level);
}

}  // namespace

void add_resume(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "resume",
      "Finish a run that died or was interrupted, by the same command in the same folder");
  auto options = std::make_shared<ResumeOptions>();
  command->add_option("RUN", options->run,
                      "The number of a run (default: the newest that has not ended)");
  add_store_option(*command, options->store);
  const auto level = std::make_shared<system::LogLevel>(system::LogLevel::info);
  add_log_level(*command, *level)->default_str("as the run had it");
  command->callback([command, options, level, &exit_code] {
    if (command->count("--log-level") > 0) options->log_level = *level;
    exit_code = resume(*options);
  });
}

}  // namespace orch::cli
