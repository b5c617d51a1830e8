#include "cli/bench_output.hpp"

#include "base/text.hpp"
#include "cli/bench_models.hpp"
#include "cli/command_line.hpp"
#include "cli/version.hpp"
#include "load/export_genai_perf.hpp"
#include "load/record_json.hpp"
#include "store/inbox.hpp"
#include "store/store.hpp"
#include "system/clock.hpp"
#include "system/files.hpp"
#include "system/machine.hpp"

namespace orch::cli {
namespace {

std::string cell(double value) { return value != 0 && std::abs(value) < 0.1 ? fmt::format("{:.4f}", value) : fmt::format("{:.3f}", value); }

matrix::Value text_value(const std::string& text) { return {matrix::Type::text, text}; }
matrix::Value number_value(std::int64_t number) { return {matrix::Type::integer, std::to_string(number)}; }

// "llama_c8_osl128": what a person would call the load, in the letters of a point's name.
std::string point_name(const load::BenchOptions& options, const load::Load& load) {
  const std::string of = load.kind == load::Load::Kind::closed ? fmt::format("c{}", load.concurrency)
                         : load.kind == load::Load::Kind::max  ? fmt::format("max{}", load.concurrency)
                         : load.arrival == load::Arrival::trace ? "trace"
                                                                : fmt::format("{:g}rps-{}", load.request_rate, load::name_of(load.arrival));
  std::string name = fmt::format("{}_{}_osl{}", options.model, of, options.osl);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  return name;
}

std::map<std::string, matrix::Value> parameters_of(const load::BenchOptions& options, const load::Load& load) {
  std::map<std::string, matrix::Value> out{{"model", text_value(options.model)}, {"protocol", text_value(options.protocol)}, {"url", text_value(join(options.urls, " "))}, {"osl", number_value(options.osl)}};
  if (load.kind == load::Load::Kind::closed) {
    out.emplace("concurrency", number_value(load.concurrency));
  } else if (load.kind == load::Load::Kind::open) {
    out.emplace("arrival", text_value(std::string(load::name_of(load.arrival))));
    if (load.arrival != load::Arrival::trace) out.emplace("request_rate", matrix::Value{matrix::Type::real, fmt::format("{:.17g}", load.request_rate)});
  }
  return out;
}

store::Publication publication_of(const BenchCommand& command, std::span<const load::Measurement> measurements) {
  store::Publication publication{.token = {}, .experiment = "bench", .info = {}, .points = {}};
  publication.info.command = own_command_line();
  publication.info.version = k_version;
  publication.info.machine = system::detect_machine().facts();
  publication.info.started_at = system::RealClock().wall_s();
  for (const load::Measurement& measurement : measurements) {
    const std::span<const load::Measurement> one(&measurement, 1);
    publication.points.push_back({.name = point_name(command.options, measurement.load),
                                  .parameters = parameters_of(command.options, measurement.load),
                                  .measurement = load::measurement_json(command.options, one),
                                  .requests = load::requests_jsonl(one),
                                  .answers = command.options.keep_answers ? load::answers_packed(one) : ""});
  }
  return publication;
}

// Of an earlier measurement nothing is left beside this one.
Status write_answers(const BenchCommand& command, system::Files& files, std::span<const load::Measurement> measurements) {
  const std::string file = command.out + "/answers.jsonl.zst";
  const std::string packed = command.options.keep_answers ? load::answers_packed(measurements) : "";
  return packed.empty() ? files.remove_tree(file) : files.write(file, packed);
}

// How far the 95 % interval reaches, as a share of the mean: to its farther side, and to both where they differ by more than a
// third, and visibly.
std::string precision(const measure::Metric& metric) {
  const double mean = metric.mean();
  if (!metric.interval || mean == 0) return "";
  const double below = 100 * (mean - metric.interval->low) / std::abs(mean);
  const double above = 100 * (metric.interval->high - mean) / std::abs(mean);
  const double least = std::min(below, above);
  const double most = std::max(below, above);
  constexpr double k_visible = 0.1;
  return most > least * 4 / 3 && most - least >= k_visible ? fmt::format("-{:.1f}/+{:.1f}%", std::max(0.0, below), std::max(0.0, above)) : fmt::format("{:.1f}%", most);
}

}  // namespace

std::string bench_table(const load::Measurement& measurement) {
  std::vector<std::string> header{"metric", "unit"};
  for (const measure::StatisticField& field : measure::k_statistic_fields) header.emplace_back(field.name);
  header.insert(header.begin() + 3, "+-95%");
  TextTable table(std::move(header));
  for (const measure::Metric& metric : measurement.metrics) {
    std::vector<std::string> row{std::string(metric.row->name), std::string(metric.row->unit)};
    const auto* all = std::get_if<measure::Statistics>(&metric.value);
    if (all == nullptr) row.push_back(cell(std::get<double>(metric.value)));
    else
      for (const measure::StatisticField& field : measure::k_statistic_fields)
        row.push_back(cell(all->*field.value) + (field.per_mille > 0 && all->n < measure::records_needed(field.per_mille) ? "*" : ""));
    row.insert(row.begin() + 3, precision(metric));
    table.add(std::move(row));
  }
  std::string out = fmt::format("{}: {}, {} requests in {:.3f} s\n{}", measurement.load.text(), measurement.verdict.valid ? "valid" : "NOT VALID",
             std::count_if(measurement.records.begin(), measurement.records.end(), [](const auto& r) { return !r.warmup; }),
             measurement.duration_s, table.text());
  if (!measurement.stopped.empty()) out += fmt::format("stopped: {}\n", measurement.stopped);
  if (measurement.server.models) out += models_table(*measurement.server.models);
  for (const std::string& reason : measurement.verdict.reasons) out += fmt::format("not valid: {}\n", reason);
  for (const std::string& warning : measurement.verdict.warnings) out += fmt::format("warning: {}\n", warning);
  if (!measurement.unsupported.empty()) out += "*: too few records for this percentile\n";
  return out;
}

std::string bench_csv(const load::Measurement& measurement, bool with_header) {
  std::string out;
  if (with_header) {
    out = "load,valid,metric,unit";
    for (const measure::StatisticField& field : measure::k_statistic_fields) out += fmt::format(",{}", field.name);
    out += ",n,low,high\n";
  }
  for (const measure::Metric& metric : measurement.metrics) {
    out += fmt::format("{},{},{},{}", measurement.load.text(), measurement.verdict.valid ? 1 : 0, metric.row->name, metric.row->unit);
    const auto* all = std::get_if<measure::Statistics>(&metric.value);
    if (all == nullptr) out += fmt::format(",{:.9g}", std::get<double>(metric.value));
    for (const measure::StatisticField& field : measure::k_statistic_fields)
      if (all != nullptr) out += fmt::format(",{:.9g}", all->*field.value);
      else if (&field != measure::k_statistic_fields.data()) out += ',';
    out += all != nullptr ? fmt::format(",{}", all->n) : ",";
    out += metric.interval ? fmt::format(",{:.9g},{:.9g}\n", metric.interval->low, metric.interval->high) : ",,\n";
  }
  return out;
}

Status write_record(const BenchCommand& command, std::span<const load::Measurement> measurements) {
  if (command.out.empty()) return {};
  system::RealFiles files;
  ORCH_TRY(files.make_folder(command.out));
  ORCH_TRY(files.write(command.out + "/requests.jsonl", load::requests_jsonl(measurements)));
  ORCH_TRY(write_answers(command, files, measurements));
  return files.write(command.out + "/measurement.json", load::measurement_json(command.options, measurements));
}

Status write_export(const BenchCommand& command, std::span<const load::Prompt> prompts, std::span<const load::Measurement> measurements) {
  if (command.exported.empty()) return {};
  system::RealFiles files;
  const std::vector<std::string> folders = load::genai_perf_folders(command.options, measurements);
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    const std::string folder = fmt::format("{}artifacts/{}", command.out.empty() ? "" : command.out + "/", folders[i]);
    const load::GenaiPerfSummary summary = load::genai_perf_summary(command.options, measurements[i], folder);
    ORCH_TRY(files.make_folder(folder));
    ORCH_TRY(files.write(folder + "/profile_export.json", load::profile_export(command.options, prompts, measurements[i], fmt::format("orchestrate {}", k_version))));
    ORCH_TRY(files.write(folder + "/profile_export_genai_perf.json", summary.json));
    ORCH_TRY(files.write(folder + "/profile_export_genai_perf.csv", summary.csv));
    fmt::print(stderr, "exported to {}\n", folder);
  }
  return {};
}

Status publish_record(const BenchCommand& command, std::span<const load::Measurement> measurements) {
  if (command.db.empty()) return {};
  ORCH_ASSIGN(const std::string uid, store::publish({std::filesystem::absolute(command.db)}, publication_of(command, measurements)));
  auto opened = store::Store::open(command.db, store::Mode::write);
  if (!opened && opened.error().kind == ErrorKind::conflict) {
    fmt::print(stderr, "{} is in use: the records wait in its inbox ({}) for the next run that begins there\n", command.db, uid);
    return {};
  }
  if (!opened) return opened.error().within(fmt::format("the records are in {}/inbox/{}", command.db, uid));
  ORCH_TRY(opened->ingest());
  for (const std::string& notice : opened->notices()) fmt::print(stderr, "note: {}\n", notice);
  return {};
}

}  // namespace orch::cli
