#include "app/cli/bench/bench_options.hpp"
#include "app/cli/bench/bench_output.hpp"
#include "app/cli/bench/measuring.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/say.hpp"
#include "bench/prompt/prompt_cache.hpp"
#include "bench/prompt/prompt_forms.hpp"
#include "core/sql/packed.hpp"
#include "os/system/files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace orch::cli {

namespace {

// Writes the files, tables and records of each measurement.
class BenchOutcome final : public Outcome {
 public:
  BenchOutcome(const BenchCommand& command, const prompt::PromptSet& prompts)
      : Outcome("bench"), command_(command), prompts_(prompts) {}

 private:
  void added() override {
    note_failure(write_record(command_, measurements()));
    if (command_.format == "table") print(bench_table(measurements().back()));
    if (command_.format == "csv") print_csv(measurements().back());
  }

  void completed() override {
    note_failure(write_export(command_, prompts_.measured, measurements()));
    note_failure(publish_record(command_, measurements()));
    if (command_.format == "table" && measurements().size() > 1)
      print("\n" + bench_summary(measurements()));
    if (command_.format != "json") return;
    print(measurement_json(command_, measurements()));
    // Repeats the first failure at the end, where a user looks for the reason.
    if (!first_failure().empty()) say(stderr, "{}\n", first_failure());
  }

  // Reasons and warnings go to stderr, because the CSV has no column for them.
  void print_csv(const record::Measurement& one) {
    print_verdict(one);
    print(bench_csv(one, measurements().size() == 1));
  }

  const BenchCommand& command_;
  const prompt::PromptSet& prompts_;
};

Exit execute(BenchCommand& command) {
  return measure(command, {.name = "bench",
                           .in_its_words = is_stage_of_run() ? in_words_of_matrix : nullptr,
                           .outcome = [&command](const prompt::PromptSet& prompts) {
                             return std::make_unique<BenchOutcome>(command, prompts);
                           }});
}

constexpr int k_first_word = 3;  // index of the first word of the command, after the job file

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* sub = app.add_subcommand("bench", "Measure an endpoint under load");
  // Shared with the callback, so that it lives as long as the subcommand that fills it.
  const auto command = std::make_shared<BenchCommand>();
  declare_bench(*sub, *command);
  sub->callback([command, &exit_code] { exit_code = status_of(execute(*command)); });
}

std::optional<int> prompts_main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "prompts") return std::nullopt;
  if (argc <= k_first_word) {
    say(stderr,
        "'orchestrate prompts JOBS COMMAND...' is run by the stages of a runner; the command that "
        "makes prompts is missing\n");
    return status_of(Exit::refused);
  }
  system::RealFiles files;
  if (const Status prepared = prompt::prepare_prompt_jobs(argv[2], files); !prepared.ok()) {
    say(stderr, "{}\n", prepared.error().text());
    return status_of(Exit::failed);
  }
  ::execvp(argv[k_first_word], argv + k_first_word);
  say(stderr, "cannot run '{}': {}\n", argv[k_first_word], std::strerror(errno));
  return status_of(Exit::not_started);
}

std::optional<int> unpack_main(int argc, char** argv) {
  if (argc != k_first_word || std::string_view(argv[1]) != "unpack") return std::nullopt;
  system::RealFiles files;
  Unpacking text([&](std::uint64_t offset,
                     std::size_t most) { return files.read_block(argv[2], offset, most); },
                 prompt::k_largest_prompt_file);
  for (;;) {
    const auto some = text.next();
    if (!some) {
      say(stderr, "{}: {}\n", argv[2], some.error().text());
      return status_of(Exit::failed);
    }
    if (some->empty()) return status_of(std::fflush(stdout) == 0 ? Exit::done : Exit::failed);
    if (std::fwrite(some->data(), 1, some->size(), stdout) != some->size())
      return status_of(Exit::failed);
  }
}

}  // namespace orch::cli
