// Watches a starting server until it can be used. The process itself is watched by whoever started
// it.
#pragma once

#include "base/result.hpp"
#include "system/clock.hpp"
#include "system/http.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace orch::attempt {

// Ports filled in, ready to be asked.
struct Probe {
  std::vector<std::string> get;  // URLs that must all answer 200
  double timeout_s = 120;
  std::vector<std::string> smoke;  // URLs that are sent one request each, once all of `get` answer
  std::string smoke_body;
  std::string smoke_answer;  // member (a.b) of the answer that must hold a non-empty string
};

enum class Health { pending, ready, failed };

struct HealthReport {
  Health health = Health::pending;
  std::string why;                         // when failed: what was asked and what came back
  std::string_view failure = "not_ready";  // when failed: its class, see failure.hpp
};

class Readiness {
 public:
  virtual ~Readiness() = default;
  // Begins to watch on behalf of TOKEN.
  virtual void watch(const std::string& token, const Probe& probe) = 0;
  // How it stands now; never blocks. A token that is not watched is failed.
  virtual HealthReport report(const std::string& token) = 0;
  // Stops watching; never blocks: what is under way is abandoned.
  virtual void forget(const std::string& token) = 0;
};

// Asks every 20 ms from a thread of its own per watched server.
class HttpReadiness final : public Readiness {
 public:
  using StartThread =
      std::function<std::thread(std::function<void()>)>;  // throws as std::thread does
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
  std::vector<std::unique_ptr<Watch>>
      abandoned_;  // their threads end by themselves within a second
};

// Whether BODY, a JSON text, has a non-empty string (or list of strings) at FIELD. Says what is
// wrong otherwise.
Status check_smoke_answer(const std::string& body, const std::string& field);

}  // namespace orch::attempt
