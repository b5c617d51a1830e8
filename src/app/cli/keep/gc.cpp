// `orchestrate gc`: finds, and removes on request, what nothing needs in a store and in the user's
// cache of environments.
#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "core/base/text.hpp"
#include "results/keep/inventory.hpp"
#include "run/attempt/shared_outputs.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

constexpr double k_gc_mib = 1024.0 * 1024;

struct GcOptions {
  std::string store = "results";
  bool names_store = false;  // the command line names the store, which must exist then
  bool apply = false;
  std::string keep;
  std::optional<std::uint64_t> most_bytes;
};

void say_item(std::uint64_t bytes, const std::string& what, const std::string& why) {
  say(stdout, "{:10.1f} MiB  {}  {}\n", static_cast<double>(bytes) / k_gc_mib, what, why);
}

struct Sums {
  std::size_t needed = 0, unneeded = 0;
  std::uint64_t needed_bytes = 0, unneeded_bytes = 0;
};

// Prints ITEMS; small files of one kind and reason share a line.
Sums list_items(const std::vector<keep::Item>& items) {
  Sums sums;
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, std::uint64_t>> small;
  for (const keep::Item& item : items) {
    if (item.is_needed) {
      ++sums.needed;
      sums.needed_bytes += item.bytes;
      continue;
    }
    ++sums.unneeded;
    sums.unneeded_bytes += item.bytes;
    if (item.kind == keep::Kind::output || item.kind == keep::Kind::rest) {
      say_item(item.bytes, item.path, item.why);
      continue;
    }
    auto& [count, bytes] = small[{std::string(to_string(item.kind)), item.why}];
    ++count;
    bytes += item.bytes;
  }
  for (const auto& [what, sum] : small)
    say_item(sum.second, fmt::format("{} of kind '{}'", sum.first, what.first), what.second);
  return sums;
}

Exit fail_gc(const Error& error) { return fail_on_store(error, Exit::failed); }

Exit apply_to(store::Store& store, const std::vector<keep::Item>& items) {
  const auto collected = keep::collect(store, items, real_host().clock.wall_s());
  if (!collected) return fail_gc(collected.error());
  say(stderr, "removed {} files and folders ({})\n", collected->items,
      human_bytes(collected->bytes));
  if (collected->database_after < collected->database_before)
    say(stderr, "the database has {} instead of {}\n", human_bytes(collected->database_after),
        human_bytes(collected->database_before));
  print_errors(collected->errors);
  return collected->errors.empty() ? Exit::done : Exit::failed;
}

// Collects in the store OPTIONS.store. Returns Exit::done if there is no store and the command line
// names none.
Exit collect_store(const GcOptions& options) {
  system::Files& files = real_host().files;
  if (!options.names_store && !files.exists(options.store + "/results.db")) return Exit::done;
  auto store = open_existing(options.store, options.apply);
  if (!store) return fail_gc(store.error());
  auto items = keep::inventory(*store, files, {.keep = options.keep});
  if (!items) return fail_gc(items.error());
  if (options.most_bytes) keep::evict(*items, *options.most_bytes);
  const Sums sums = list_items(*items);
  say(stderr, "{}: {} items ({}) are needed; {} ({}) are not needed by any result or run{}\n",
      printable(options.store), sums.needed, human_bytes(sums.needed_bytes), sums.unneeded,
      human_bytes(sums.unneeded_bytes),
      sums.unneeded > 0 && !options.apply ? "; --apply removes them" : "");
  return options.apply ? apply_to(*store, *items) : Exit::done;
}

// --- environments that stores share

std::string used_by(const attempt::SharedEntry& entry) {
  if (entry.stores.empty()) return entry.is_complete ? "unused" : "unused, incomplete";
  std::string text = entry.is_complete ? "used by " : "being made by ";
  for (const std::string& store : entry.stores)
    text += (&store == &entry.stores.front() ? "" : ", ") + printable(store);
  return text;
}

Exit collect_cache(bool remove) {
  const std::string root = attempt::shared_root(real_environment());
  if (root.empty())
    return fail_command(invalid("neither HOME nor XDG_CACHE_HOME names a folder; set one"));
  system::Files& files = real_host().files;
  const auto entries = attempt::shared_entries(files, root);
  if (!entries) return fail_command(entries.error(), Exit::failed);
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
    say_item(entry.bytes, printable(entry.folder), state);
  }
  say(stderr, "{}: {:.1f} of {:.1f} MiB {} by no store{}\n", root, unused, all,
      remove ? "were used" : "are used", unused > 0 && !remove ? "; --apply removes them" : "");
  print_errors(errors);
  return errors.empty() ? Exit::done : Exit::failed;
}

Exit collect_all(const GcOptions& options) {
  const Exit status = collect_store(options);
  if (status == Exit::refused || status == Exit::in_use) return status;
  return std::max(status, collect_cache(options.apply));
}

struct ForgetOptions {
  std::string experiment;
  std::string store = "results";
  bool apply = false;
};

Exit forget(const ForgetOptions& options) {
  auto store = open_existing(options.store, options.apply);
  if (!store) return fail_on_store(store.error());
  const auto found = options.apply
                         ? keep::forget(*store, options.experiment, real_host().clock.wall_s())
                         : keep::would_forget(store->database(), options.experiment);
  if (!found) return fail_on_store(found.error());
  say(stderr, "{}: {} with {}{}; {} of their measurements belong to no other experiment\n",
      printable_line(options.experiment), plural(found->runs, "run"),
      plural(found->points, "point"), options.apply ? " are no longer in any view" : "",
      found->measurements);
  say(stderr, "{}\n",
      options.apply ? "`orchestrate gc` lists what is no longer needed"
                    : "nothing was changed; --apply removes them from every view");
  return Exit::done;
}

}  // namespace

void add_gc(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "gc",
      "List, or remove, what no result or run of a store needs and the environments in the "
      "user's cache that no store uses");
  auto options = std::make_shared<GcOptions>();
  command->add_flag("--apply,--remove", options->apply, "Remove what is listed");
  command
      ->add_option("--keep", options->keep,
                   "Also keep the outputs of points for which this SQL over results_all is true: "
                   "\"precision = 'fp8'\"")
      ->check(not_empty("--keep"));
  command
      ->add_option("--max-size", options->most_bytes,
                   "Also remove outputs that measured points no longer need, until the outputs "
                   "have at most this size: 50G, 500M")
      ->transform(CLI::AsSizeValue(false));
  add_store_option(*command, options->store);
  command->callback([command, options, &exit_code] {
    options->names_store = command->count("--store") > 0;
    exit_code = status_of(collect_all(*options));
  });
}

void add_forget(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "forget", "Remove an experiment from every view; `gc` then removes what only it used");
  auto options = std::make_shared<ForgetOptions>();
  command->add_option("EXPERIMENT", options->experiment, "The name of a matrix")->required();
  command->add_flag("--apply", options->apply,
                    "Remove it; without this, only show what would be removed");
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] { exit_code = status_of(forget(*options)); });
}

}  // namespace orch::cli
