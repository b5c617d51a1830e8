#include "cli/commands.hpp"
#include "cli/reading.hpp"
#include "cli/say.hpp"
#include "report/query.hpp"
#include "store/store.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace orch::cli {

namespace {

struct QueryOptions {
  std::string sql;
  std::string store = "results";
  std::string format = "table";
  bool json = false;
  double timeout_s = 60;
  std::uint64_t most_mib = 1024;
};

int query(const QueryOptions& options) {
  const report::Format format =
      options.json ? report::Format::json : *report::format_from(options.format);
  const sql::QueryLimits limits{.seconds = options.timeout_s, .bytes = options.most_mib << 20};
  return read_store(options.store, [&](store::Store& store) -> Status {
    if (options.sql.empty()) {
      ORCH_ASSIGN(const std::string list, report::list_views(store.database(), format));
      print_out(list);
      return {};
    }
    ORCH_ASSIGN(const report::QueryOutput answer,
                report::query_output(store.database(), options.sql, format, limits));
    print_out(answer.text);
    if (!answer.note.empty()) say(stderr, "note: {}\n", answer.note);
    return {};
  });
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
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--max-memory", options->most_mib,
                   "MiB of memory above which the query ends with an error; 0: without limit")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 30));
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] { exit_code = query(*options); });
}

}  // namespace orch::cli
