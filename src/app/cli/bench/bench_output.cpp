#include "app/cli/bench/bench_output.hpp"

#include "app/cli/bench/measuring.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "os/system/clock.hpp"
#include "os/system/machine.hpp"
#include "os/system/process.hpp"
#include "results/query/table.hpp"
#include "results/store/inbox.hpp"
#include "results/store/layout.hpp"
#include "results/store/store.hpp"
#include "results/tools/export_genai_perf.hpp"

#include <cerrno>

namespace orch::cli {

namespace {

std::string ms(std::optional<double> value) { return value ? fmt::format("{:.3f}", *value) : "-"; }

constexpr std::size_t k_part_bytes = 1 << 20;

std::string cell(double value) {
  const double size = std::abs(value);
  if (size != 0 && size < 0.001) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, size != 0 && size < 0.1 ? 4 : 3);
}

store::Publication publication_of(const BenchCommand& command,
                                  std::span<const record::Measurement> measurements) {
  store::Publication publication{.experiment = "bench"};
  publication.info.command = own_command_line();
  publication.info.version = k_version;
  publication.info.machine = system::detect_machine().facts();
  publication.info.started_at = real_host().clock.wall_s();
  for (const record::Measurement& measurement : measurements) {
    const std::span<const record::Measurement> one(&measurement, 1);
    BenchPoint point = bench_point(command, measurement.load);
    publication.points.push_back({.name = std::move(point.name),
                                  .parameters = std::move(point.parameters),
                                  .measurement = measurement_json(command, one),
                                  .write_requests = [&command, one](const std::string& folder) {
                                    return write_requests(command, folder, one);
                                  }});
  }
  return publication;
}

// The half width of the 95 % interval in percent of the mean: that of the wider side, or of both
// sides if they differ visibly and by more than a third; "" without an interval, or if the mean is
// 0.
std::string precision(const measure::Metric& metric) {
  const double mean = metric.mean();
  if (!metric.interval || mean == 0) return "";
  const double below = 100 * (mean - metric.interval->low) / std::abs(mean);
  const double above = 100 * (metric.interval->high - mean) / std::abs(mean);
  const double least = std::min(below, above);
  const double most = std::max(below, above);
  constexpr double k_visible = 0.1;
  return most > least * 4 / 3 && most - least >= k_visible
             ? fmt::format("-{:.1f}/+{:.1f}%", std::max(0.0, below), std::max(0.0, above))
             : fmt::format("{:.1f}%", most);
}

constexpr std::string_view k_mark = "*";
constexpr std::string_view k_marked = "*: too few records for this percentile\n";
constexpr std::string_view k_from_schedule =
    "ttft_ms and latency_ms of an open loop count from the scheduled send (ttft_ms_intended, "
    "request_latency_ms_intended)\n";

bool supported(const measure::StatisticField& field, const measure::Statistics& all) {
  return field.per_mille == 0 || all.n >= measure::records_needed(field.per_mille);
}

// The value of FIELD, marked if it is a percentile with too few records.
std::string cell_of(const measure::Statistics& all, const measure::StatisticField& field) {
  return cell(all.*field.value) + std::string(supported(field, all) ? "" : k_mark);
}

// The value of a metric; "" if it was not measured.
std::string cell_of(const record::Measurement& measurement, std::string_view name,
                    Statistic statistic) {
  for (const measure::Metric& metric : measurement.metrics) {
    if (metric.row->name != name) continue;
    const auto* all = std::get_if<measure::Statistics>(&metric.value);
    if (all == nullptr) return cell(std::get<double>(metric.value));
    return cell_of(*all, *std::ranges::find(measure::k_statistic_fields, statistic,
                                            &measure::StatisticField::statistic));
  }
  return "";
}

// The line about the load generator's health. For an open loop, the lag is the send lag.
std::string health_line(const record::Measurement& measurement) {
  const measure::ClientHealth& client = measurement.client;
  const bool open = measurement.load.kind == record::Load::Kind::open;
  const double lag_ms =
      static_cast<double>((open ? client.send_lag : client.wake_lag).percentile_ns(0.99)) / 1e6;
  const double shared = client.events > 0 ? 100 * static_cast<double>(client.coalesced) /
                                                static_cast<double>(client.events)
                                          : 0;
  return fmt::format(
      "client: {:.0f} % of a core, {} lag p99 {:.2f} ms, {:.1f} % of events read together with an "
      "earlier one, {}, {} resent\n",
      100 * client.cpu_share.value_or(0), open ? "send" : "wake-up", lag_ms, shared,
      plural(client.connections_opened, "connection"), plural(client.resent, "request"));
}

Status write_experiments(const BenchCommand& command, const std::string& path,
                         std::span<const prompt::Prompt> prompts,
                         std::span<const record::Measurement> measurements) {
  const std::string version = fmt::format("orchestrate {}", k_version);
  const record::ProfileExport with{.options = command.options,
                                   .prompts = prompts,
                                   .version = version,
                                   .spool = command.options.answers};
  return write_json(command, path, [&](const record::Take& take) {
    return record::give_profile(with, measurements, take);
  });
}

}  // namespace

std::string models_table(std::span<const observe::ModelTimes> models) {
  if (models.empty()) return "";
  TextTable table({"model, by the server", "requests", "failed", "executions", "queue_ms",
                   "compute_input_ms", "compute_infer_ms", "compute_output_ms"});
  for (const observe::ModelTimes& model : models)
    table.add({model.model + (model.restarted ? " (reloaded)" : ""), std::to_string(model.requests),
               std::to_string(model.failed), std::to_string(model.executions), ms(model.queue_ms),
               ms(model.compute_input_ms), ms(model.compute_infer_ms),
               ms(model.compute_output_ms)});
  return table.text();
}

Status write_parts(system::Files& files, const std::string& path, const Produce& produce) {
  if (const auto there = files.stat(path); there && there->is_folder)
    return io_error("write", path, EISDIR);
  const std::string part = path + ".part";
  ORCH_TRY(files.remove_tree(part));
  ORCH_ASSIGN(const auto file, files.open(part));
  std::string waiting;
  ORCH_TRY(produce([&](std::string_view text) -> Status {
    waiting += text;
    return waiting.size() < k_part_bytes ? Status() : file->append(std::exchange(waiting, {}));
  }));
  ORCH_TRY(file->append(waiting));
  ORCH_TRY(file->sync());
  ORCH_TRY(files.remove_tree(path));
  return files.rename(part, path);
}

Status write_json(const BenchCommand& command, const std::string& path, const Produce& produce) {
  secret::JsonRedactor redactor(*command.secrets);
  return write_parts(real_host().files, path, [&](const record::Take& take) -> Status {
    ORCH_TRY(produce([&](std::string_view text) { return take(redactor.feed(text)); }));
    return take(redactor.finish());
  });
}

std::string measurement_json(const BenchCommand& command,
                             std::span<const record::Measurement> measurements) {
  return secret::redacted_json(*command.secrets,
                               record::measurement_json(command.options, measurements));
}

namespace {

// Writes the file PATH, or removes it if KEPT is false or PRODUCE has no output.
Status write_packed(const std::string& path, bool kept, const Produce& produce) {
  system::Files& files = real_host().files;
  if (!kept) return files.remove_tree(path);
  bool any = false;
  ORCH_TRY(write_parts(files, path, [&](const record::Take& take) {
    return produce([&](std::string_view text) {
      any = true;
      return take(text);
    });
  }));
  return any ? Status() : files.remove_tree(path);
}

}  // namespace

Status write_requests(const BenchCommand& command, const std::string& folder,
                      std::span<const record::Measurement> measurements) {
  ORCH_TRY(write_json(command, folder + "/requests.jsonl", [&](const record::Take& take) {
    return record::give_requests(measurements, take);
  }));
  ORCH_TRY(write_packed(folder + "/answers.jsonl.zst", command.options.keep_answers,
                        [&](const record::Take& take) {
                          return record::give_answers(measurements, command.options.answers, take);
                        }));
  return write_packed(folder + "/values.jsonl.zst", command.options.keep_values,
                      [&](const record::Take& take) {
                        return record::give_values(measurements, command.options.answers, take);
                      });
}

std::string bench_table(const record::Measurement& measurement) {
  std::vector<std::string> header{"metric", "unit"};
  for (const measure::StatisticField& field : measure::k_statistic_fields)
    header.emplace_back(field.name());
  header.insert(header.begin() + 3, "+-95%");
  TextTable table(std::move(header));
  for (const measure::Metric& metric : measurement.metrics) {
    std::vector<std::string> row{std::string(metric.row->name), std::string(metric.row->unit)};
    const auto* all = std::get_if<measure::Statistics>(&metric.value);
    if (all == nullptr) row.push_back(cell(std::get<double>(metric.value)));
    else
      for (const measure::StatisticField& field : measure::k_statistic_fields)
        row.push_back(cell_of(*all, field));
    row.insert(row.begin() + 3, precision(metric));
    table.add(std::move(row));
  }
  std::string out =
      fmt::format("{}: {}, {} in {:.3f} s\n{}", measurement.load.text(),
                  measurement.verdict.valid ? "valid" : "NOT VALID",
                  plural(static_cast<std::uint64_t>(std::ranges::count_if(
                             measurement.records, [](const auto& r) { return !r.warmup; })),
                         "request"),
                  measurement.duration_s, table.text());
  out += health_line(measurement);
  if (!measurement.stopped.empty()) out += fmt::format("stopped: {}\n", measurement.stopped);
  if (measurement.server.models) out += models_table(*measurement.server.models);
  for (const std::string& reason : measurement.verdict.reasons)
    out += fmt::format("not valid: {}\n", printable(reason));
  for (const std::string& warning : measurement.verdict.warnings)
    out += fmt::format("warning: {}\n", printable(warning));
  if (!measurement.unsupported.empty()) out += k_marked;
  return out;
}

std::string bench_summary(std::span<const record::Measurement> measurements) {
  const std::vector<measure::Column> columns = measure::columns_in(&measure::Lists::bench);
  std::vector<std::string> header{"load", "valid"};
  for (const auto& [metric, statistic] : columns) {
    const std::string_view title = metric->shown.title.empty() ? metric->name : metric->shown.title;
    header.emplace_back(statistic == Statistic::mean ? title : to_string(statistic));
  }
  TextTable table(std::move(header));
  for (const record::Measurement& measurement : measurements) {
    std::vector<std::string> row{measurement.load.text(), measurement.verdict.valid ? "yes" : "NO"};
    const bool open = measurement.load.kind == record::Load::Kind::open;
    for (const auto& [metric, statistic] : columns)
      row.push_back(cell_of(measurement, metric->from_scheduled_send(open).name, statistic));
    table.add(std::move(row));
  }
  std::string out = table.text();
  if (out.find(k_mark) != std::string::npos) out += k_marked;
  if (std::ranges::any_of(
          measurements, [](const auto& one) { return one.load.kind == record::Load::Kind::open; }))
    out += k_from_schedule;
  return out;
}

std::string bench_csv(const record::Measurement& measurement, bool with_header) {
  const auto exact = [](double value) { return report::Cell(fmt::format("{:.9g}", value)); };
  report::Table table{.columns = {"load", "valid", "metric", "unit"}};
  for (const measure::StatisticField& field : measure::k_statistic_fields)
    table.columns.emplace_back(field.name());
  for (const char* name : {"n", "low", "high", "unsupported"}) table.columns.emplace_back(name);
  for (const measure::Metric& metric : measurement.metrics) {
    std::vector<report::Cell>& cells = table.rows.emplace_back();
    cells = {measurement.load.text(), std::int64_t{measurement.verdict.valid},
             std::string(metric.row->name), std::string(metric.row->unit)};
    const auto* all = std::get_if<measure::Statistics>(&metric.value);
    std::vector<std::string> unsupported;
    for (const measure::StatisticField& field : measure::k_statistic_fields) {
      const bool is_mean = field.statistic == Statistic::mean;
      if (all != nullptr) cells.push_back(exact(all->*field.value));
      else cells.push_back(is_mean ? exact(std::get<double>(metric.value)) : report::Cell());
      if (all != nullptr && !supported(field, *all)) unsupported.emplace_back(field.name());
    }
    cells.push_back(all != nullptr ? report::Cell(all->n) : report::Cell());
    cells.push_back(metric.interval ? exact(metric.interval->low) : report::Cell());
    cells.push_back(metric.interval ? exact(metric.interval->high) : report::Cell());
    cells.push_back(unsupported.empty() ? report::Cell() : report::Cell(join(unsupported, " ")));
  }
  const std::string text = report::to_text(table, report::Format::csv);
  return with_header ? text : text.substr(text.find('\n') + 1);
}

Status check_places(const BenchCommand& command) {
  system::RealFiles files;
  const std::string exported =
      command.exported.empty() ? "" : (std::filesystem::path(command.out) / "artifacts").string();
  for (const std::string& place :
       {command.out, exported, command.profile, command.prompts.options.helper.cache_folder})
    if (!place.empty()) ORCH_TRY(store::check_output(place));
  if (!command.out.empty()) {
    const bool is_new = !std::filesystem::exists(command.out);
    const std::string probe = command.out + "/.probe-" + system::new_token();
    ORCH_TRY(files.make_folder(command.out));
    ORCH_TRY(files.write(probe, ""));
    ORCH_TRY(files.remove_tree(is_new ? command.out : probe));
  }
  if (!command.profile.empty()) {
    const std::string probe = command.profile + ".probe-" + system::new_token();
    if (std::filesystem::is_directory(command.profile))
      return io_error("write", command.profile, EISDIR);
    ORCH_TRY(files.write(probe, ""));
    ORCH_TRY(files.remove_tree(probe));
  }
  if (command.db.empty()) return {};
  const auto opened = store::Store::open(real_host(), command.db, store::Mode::write);
  return opened || opened.error().kind == ErrorKind::conflict ? Status() : Status(opened.error());
}

Status write_record(const BenchCommand& command,
                    std::span<const record::Measurement> measurements) {
  if (command.out.empty()) return {};
  system::RealFiles files;
  ORCH_TRY(files.make_folder(command.out));
  // First removes an earlier record, which must not remain beside new requests even if a write
  // fails.
  if (measurements.size() == 1) ORCH_TRY(files.remove_tree(command.out + "/measurement.json"));
  ORCH_TRY(write_requests(command, command.out, measurements));
  return files.write(command.out + "/measurement.json", measurement_json(command, measurements));
}

Status write_profile(const BenchCommand& command, std::span<const prompt::Prompt> prompts,
                     std::span<const record::Measurement> measurements) {
  return command.profile.empty()
             ? Status()
             : write_experiments(command, command.profile, prompts, measurements);
}

Status write_export(const BenchCommand& command, std::span<const prompt::Prompt> prompts,
                    std::span<const record::Measurement> measurements) {
  if (command.exported.empty()) return {};
  system::RealFiles files;
  const std::vector<std::string> folders =
      record::genai_perf_folders(command.options, measurements);
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const std::string folder =
        fmt::format("{}artifacts/{}", command.out.empty() ? "" : command.out + "/", folders[i]);
    const record::GenaiPerfSummary summary =
        record::genai_perf_summary(command.options, measurements[i], folder);
    const bool replaced = files.exists(folder + "/profile_export.json");
    ORCH_TRY(files.make_folder(folder));
    ORCH_TRY(write_experiments(command, folder + "/profile_export.json", prompts,
                               measurements.subspan(i, 1)));
    ORCH_TRY(files.write(folder + "/profile_export_genai_perf.json", summary.json));
    ORCH_TRY(files.write(folder + "/profile_export_genai_perf.csv", summary.csv));
    say(stderr, "exported to {}{}\n", folder, replaced ? ", in place of an earlier export" : "");
  }
  return {};
}

Status publish_record(const BenchCommand& command,
                      std::span<const record::Measurement> measurements) {
  if (command.db.empty()) return {};
  ORCH_ASSIGN(const std::string uid,
              store::publish(real_host().files, {std::filesystem::absolute(command.db)},
                             publication_of(command, measurements)));
  auto opened = store::Store::open(real_host(), command.db, store::Mode::write);
  if (!opened && opened.error().kind == ErrorKind::conflict) {
    say(stderr, "{} is in use: the next run there ingests the records from its inbox ({})\n",
        command.db, uid);
    return {};
  }
  if (!opened)
    return opened.error().within(fmt::format("the records are in {}/inbox/{}", command.db, uid));
  ORCH_TRY(opened->ingest());
  for (const std::string& notice : opened->notices()) say(stderr, "note: {}\n", notice);
  return {};
}

}  // namespace orch::cli
