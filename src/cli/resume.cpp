#include "cli/resume.hpp"

#include "cli/experiment.hpp"
#include "cli/reading.hpp"
#include "cli/run.hpp"
#include "cli/say.hpp"
#include "report/run_command.hpp"
#include "store/store.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>

namespace orch::cli {

namespace {

constexpr int k_cannot = 2;

struct ResumeOptions {
  std::optional<std::int64_t> run;
  std::string store = "results";
};

// Why CALLED cannot be called again; empty when it can.
std::string why_not(const report::RunCommand& called) {
  std::error_code code;
  if (called.words.size() < 2 || called.words[1] != "run")
    return fmt::format("run {} came from `orchestrate {}`, which is nothing to resume", called.run,
                       called.words.size() < 2 ? "" : called.words[1]);
  if (called.folder.empty())
    return fmt::format(
        "it is not on record in which folder run {} was started; go there and use `orchestrate run "
        "{}`",
        called.run, called.matrix_file);
  if (!std::filesystem::is_directory(called.folder, code))
    return fmt::format(
        "{}, in which run {} was started, is gone; use `orchestrate run MATRIX --store DIR`",
        called.folder, called.run);
  const std::filesystem::path matrix = std::filesystem::path(called.folder) / called.matrix_file;
  if (!std::filesystem::exists(matrix, code))
    return fmt::format(
        "the matrix of run {}, {}, is gone; put it back, or use `orchestrate run MATRIX --store "
        "DIR` with another",
        called.run, matrix.string());
  return "";
}

int resume(const ResumeOptions& options) {
  const std::string store = std::filesystem::absolute(options.store).lexically_normal().string();
  std::optional<report::RunCommand> called;
  const int status = read_store(store, [&](store::Store& opened) -> Status {
    ORCH_ASSIGN(called, report::read_run_command(opened.database(), options.run));
    return {};
  });
  if (status != 0) return status;
  if (!called)
    return say(stderr, "nothing to resume in {}: every run there came to its end\n", store), 0;
  if (const std::string why = why_not(*called); !why.empty())
    return print_errors({invalid(why)}), k_cannot;
  std::error_code code;
  std::filesystem::current_path(called->folder, code);
  if (code) return print_errors({io_error("go to", called->folder, code.value())}), k_cannot;
  say(stderr, "run {} again, in {}: orchestrate {}\n", called->run, called->folder,
      fmt::join(called->words.begin() + 1, called->words.end(), " "));
  return run_again({called->words.begin() + 2, called->words.end()}, store);
}

}  // namespace

void add_resume(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "resume",
      "Finish the run that died or was interrupted: the same command, in the same folder");
  auto options = std::make_shared<ResumeOptions>();
  command->add_option("RUN", options->run,
                      "The number of a run (default: the newest that did not come to its end)");
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] { exit_code = resume(*options); });
}

}  // namespace orch::cli
