#include "bench/observe/model_statistics.hpp"

#include "bench/wire/http_get.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <nlohmann/json.hpp>
#include <orch_proto/triton_grpc.pb.h>

namespace orch::observe {

namespace {

using Json = nlohmann::json;

constexpr int k_depth = 16;

using inference::InferStatistics;

struct Step {
  const char* name;
  Spent ModelStatistics::*spent;
  const inference::StatisticDuration& (InferStatistics::*over_grpc)() const;
};
constexpr Step k_steps[] = {
    {"success", &ModelStatistics::success, &InferStatistics::success},
    {"fail", &ModelStatistics::fail, &InferStatistics::fail},
    {"queue", &ModelStatistics::queue, &InferStatistics::queue},
    {"compute_input", &ModelStatistics::compute_input, &InferStatistics::compute_input},
    {"compute_infer", &ModelStatistics::compute_infer, &InferStatistics::compute_infer},
    {"compute_output", &ModelStatistics::compute_output, &InferStatistics::compute_output},
    {"cache_hit", &ModelStatistics::cache_hit, &InferStatistics::cache_hit},
    {"cache_miss", &ModelStatistics::cache_miss, &InferStatistics::cache_miss},
};

const Json* find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string text(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value && value->is_string() ? value->get<std::string>() : std::string();
}

std::uint64_t count(const Json& object, const char* key) {
  const Json* value = find(object, key);
  if (!value || !value->is_number_unsigned()) return 0;
  return value->get<std::uint64_t>();
}

std::optional<ModelStatistics> read_model(const Json& entry) {
  ModelStatistics out{.model = text(entry, "name"),
                      .version = text(entry, "version"),
                      .inference_count = count(entry, "inference_count"),
                      .execution_count = count(entry, "execution_count")};
  if (out.model.empty() || out.model.size() > k_longest_model_name ||
      out.version.size() > k_longest_model_name)
    return std::nullopt;
  const Json* steps = find(entry, "inference_stats");
  if (!steps) return out;
  for (const Step& step : k_steps)
    if (const Json* spent = find(*steps, step.name))
      out.*step.spent = {.count = count(*spent, "count"), .ns = count(*spent, "ns")};
  return out;
}

bool same_model(const ModelStatistics& a, const ModelStatistics& b) {
  return a.model == b.model && a.version == b.version;
}
bool before_model(const ModelStatistics& a, const ModelStatistics& b) {
  return std::tie(a.model, a.version) < std::tie(b.model, b.version);
}

bool shrank(const ModelStatistics& before, const ModelStatistics& after) {
  if (after.inference_count < before.inference_count ||
      after.execution_count < before.execution_count)
    return true;
  return std::ranges::any_of(k_steps, [&](const Step& step) {
    const Spent &was = before.*step.spent, &is = after.*step.spent;
    return is.count < was.count || is.ns < was.ns;
  });
}

struct Delta {
  ModelStatistics delta;
  bool restarted = false;
};

void add(Delta& sum, const ModelStatistics& before, const ModelStatistics& after) {
  // A reloaded model counts from zero.
  static const ModelStatistics k_nothing{};
  const bool restarted = shrank(before, after);
  const ModelStatistics& from = restarted ? k_nothing : before;
  sum.restarted = sum.restarted || restarted;
  sum.delta.inference_count += after.inference_count - from.inference_count;
  sum.delta.execution_count += after.execution_count - from.execution_count;
  for (const Step& step : k_steps) {
    Spent& spent = sum.delta.*step.spent;
    spent.count += (after.*step.spent).count - (from.*step.spent).count;
    spent.ns += (after.*step.spent).ns - (from.*step.spent).ns;
  }
}

std::optional<double> mean_ms(const Spent& spent) {
  if (spent.count == 0) return std::nullopt;
  return static_cast<double>(spent.ns) / static_cast<double>(spent.count) / 1e6;
}

ModelTimes times_of(const Delta& change) {
  const ModelStatistics& delta = change.delta;
  return {.model = delta.model,
          .version = delta.version,
          .requests = delta.success.count,
          .failed = delta.fail.count,
          .inferences = delta.inference_count,
          .executions = delta.execution_count,
          .cache_hits = delta.cache_hit.count,
          .cache_misses = delta.cache_miss.count,
          .request_ms = mean_ms(delta.success),
          .queue_ms = mean_ms(delta.queue),
          .compute_input_ms = mean_ms(delta.compute_input),
          .compute_infer_ms = mean_ms(delta.compute_infer),
          .compute_output_ms = mean_ms(delta.compute_output),
          .restarted = change.restarted};
}

constexpr const char* k_model_statistics = "/inference.GRPCInferenceService/ModelStatistics";

}  // namespace

Result<StatisticsPage> parse_model_statistics(std::string_view page) {
  const auto [document, too_deep] = parse_shallow<Json>(page, k_depth);
  if (too_deep) return invalid(fmt::format("model statistics are nested deeper than {}", k_depth));
  const Json* models = document.is_discarded() ? nullptr : find(document, "model_stats");
  if (!models || !models->is_array())
    return invalid("model statistics without a list 'model_stats'");
  StatisticsPage out;
  for (const Json& entry : *models) {
    if (out.size() == k_most_models) break;
    if (auto model = read_model(entry)) out.push_back(std::move(*model));
  }
  std::ranges::stable_sort(out, before_model);
  out.erase(std::unique(out.begin(), out.end(), same_model), out.end());
  return out;
}

std::vector<ModelTimes> model_times(std::span<const StatisticsPage> before,
                                    std::span<const StatisticsPage> after) {
  std::map<std::pair<std::string, std::string>, Delta> delta;
  for (std::size_t server = 0; server < after.size(); ++server)
    for (const ModelStatistics& model : after[server]) {
      const ModelStatistics* was = nullptr;
      if (server < before.size())
        for (const ModelStatistics& candidate : before[server])
          if (same_model(candidate, model)) was = &candidate;
      Delta& sum = delta[{model.model, model.version}];
      sum.delta.model = model.model;
      sum.delta.version = model.version;
      add(sum, was ? *was : ModelStatistics{}, model);
    }
  std::vector<ModelTimes> out;
  for (const auto& [name, change] : delta)
    if (change.delta.success.count > 0 || change.delta.fail.count > 0 ||
        change.delta.execution_count > 0)
      out.push_back(times_of(change));
  return out;
}

std::optional<std::string> foreign_requests_warning(std::span<const ModelTimes> models,
                                                    std::string_view model, std::int64_t sent) {
  std::int64_t answered = 0;
  for (const ModelTimes& one : models)
    if (one.model == model) answered += static_cast<std::int64_t>(one.requests);
  if (answered - sent <= std::max<std::int64_t>(2, sent / 100)) return {};
  return fmt::format(
      "the server counts {} requests of {} in the window, the client sent {}: another client used "
      "the server",
      answered, model, sent);
}

Result<StatisticsPage> read_statistics_http(const wire::Url& server, const wire::Access& access) {
  wire::Url url = server;
  url.path += "/v2/models/stats";
  ORCH_ASSIGN(const wire::Page page, wire::http_page(url, k_page_timeout_ms, access));
  const bool has_none = page.status >= 400 && page.status < 500;
  if (page.status != 200)
    return Error{.kind = has_none ? ErrorKind::not_found : ErrorKind::unavailable,
                 .message = fmt::format("{} answered HTTP {}", url.text(), page.status)};
  return parse_model_statistics(page.body);
}

Result<StatisticsPage> read_statistics_grpc(const wire::Url& server, const wire::Access& access) {
  ORCH_ASSIGN(const std::string answer,
              wire::grpc_call(server, k_model_statistics,
                              inference::ModelStatisticsRequest().SerializeAsString(),
                              k_page_timeout_ms, access));
  inference::ModelStatisticsResponse response;
  if (!response.ParseFromString(answer))
    return Error{.kind = ErrorKind::unavailable,
                 .message = fmt::format("{} answered ModelStatistics with an invalid message",
                                        server.authority())};
  StatisticsPage page;
  for (const inference::ModelStatistics& model : response.model_stats()) {
    if (page.size() == k_most_models) break;
    if (model.name().empty() || model.name().size() > k_longest_model_name) continue;
    page.push_back({.model = model.name(),
                    .version = model.version(),
                    .inference_count = model.inference_count(),
                    .execution_count = model.execution_count()});
    for (const Step& step : k_steps) {
      const inference::StatisticDuration& spent = (model.inference_stats().*step.over_grpc)();
      page.back().*step.spent = {.count = spent.count(), .ns = spent.ns()};
    }
  }
  return page;
}

void StatisticsWatch::read_baseline() {
  failed_ = false;
  error_.clear();
  before_ = read();
}

std::optional<std::vector<ModelTimes>> StatisticsWatch::end_window(std::int64_t succeeded) {
  const auto after = read_counted(succeeded);
  if (!before_ || !after) return std::nullopt;
  return model_times(*before_, *after);
}

std::optional<StatisticsWatch::Pages> StatisticsWatch::read() {
  if (!read_ || failed_) return std::nullopt;
  Pages pages;
  for (const wire::Url& server : servers_) {
    Result<StatisticsPage> page = read_(server);
    if (!page.ok()) {
      failed_ = true;
      const bool no_such_page =
          page.error().kind == ErrorKind::not_found || page.error().kind == ErrorKind::invalid;
      if (has_statistics_ || !no_such_page) error_ = page.error().message;
      return std::nullopt;
    }
    pages.push_back(std::move(*page));
  }
  has_statistics_ = true;
  return pages;
}

// Rereads the pages until they count SUCCEEDED more requests and no longer change.
std::optional<StatisticsWatch::Pages> StatisticsWatch::read_counted(std::int64_t succeeded) {
  return read_settled([this] { return read(); },
                      [&](const std::optional<Pages>& previous, const Pages& now) {
                        return !before_ || (requests_since(*before_, now) >=
                                                static_cast<std::uint64_t>(succeeded) &&
                                            previous == now);
                      });
}

// The requests to the model under load between two reads, successful or not.
std::uint64_t StatisticsWatch::requests_since(const Pages& before, const Pages& now) const {
  std::uint64_t requests = 0;
  for (const ModelTimes& model : model_times(before, now))
    if (model.model == model_) requests += model.requests + model.failed;
  return requests;
}

}  // namespace orch::observe
