#include "run/attempt/readiness.hpp"

#include "core/base/digest.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <mutex>
#include <system_error>

#include <nlohmann/json.hpp>

namespace orch::attempt {

namespace {

using nlohmann::json;

constexpr double k_timeout_s = 10;
constexpr std::size_t k_longest_text = 200;  // of one value; a longer one is replaced by its digest
constexpr std::size_t k_longest_answer = 4000;  // the same for an answer
constexpr std::size_t k_shown = 80;
constexpr int k_most_depth = 64;

// Members of OpenAI answers that contain timestamps or random ids.
constexpr std::string_view k_always_without[] = {"created", "permission"};

std::string shortened(const std::string& text, std::size_t longest) {
  return text.size() <= longest ? text : fmt::format("sha256:{}", sha256(text).hex());
}

// VALUE without the parts that change while the server stays the same.
json lasting(const json& value, const std::vector<std::string>& without) {
  if (value.is_string()) return shortened(value.get<std::string>(), k_longest_text);
  if (value.is_array()) {
    json out = json::array();
    for (const json& item : value) out.push_back(lasting(item, without));
    return out;
  }
  if (!value.is_object()) return value;
  json out = json::object();
  for (const auto& [name, member] : value.items())
    if (!contains(without, name)) out[name] = lasting(member, without);
  return out;
}

json answer_of(const system::HttpResponse& response, const IdentityQuestion& question) {
  if (response.status != 200) return fmt::format("status {}", response.status);
  const std::string body = question.redact ? question.redact(response.body) : response.body;
  const json parsed = parse_shallow<json>(body, k_most_depth).value;
  if (parsed.is_discarded()) return shortened(body, k_longest_text);
  std::vector<std::string> without = question.without;
  without.insert(without.end(), std::begin(k_always_without), std::end(k_always_without));
  const json kept = lasting(parsed, without);
  const std::string text = dump(kept, -1);
  return text.size() <= k_longest_answer ? kept : json(shortened(text, k_longest_answer));
}

// Describes the first difference between VALUE and OTHER, both at PATH; "" if they are equal.
std::string first_difference(const json& value, const json& other, const std::string& path) {
  if (value == other) return "";
  if (value.is_object() && other.is_object()) {
    for (const auto& [name, member] : value.items()) {
      const std::string here = path + (path.empty() ? "" : " ") + name;
      const auto now = other.find(name);
      if (now == other.end()) return fmt::format("{} is gone", here);
      if (auto found = first_difference(member, *now, here); !found.empty()) return found;
    }
    for (const auto& [name, member] : other.items())
      if (!value.contains(name)) return fmt::format("{} {} is new", path, name);
  }
  if (value.is_array() && other.is_array() && value.size() == other.size())
    for (std::size_t i = 0; i < value.size(); ++i)
      if (auto found = first_difference(value[i], other[i], path); !found.empty()) return found;
  return fmt::format("{} is {}, not {}", path, printable(dump(other, -1).substr(0, k_shown)),
                     printable(dump(value, -1).substr(0, k_shown)));
}

std::string remedy(const IdentityQuestion& question) {
  if (!question.authorization.empty())
    return "it rejects the token in the variable that token_env names; export the right "
           "one";
  if (question.headers.empty())
    return "name the variable with its bearer token under service (token_env: NAME)";
  return fmt::format("it rejects the value of the header {}; export the right one",
                     header_names(question.headers));
}

// The member PATH (a.b.c) of VALUE, taking the first element of each list. Null if missing.
const nlohmann::json* member(const nlohmann::json& value, std::string_view path) {
  const nlohmann::json* at = &value;
  while (at != nullptr && !path.empty()) {
    const std::string key(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(path.size(), key.size() + 1));
    if (at->is_array() && !at->empty()) at = &at->front();
    const auto found = at->find(key);
    at = found == at->end() ? nullptr : &*found;
  }
  return at;
}

// A request with the headers of QUESTION.
system::HttpRequest request_to(const std::string& url, double timeout_s,
                               const IdentityQuestion& question, const std::atomic<bool>* stop) {
  return {.url = url,
          .timeout_s = timeout_s,
          .stop = stop,
          .authorization = question.authorization,
          .headers = question.headers};
}

using Redact = std::function<std::string(std::string_view)>;

// TEXT is redacted before it is truncated, because a secret is found only if it is whole.
std::string excerpt(const Redact& redact, std::string_view text) {
  static constexpr std::size_t k_excerpt_bytes = 300;
  return redact ? redact(text).substr(0, k_excerpt_bytes)
                : std::string(text.substr(0, k_excerpt_bytes));
}

}  // namespace

Result<std::string> ask_identity(system::Http& http, const IdentityQuestion& question) {
  json answers = json::object();
  for (const std::string& url : question.urls) {
    const auto response = http.send(request_to(url, k_timeout_s, question, question.stop));
    if (!response) {
      Error error = response.error();
      if (question.redact) error.message = question.redact(error.message);
      error.message = fmt::format("no answer from {}: {}", url, error.message);
      return error;
    }
    if (response->status == 401 || response->status == 403)
      return invalid(fmt::format("{} answers {}: {}", url, response->status, remedy(question)));
    answers[url] = answer_of(*response, question);
  }
  return dump(answers, -1);
}

std::vector<std::string> listed_models(std::string_view says) {
  std::vector<std::string> models;
  const json answers = json::parse(says, nullptr, false);
  if (!answers.is_object()) return models;
  for (const auto& [url, answer] : answers.items()) {
    if (!url.ends_with("/v1/models") || !answer.is_object()) continue;
    const auto list = answer.find("data");
    if (list == answer.end() || !list->is_array()) continue;
    for (const json& model : *list)
      if (model.is_object() && model.contains("id") && model["id"].is_string())
        models.push_back(model["id"].get<std::string>());
  }
  return models;
}

// A server may accept any name for its only model; the figures would then be attributed to a model
// that it does not serve.
Status refuse_unlisted_model(const plan::Plan& plan, const plan::RunningService& service,
                             const std::string& says) {
  const auto models = listed_models(says);
  for (const plan::Stage& stage : plan.stages) {
    const plan::Spec& spec = stage.spec;
    if (models.empty() || !spec.server || spec.server->question != service.question || !spec.smoke)
      continue;
    for (const std::size_t p : stage.points) {
      const matrix::Value* name = plan.points[p].point.parameters.find("bench_model");
      if (!name || plan.points[p].status == plan::Status::reject ||
          spec.smoke->body.find('"' + name->text + '"') == std::string::npos ||
          contains(models, name->text) || contains(models, name->text + ":latest"))
        continue;
      return invalid(fmt::format("service: {} has no model {}{}; its /v1/models lists {}; set "
                                 "bench_model to one of them",
                                 service.server.url.text(), quoted(name->text),
                                 did_you_mean(name->text, models), one_of(models)),
                     service.server.where);
    }
  }
  return {};
}

std::string difference_of(const std::string& before, const std::string& now) {
  return first_difference(json::parse(before, nullptr, false), json::parse(now, nullptr, false),
                          "");
}

Status check_smoke_answer(const std::string& body, const std::string& field, const Redact& redact) {
  if (field.empty()) return {};
  const auto answer = nlohmann::json::parse(body, nullptr, false);
  if (answer.is_discarded())
    return invalid(
        fmt::format("the smoke request's answer is not JSON: {}", excerpt(redact, body)));
  const nlohmann::json* at = member(answer, field);
  if (at == nullptr)
    return invalid(
        fmt::format("the smoke request's answer has no '{}': {}", field, excerpt(redact, body)));
  const auto& value = at->is_array() && !at->empty() ? at->front() : *at;
  if (!value.is_string() || value.get<std::string>().empty())
    return invalid(fmt::format("the smoke request's '{}' is empty", field));
  return {};
}

// The thread ends when the server is ready or failed, after the time limit, or on `stop`.
struct HttpReadiness::Watch {
  std::mutex mutex;
  std::atomic<bool> stop = false;
  HealthReport report;
  std::thread thread;

  ~Watch() {
    if (thread.joinable()) thread.join();
  }

  void set(HealthReport now) {
    const std::lock_guard lock(mutex);
    report = std::move(now);
  }
};

namespace {

constexpr double k_period_s = 0.02;
// Longer, because a smoke request is work for the server and appears in its log.
constexpr double k_busy_period_s = 0.25;

std::string words_of_status(int status) {
  return status == 0 ? "without an HTTP head" : fmt::format("{}", status);
}

// The failure class of a request that ended with ERROR. If this process could not send the request,
// the server is not to blame.
FailureClass failure_of(const Error& error) {
  if (error.kind != ErrorKind::io) return HealthReport().failure;
  return class_of(error, FailureClass::cannot_watch);
}

// "" if every URL answers 200, else the answer of the first URL that does not.
std::string first_unready(system::Http& http, const Probe& probe, const std::atomic<bool>& stop,
                          FailureClass& failure) {
  failure = HealthReport().failure;
  for (const std::string& url : probe.get) {
    const auto answer = http.send(request_to(url, 2, probe.identity, &stop));
    if (!answer) {
      failure = failure_of(answer.error());
      return excerpt(probe.redact, answer.error().message);
    }
    if (answer->status != 200)
      return fmt::format("{} answers {}", url, words_of_status(answer->status));
  }
  return "";
}

// Servers answer requests with these statuses while they load the model, even if their other pages
// answer 200.
bool is_busy(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

// BUSY: the answer says that the server is not ready to serve.
Status smoke(system::Http& http, const Probe& probe, double timeout_s,
             const std::atomic<bool>& stop, bool& busy) {
  for (const std::string& url : probe.smoke) {
    system::HttpRequest request = request_to(url, timeout_s, probe.identity, &stop);
    request.body = probe.smoke_body;
    const auto answer = http.send(request);
    if (!answer) {
      Error error = answer.error();
      error.message = excerpt(probe.redact, error.message);
      return error;
    }
    busy = is_busy(answer->status);
    if (answer->status != 200)
      return invalid(fmt::format("the smoke request to {} answers {}: {}", url,
                                 words_of_status(answer->status),
                                 excerpt(probe.redact, answer->body)));
    ORCH_TRY(check_smoke_answer(answer->body, probe.smoke_answer, probe.redact));
  }
  return {};
}

// How the server differs from the one used for planning; "" if it does not.
Result<std::string> find_change(system::Http& http, const Probe& probe,
                                const std::atomic<bool>& stop) {
  if (probe.says.empty()) return std::string();
  IdentityQuestion question = probe.identity;
  question.stop = &stop;
  question.redact = probe.redact;
  ORCH_ASSIGN(const std::string now, ask_identity(http, question));
  if (now == probe.says) return std::string();
  return fmt::format("the server is not the one that answered when the run began: {}",
                     difference_of(probe.says, now));
}

// Called once the server is ready: checks that it is the planned one and that it answers smoke
// requests.
HealthReport first_answers(system::Http& http, const Probe& probe, double timeout_s,
                           const std::atomic<bool>& stop, bool& busy) {
  const auto change = find_change(http, probe, stop);
  if (!change) return {Health::failed, change.error().message, failure_of(change.error())};
  if (!change->empty()) return {Health::failed, *change, FailureClass::server_changed};
  const Status answered = smoke(http, probe, timeout_s, stop, busy);
  if (answered) return {Health::ready, ""};
  return {Health::failed, answered.error().message, failure_of(answered.error())};
}

}  // namespace

HttpReadiness::HttpReadiness(system::Http& http, system::Clock& clock, StartThread start_thread)
    : http_(http), clock_(clock), start_thread_(std::move(start_thread)) {}

HttpReadiness::~HttpReadiness() {
  while (!watches_.empty()) forget(std::string(watches_.begin()->first));
}

void HttpReadiness::watch(const std::string& token, const Probe& probe) {
  auto& slot = watches_[token] = std::make_unique<Watch>();
  auto run = [this, watch = slot.get(), probe] {
    const double until_s = clock_.now_s() + probe.timeout_s;
    auto left_s = [&] { return until_s - clock_.now_s(); };
    while (true) {
      // The server is queried once more after the time limit, in case this process was suspended
      // meanwhile.
      const bool last = left_s() <= 0;
      FailureClass failure = FailureClass::not_ready;
      std::string unready = first_unready(http_, probe, watch->stop, failure);
      bool busy = false;
      if (unready.empty()) {
        HealthReport report =
            first_answers(http_, probe, std::max(1.0, left_s()), watch->stop, busy);
        if (!busy) return watch->set(std::move(report));
        unready = report.why;
        failure = report.failure;
      }
      if (last)
        return watch->set({Health::failed,
                           fmt::format("not ready after {:.0f} s: {}", probe.timeout_s, unready),
                           failure});
      clock_.sleep_s(busy ? k_busy_period_s : k_period_s);
      if (watch->stop) return;
    }
  };
  try {
    slot->thread = start_thread_(std::move(run));
  } catch (const std::system_error& error) {
    constexpr const char* k_remedy =
        "raise `ulimit -u`, or the task limit of the service or container";
    slot->set({Health::failed,
               fmt::format("cannot create the readiness thread: {}; {}", error.code().message(),
                           k_remedy),
               FailureClass::cannot_watch});
  }
}

HealthReport HttpReadiness::report(const std::string& token) {
  const auto watch = watches_.find(token);
  if (watch == watches_.end()) return {Health::failed, "it is not being watched"};
  const std::lock_guard lock(watch->second->mutex);
  return watch->second->report;
}

void HttpReadiness::forget(const std::string& token) {
  const auto watch = watches_.find(token);
  if (watch == watches_.end()) return;
  watch->second->stop = true;
  abandoned_.push_back(std::move(watch->second));
  watches_.erase(watch);
}

}  // namespace orch::attempt
