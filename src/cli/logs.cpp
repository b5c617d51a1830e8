#include "cli/commands.hpp"
#include "cli/reading.hpp"
#include "cli/real_world.hpp"
#include "report/logs.hpp"
#include "store/store.hpp"

#include <CLI/CLI.hpp>

#include <fstream>
#include <memory>
#include <thread>

namespace orch::cli {

namespace {

struct LogsOptions {
  std::string name;
  std::string store = "results";
  bool follow = false;
};

// Prints FILE from offset FROM on; returns the offset of its end.
std::streamoff print_from(const std::filesystem::path& file, std::streamoff from) {
  std::ifstream in(file, std::ios::binary);
  if (!in.seekg(from)) return from;
  std::vector<char> bytes(1 << 16);
  while (in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())), in.gcount() > 0) {
    print_out({bytes.data(), static_cast<std::size_t>(in.gcount())});
    from += in.gcount();
  }
  return from;
}

bool is_over(store::Store& store, const report::Named& named) {
  const auto logs = report::logs_of(store.database(), store.layout().root, named);
  return !logs || std::all_of(logs->begin(), logs->end(),
                              [](const report::StageLog& log) { return log.over; });
}

Status print_logs(store::Store& store, const LogsOptions& options) {
  ORCH_ASSIGN(const report::Named named, report::find_named(store.database(), options.name));
  ORCH_ASSIGN(const auto logs, report::logs_of(store.database(), store.layout().root, named));
  std::streamoff read = 0;
  for (const report::StageLog& log : logs) {
    // The heading goes to stderr, because stdout carries only the log.
    fmt::print(stderr, "==> {} (attempt {}, {}) {} <==\n", log.stage, log.attempt, log.state,
               log.file.string());
    if (!std::filesystem::exists(log.file))
      fmt::print(stderr, "(no such file: nothing was written, or it was deleted)\n");
    read = print_from(log.file, 0);
  }
  if (!options.follow) return {};
  // Only the last of several logs may still grow.
  while (true) {
    const bool complete =
        is_over(store, named) || !store::Store::writer(real_host().files, store.layout().root);
    read = print_from(logs.back().file, read);
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
