#include "analysis/compare/comparison_text.hpp"
#include "analysis/page/page.hpp"
#include "analysis/page/page_reading.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/decide/add_sessions.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "core/base/digest.hpp"
#include "core/base/version.hpp"
#include "os/system/file_lock.hpp"
#include "os/system/http/page_server.hpp"
#include "results/store/store.hpp"

#include <csignal>

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace orch::cli {

namespace {

struct ReportOptions {
  std::optional<std::int64_t> run;
  std::string where, output;
  std::vector<std::string> compared;  // two sides, or none
  std::string store = "results";
  bool markdown = false, csv = false, live = false;
};

report::PageQuestion question_of(const ReportOptions& options, const store::Store& store) {
  return {.run = options.run,
          .where = options.where,
          .root = store.layout().root.string(),
          .version = k_version,
          .now = real_host().clock.wall_s(),
          .live = options.live};
}

Result<report::PageAnswer> read_answer(const ReportOptions& options, store::Store& store) {
  ORCH_ASSIGN(report::PageAnswer answer,
              report::read_page(store.database(), question_of(options, store)));
  if (!options.compared.empty()) {
    ORCH_ASSIGN(const compare::Answer compared,
                compare::read_comparison(store.database(), store.database(),
                                         {.a = options.compared[0], .b = options.compared[1]}));
    answer.report.comparison = compare::section_of(compared);
  }
  return answer;
}

std::string file_name(const ReportOptions& options) {
  std::string name = "report";
  if (options.run) name += fmt::format("-run-{}", *options.run);
  // The default name depends on the condition, so that the same condition gives the same file.
  std::string selection = options.where;
  for (const std::string& side : options.compared) selection += "\n" + side;
  if (!selection.empty()) name += "-" + sha256(selection).prefix(8);
  return name + ".html";
}

// Writes TEXT to PATH; to stdout if PATH is "" or names stdout.
Status write_text(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-" || path == "/dev/stdout") {
    print_out(text);
    return {};
  }
  ORCH_TRY(write_output(path, text));
  say(stdout, "{}\n", path);
  return {};
}

Status write_page(const ReportOptions& options, const store::Store& store,
                  const page::Report& report) {
  std::string path = options.output;
  if (path.empty()) {
    ORCH_TRY(real_host().files.make_folder(store.layout().reports().string()));
    path = (store.layout().reports() / file_name(options)).string();
  }
  return write_text(path, page::html(report));
}

Status write_report(const ReportOptions& options, store::Store& store) {
  ORCH_ASSIGN(const report::PageAnswer answer, read_answer(options, store));
  if (answer.report.rows.empty())
    say(stderr, "note: no point has a measurement{}\n",
        options.run || !options.where.empty() ? " in this selection" : " yet");
  if (options.csv)
    return write_text(options.output, report::to_text(answer.rows, report::Format::csv));
  if (options.markdown) return write_text(options.output, page::markdown(answer.report));
  return write_page(options, store, answer.report);
}

Exit report(const ReportOptions& options) {
  if (!options.live)
    return read_store(options.store,
                      [&](store::Store& store) { return write_report(options, store); });
  return serve_live_report(options.store, [&options](store::Store& store) -> Result<std::string> {
    ORCH_ASSIGN(const report::PageAnswer answer, read_answer(options, store));
    return page::html(answer.report);
  });
}

volatile std::sig_atomic_t g_asked_to_end = 0;

void note_end(int) { g_asked_to_end = 1; }

void end_on_signals() {
  struct sigaction action {};
  action.sa_handler = note_end;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

using Make = std::function<Result<std::string>(store::Store&)>;

// The latest page. Reading a store takes CPU time that a measurement may need, so the page is
// regenerated only if a browser requests it after a change, and at most every few seconds.
class CurrentPage {
 public:
  CurrentPage(std::string folder, const Make& make) : folder_(std::move(folder)), make_(make) {}

  Status renew() {
    const double now = host_.clock.now_s();
    if (!page_.html.empty() && now < made_s_ + k_least_s) return {};
    const std::string seen = stamp();
    if (!page_.html.empty() && seen == stamp_) return {};
    ORCH_ASSIGN(auto store, store::Store::open(host_, folder_, store::Mode::read));
    ORCH_ASSIGN(page_.html, make_(store));
    page_.version = sha256(page_.html).prefix(16);
    page_.policy = page::content_policy(true);
    stamp_ = seen;
    made_s_ = host_.clock.now_s();
    return {};
  }
  const system::PageServer::Page& page() const { return page_; }

 private:
  static constexpr double k_least_s = 5;

  std::string stamp() const {
    std::string out;
    for (const char* name : {"/results.db", "/results.db-wal"})
      if (const auto file = system::FileStamp::of(folder_ + name))
        out += fmt::format("{} {} {} ", file->size, file->mtime_ns, file->inode);
    return out;
  }

  store::Host host_ = real_host();
  std::string folder_;
  const Make& make_;
  system::PageServer::Page page_;
  std::string stamp_;
  double made_s_ = 0;
};

Status serve(const std::string& folder, const Make& make) {
  CurrentPage current(folder, make);
  ORCH_TRY(current.renew());
  ORCH_ASSIGN(std::string token, system::random_token());
  ORCH_ASSIGN(auto server, system::PageServer::listen(std::move(token)));
  end_on_signals();
  static_cast<void>(::nice(10));  // lower priority than the load generator and the servers
  print_out(server.address() + "\n");
  say(stderr,
      "The address holds a token: anyone who has it can read the report. Ctrl-C stops serving.\n");
  return server.serve(
      [&current] {
        // If the store cannot be read now, the next request will try again.
        if (const Status renewed = current.renew(); !renewed)
          say(stderr, "{}\n", renewed.error().text());
        return current.page();
      },
      [] { return g_asked_to_end != 0; });
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "report",
      "Write a page with plots, the best points, every point and where it comes from: one HTML "
      "file that needs no network");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("RUN", options->run,
                      "Only the points of this run (default: all of the store)");
  command
      ->add_option("--where", options->where,
                   "Only the points for which this SQL over the columns of `results` is true")
      ->check(not_empty("--where"));
  command
      ->add_option("--compare", options->compared,
                   "Add a comparison of two sides, each as for `orchestrate compare`")
      ->expected(2)
      ->type_name("A B");
  auto* markdown =
      command->add_flag("--markdown", options->markdown, "Tables for a pull request, on stdout");
  auto* csv = command->add_flag("--csv", options->csv, "Every column of the points, on stdout");
  auto* live =
      command->add_flag("--live", options->live,
                        "Serve the page on 127.0.0.1, updated while a run goes on, until Ctrl-C");
  auto* output = command->add_option(
      "--output", options->output,
      "The file to write; - is stdout (default: in `reports` of the results folder)");
  markdown->excludes(csv)->excludes(live);
  csv->excludes(live);
  live->excludes(output);
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] { exit_code = status_of(report(*options)); });
}

Exit serve_live_report(const std::string& folder, const Make& make) {
  const Status served = serve(folder, make);
  if (served) return Exit::done;
  return fail_command(served.error());
}

}  // namespace orch::cli
