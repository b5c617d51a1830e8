#include "app/cli/commands.hpp"
#include "app/cli/interrupts.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "results/query/query.hpp"
#include "results/store/store.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <memory>

namespace orch::cli {

namespace {

constexpr std::uint64_t k_rows_for_people = 10'000;
constexpr int k_query_interrupted = 130;

struct QueryOptions {
  std::string sql;
  std::string store = "results";
  std::string format = "table";
  bool json = false;
  double timeout_s = 60;
  std::uint64_t most_mib = 1024;
  std::optional<std::uint64_t> rows;
  std::optional<double> watch_s;

  report::Format shape() const {
    return json ? report::Format::json : *report::format_from(format);
  }
  sql::QueryLimits limits() const {
    const bool for_people = shape() == report::Format::table || shape() == report::Format::markdown;
    return {.seconds = timeout_s,
            .bytes = most_mib << 20,
            .rows = rows.value_or(for_people ? k_rows_for_people : 0)};
  }
};

Result<report::QueryOutput> answer_of(store::Store& store, const QueryOptions& options) {
  if (!options.sql.empty())
    return report::query_output(store.database(), options.sql, options.shape(), options.limits());
  ORCH_ASSIGN(std::string list, report::list_views(store.database(), options.shape()));
  return report::QueryOutput{.text = std::move(list), .note = {}};
}

void print(const report::QueryOutput& answer) {
  print_out(answer.text);
  if (!answer.note.empty()) say(stderr, "note: {}\n", answer.note);
}

int query(const QueryOptions& options) {
  return read_store(options.store, [&](store::Store& store) -> Status {
    ORCH_ASSIGN(const report::QueryOutput answer, answer_of(store, options));
    print(answer);
    return {};
  });
}

// What a watched query printed last, over all connections.
struct Watch {
  std::optional<std::string> printed;
  bool is_over = false;  // a signal ended it
};

// A terminal shows the present answer alone; a file or a pipe gets each answer that differs from
// the one before.
void print_change(Watch& watch, const report::QueryOutput& answer) {
  if (watch.printed == answer.text) return;
  if (::isatty(STDOUT_FILENO) == 1) draw(stdout, "\x1b[H\x1b[2J");
  else if (watch.printed) print_out("\n");
  print(answer);
  watch.printed = answer.text;
}

// Until a signal comes, or another database takes the place of this one. `PRAGMA data_version`
// changes with each commit of another connection and reads no row, so that a run that measures is
// not disturbed by waiting for it.
Status watch_database(store::Store& store, const QueryOptions& options, Watch& watch) {
  const std::string file = store.layout().database().string();
  ORCH_ASSIGN(const auto opened, system::FileStamp::of(file));
  std::optional<std::int64_t> seen;
  while (true) {
    ORCH_ASSIGN(const std::int64_t version, store.database().query_int("PRAGMA data_version"));
    if (seen != version) {
      ORCH_ASSIGN(const report::QueryOutput answer, answer_of(store, options));
      print_change(watch, answer);
      seen = version;
    }
    watch.is_over = wait_for_signal(*options.watch_s);
    if (watch.is_over) return {};
    const auto now = system::FileStamp::of(file);
    if (now && now->inode != opened.inode) return {};
  }
}

int watch_query(const QueryOptions& options) {
  Watch watch;
  while (!watch.is_over) {
    const int status = read_store(
        options.store, [&](store::Store& store) { return watch_database(store, options, watch); });
    if (status != 0) return status;
  }
  return k_query_interrupted;
}

}  // namespace

void add_query(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "query", "Query the results database in SQL, or print a view; without SQL: list the views");
  auto options = std::make_shared<QueryOptions>();
  command->add_option("SQL", options->sql, "One SELECT, or the name of a view");
  command
      ->add_option("--format", options->format,
                   "table, csv, json (an array of objects) or markdown")
      ->capture_default_str()
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(report::k_format_names),
                                                     std::end(report::k_format_names))));
  command->add_flag("--json", options->json, "The same as --format json");
  command
      ->add_option("--timeout", options->timeout_s,
                   "Seconds after which the query ends with an error; 0: never")
      ->capture_default_str()
      ->check(number_in(0, 1e9));
  command
      ->add_option("--max-memory", options->most_mib,
                   "MiB of memory above which the query ends with an error; 0: without limit")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 30));
  command->add_option(
      "--rows", options->rows,
      "At most this many rows; 0: all (default: 10000 in a table or markdown, all in "
      "csv and json)");
  command
      ->add_option("--watch", options->watch_s,
                   "Look every this many seconds whether the database has changed, and print the "
                   "answer again when it has, until interrupted")
      ->check(number_in(0.1, 86400));
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] {
    exit_code = options->watch_s ? watch_query(*options) : query(*options);
  });
}

}  // namespace orch::cli
