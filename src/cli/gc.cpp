// `orchestrate gc`: the environments that all stores of a user have in the cache, and which of them
// no store uses.
#include "attempt/shared_outputs.hpp"
#include "cli/commands.hpp"
#include "cli/real_world.hpp"
#include "cli/say.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace orch::cli {

namespace {

constexpr int k_gc_failed = 1;
constexpr int k_no_cache = 2;
constexpr double k_gc_mib = 1024.0 * 1024;

std::string used_by(const attempt::SharedEntry& entry) {
  if (entry.stores.empty()) return entry.is_complete ? "unused" : "unused, incomplete";
  std::string text = entry.is_complete ? "used by " : "being made by ";
  for (const std::string& store : entry.stores)
    text += (&store == &entry.stores.front() ? "" : ", ") + printable(store);
  return text;
}

int collect(bool remove) {
  const std::string root = attempt::shared_root(real_environment());
  if (root.empty())
    return print_errors({invalid("neither HOME nor XDG_CACHE_HOME names a folder; set one")}),
           k_no_cache;
  system::Files& files = real_host().files;
  const auto entries = attempt::shared_entries(files, root);
  if (!entries) return print_errors({entries.error()}), k_gc_failed;
  Errors errors;
  double unused = 0, all = 0;
  for (const attempt::SharedEntry& entry : *entries) {
    const double mib = static_cast<double>(entry.bytes) / k_gc_mib;
    std::string state = used_by(entry);
    all += mib;
    if (entry.stores.empty()) {
      const auto removed = remove ? attempt::remove_shared(files, entry) : Result<bool>(false);
      if (!removed) errors.push_back(removed.error());
      if (removed && *removed) state = "removed";
      unused += mib;
    }
    say(stdout, "{:8.1f} MiB  {}  {}\n", mib, printable(entry.folder), state);
  }
  say(stderr, "{} of {:.1f} MiB {} by no store{}\n", fmt::format("{:.1f}", unused), all,
      remove ? "were used" : "are used",
      unused > 0 && !remove ? "; `orchestrate gc --remove` removes them" : "");
  print_errors(errors);
  return errors.empty() ? 0 : k_gc_failed;
}

}  // namespace

void add_gc(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "gc", "List the environments that stores share in the user's cache, and remove unused ones");
  auto remove = std::make_shared<bool>(false);
  command->add_flag("--remove", *remove, "Remove those that no store uses");
  command->callback([remove, &exit_code] { exit_code = collect(*remove); });
}

}  // namespace orch::cli
