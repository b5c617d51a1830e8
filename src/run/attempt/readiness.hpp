// Watches a starting server until it answers requests. The executor watches its process.
#pragma once

#include "core/base/fields.hpp"
#include "core/base/result.hpp"
#include "os/system/clock.hpp"
#include "os/system/http/http.hpp"
#include "plan/graph/plan.hpp"
#include "run/attempt/failure.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace orch::attempt {

// A running server's description of itself, in a form that changes only if the server does.

struct IdentityQuestion {
  std::vector<std::string> urls;
  std::vector<std::string> without = {};  // members left out of JSON answers
  std::string authorization = {};         // value of the header; "" for none
  std::vector<std::string> headers = {};  // additional ones, "NAME: VALUE"
  const std::atomic<bool>* stop = nullptr;
  // Applied to answers and error messages; if empty, they are used unchanged.
  std::function<std::string(std::string_view)> redact = {};
};

// Queries the URLs and returns a JSON object: URL -> its answer. A reply with any status except 401
// and 403 is an answer. The error is that of the first URL without an answer.
Result<std::string> ask_identity(system::Http& http, const IdentityQuestion& question);

// The models that SAYS, a result of ask_identity(), lists at /v1/models.
std::vector<std::string> listed_models(std::string_view says);

// Fails if points of PLAN request from SERVICE a model that SAYS does not list, unless SAYS lists
// no model at all; the error gives the position of the service in the matrix.
Status refuse_unlisted_model(const plan::Plan& plan, const plan::RunningService& service,
                             const std::string& says);

// The first difference between two results of ask_identity(): http://HOST/v1/models data id is
// "new", not "old". "" if there is none.
std::string difference_of(const std::string& before, const std::string& now);

// What a server must answer before it counts as ready, with its ports filled in.
struct Probe {
  std::vector<std::string> get;  // URLs that must all answer 200
  double timeout_s = 120;
  std::vector<std::string> smoke;  // URLs to which smoke_body is sent once all of `get` answer 200
  std::string smoke_body;
  std::string smoke_answer;  // see FIELD of check_smoke_answer()
  // A server that was already running must answer this question with `says`, unless that is "". All
  // requests have the question's headers.
  IdentityQuestion identity = {};
  std::string says = {};
  // Applied to the server's answer before it is shortened for a message; empty: shown unchanged.
  std::function<std::string(std::string_view)> redact = {};
};

// The form in which a probe is sent to a job's agent.
constexpr auto fields_of(Tag<Probe>) {
  using P = Probe;
  using Q = IdentityQuestion;
  return rows_of(
      required<&P::get>("get"), required<&P::timeout_s>("timeout_s"), required<&P::smoke>("smoke"),
      required<&P::smoke_body>("smoke_body"), required<&P::smoke_answer>("smoke_answer"),
      required<&P::identity, &Q::authorization>("authorization"),
      field<&P::identity, &Q::headers>("headers"), required<&P::identity, &Q::urls>("identity"),
      required<&P::identity, &Q::without>("without"), required<&P::says>("says"));
}

enum class Health { pending, ready, failed };

struct HealthReport {
  Health health = Health::pending;
  std::string why = {};                            // if failed: the request and its answer
  FailureClass failure = FailureClass::not_ready;  // if failed
  // When ready: how many seconds the server took to start, if only the watcher knows that.
  std::optional<double> start_s = {};
};

// Used from one thread. No call blocks.
class Readiness {
 public:
  virtual ~Readiness() = default;
  // Starts watching the server of TOKEN. If that is impossible, report() returns the failure.
  virtual void watch(const std::string& token, const Probe& probe) = 0;
  // The present state of the server of TOKEN. A token that is not watched counts as failed.
  virtual HealthReport report(const std::string& token) = 0;
  // Stops watching; abandons a request in flight. An unknown token is not an error.
  virtual void forget(const std::string& token) = 0;
};

// Polls every 20 ms, a busy server every 250 ms, with one thread per server.
class HttpReadiness final : public Readiness {
 public:
  // May throw as the constructor of std::thread does.
  using StartThread = std::function<std::thread(std::function<void()>)>;
  // HTTP and CLOCK must outlive this.
  HttpReadiness(
      system::Http& http, system::Clock& clock,
      StartThread start_thread = [](std::function<void()> run) {
        return std::thread(std::move(run));
      });
  ~HttpReadiness() override;
  void watch(const std::string& token, const Probe& probe) override;
  HealthReport report(const std::string& token) override;
  void forget(const std::string& token) override;

 private:
  struct Watch;
  system::Http& http_;
  system::Clock& clock_;
  StartThread start_thread_;
  std::map<std::string, std::unique_ptr<Watch>> watches_;
  std::vector<std::unique_ptr<Watch>> abandoned_;  // their threads end within a second
};

// Fails unless BODY, a JSON text, has at FIELD (a.b) a non-empty string or a list that begins with
// one. FIELD "": always succeeds. The error may quote BODY, as redacted by REDACT.
Status check_smoke_answer(const std::string& body, const std::string& field,
                          const std::function<std::string(std::string_view)>& redact = {});

}  // namespace orch::attempt
