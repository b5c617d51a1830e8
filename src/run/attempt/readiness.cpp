#include "run/attempt/readiness.hpp"

#include "run/attempt/error_class.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <mutex>
#include <system_error>

namespace orch::attempt {

namespace {

// The member PATH (a.b.c) of VALUE, through the first element of each list. Null when it is
// missing.
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

using Redact = std::function<std::string(std::string_view)>;

// A secret is found only as a whole: TEXT is redacted before it is cut.
std::string excerpt(const Redact& redact, std::string_view text) {
  static constexpr std::size_t k_excerpt_bytes = 300;
  return redact ? redact(text).substr(0, k_excerpt_bytes)
                : std::string(text.substr(0, k_excerpt_bytes));
}

}  // namespace

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

// Its thread ends when the server is ready or failed, when the time is over, or on `stop`.
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
constexpr double k_busy_period_s = 0.25;  // a smoke request is work, and stands in the server's log

std::string words_of_status(int status) {
  return status == 0 ? "without an HTTP head" : fmt::format("{}", status);
}

// The class of a request that ended with ERROR: one that this process could not send says nothing
// about the server.
std::string_view failure_of(const Error& error) {
  if (error.kind != ErrorKind::io) return HealthReport().failure;
  return class_of(error, "cannot_watch");
}

// Empty when every URL answers 200, else the answer of the first that does not.
std::string first_unready(system::Http& http, const Probe& probe, const std::atomic<bool>& stop,
                          std::string_view& failure) {
  failure = HealthReport().failure;
  for (const std::string& url : probe.get) {
    const auto answer = http.send({.url = url,
                                   .timeout_s = 2,
                                   .stop = &stop,
                                   .authorization = probe.authorization,
                                   .headers = probe.headers});
    if (!answer) {
      failure = failure_of(answer.error());
      return excerpt(probe.redact, answer.error().message);
    }
    if (answer->status != 200)
      return fmt::format("{} answers {}", url, words_of_status(answer->status));
  }
  return "";
}

// A server says so while it loads the model, though its pages answer.
bool is_busy(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

// BUSY: the answer says that the server does not serve yet.
Status smoke(system::Http& http, const Probe& probe, double timeout_s,
             const std::atomic<bool>& stop, bool& busy) {
  for (const std::string& url : probe.smoke) {
    const auto answer = http.send({.url = url,
                                   .body = probe.smoke_body,
                                   .timeout_s = timeout_s,
                                   .stop = &stop,
                                   .authorization = probe.authorization,
                                   .headers = probe.headers});
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

// Why the server is not the one that was planned with; "" when it is.
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

// Once the server is ready: is it the planned one, and does it answer?
HealthReport first_answers(system::Http& http, const Probe& probe, double timeout_s,
                           const std::atomic<bool>& stop, bool& busy) {
  const auto change = find_change(http, probe, stop);
  if (!change) return {Health::failed, change.error().message, failure_of(change.error())};
  if (!change->empty()) return {Health::failed, *change, "server_changed"};
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
      // The server is asked once more after its time, in case this process was stopped meanwhile.
      const bool last = left_s() <= 0;
      std::string_view failure;
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
               "cannot_watch"});
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
