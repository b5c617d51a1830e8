#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/session/logs.hpp"
#include "results/store/store.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <memory>
#include <thread>

namespace orch::cli {

namespace {

struct LogsOptions {
  std::string name;
  std::string store = "results";
  bool follow = false;
};

// A terminal gets a line where a log returns the carriage, as progress bars do.
std::string for_terminal(std::string_view text) {
  std::string lines;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') lines += text[i];
    else if (text.substr(i + 1, 1) != "\n") lines += '\n';
  }
  return lines;
}

// Prints FILE from offset FROM on; returns the offset of what is left. That is the beginning of a
// line on a terminal, until the file is COMPLETE.
std::uint64_t print_from(const std::string& file, std::uint64_t from, bool complete) {
  static constexpr std::size_t k_block = 1 << 16;
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  while (true) {
    const auto block = real_host().files.read_block(file, from, k_block);
    if (!block || block->empty()) return from;
    std::string_view text = *block;
    const bool is_last = text.size() < k_block;
    if (terminal && !(is_last && complete)) {
      const std::size_t end = text.find_last_of("\r\n");
      if (end == std::string_view::npos && is_last) return from;
      text = text.substr(0, end == std::string_view::npos ? end : end + 1);
    }
    print_out(terminal ? for_terminal(text) : std::string(text));
    from += text.size();
  }
}

// Why there is nothing to print of FILE; "" when there is.
std::string why_nothing(const std::string& file) {
  system::Files& files = real_host().files;
  if (files.is_link(file)) return "it is a link, which is not followed";
  if (!files.exists(file)) return "no such file: nothing was written, or it was deleted";
  const auto facts = files.stat(file);
  return facts && facts->is_regular ? "" : "it is not a regular file";
}

bool is_over(store::Store& store, const report::Named& named) {
  const auto logs = report::logs_of(store.database(), store.layout().root, named);
  return !logs || std::ranges::all_of(*logs, [](const report::StageLog& log) { return log.over; });
}

Status print_logs(store::Store& store, const LogsOptions& options) {
  ORCH_ASSIGN(const report::Named named, report::find_named(store.database(), options.name));
  ORCH_ASSIGN(const auto logs, report::logs_of(store.database(), store.layout().root, named));
  std::uint64_t read = 0;
  for (const report::StageLog& log : logs) {
    // The heading goes to stderr, because stdout carries only the log.
    say(stderr, "==> {} (attempt {}, {}) {} <==\n", log.stage, log.attempt, log.state,
        log.file.string());
    const std::string why = why_nothing(log.file.string());
    if (!why.empty()) say(stderr, "({})\n", why);
    else read = print_from(log.file.string(), 0, !options.follow || &log != &logs.back());
  }
  if (!options.follow) return {};
  // Only the last of several logs may still grow.
  while (true) {
    const bool complete =
        is_over(store, named) || !store::Store::writer(real_host(), store.layout().root);
    if (!real_host().files.is_link(logs.back().file.string()))
      read = print_from(logs.back().file.string(), read, complete);
    if (complete) return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

}  // namespace

void add_logs(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("logs",
                                         "Print the logs of a stage, or of a point's failed stages "
                                         "(of all its stages if none failed)");
  auto options = std::make_shared<LogsOptions>();
  command->add_option("NAME", options->name, "A stage or point: its name or a unique prefix")
      ->required();
  command->add_flag("-f,--follow", options->follow, "Follow the log while the stage runs");
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] {
    exit_code = read_store(options->store,
                           [&](store::Store& store) { return print_logs(store, *options); });
  });
}

}  // namespace orch::cli
