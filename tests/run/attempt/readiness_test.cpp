#include "run/attempt/readiness.hpp"

#include "core/secret/redact.hpp"
#include "run/attempt/failure.hpp"

#include <atomic>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::attempt {
namespace readiness_test {

// Scripted answers: the n-th request to a URL gets its n-th answer, later ones the last.
class ScriptedHttp final : public system::Http {
 public:
  std::map<std::string, std::vector<Result<system::HttpResponse>>> script;

  Result<system::HttpResponse> send(const system::HttpRequest& request) override {
    const std::lock_guard lock(mutex_);
    diary.push_back(request.body.empty() ? "GET " + request.url
                                         : "POST " + request.url + " " + request.body);
    const auto& answers = script.at(request.url);
    return answers[std::min(asked_[request.url]++, answers.size() - 1)];
  }
  std::vector<std::string> diary;

 private:
  std::mutex mutex_;
  std::map<std::string, std::size_t> asked_;
};

system::HttpResponse ok(std::string body = "") { return {200, std::move(body)}; }
Error refused() {
  return {ErrorKind::unavailable, "no answer from http://s/ready: Connection refused", {}};
}

HealthReport wait_for(Readiness& readiness, const std::string& token) {
  while (readiness.report(token).health == Health::pending) std::this_thread::yield();
  return readiness.report(token);
}

// The page of a server, and then a smoke request whose member ANSWER must not be empty.
Probe asked_first(double timeout_s, const std::string& answer) {
  return {.get = {"http://s/ready"},
          .timeout_s = timeout_s,
          .smoke = {"http://s/generate"},
          .smoke_body = "{}",
          .smoke_answer = answer};
}

TEST(Readiness, ProbesEveryUrlUntilItAnswersAndThenSendsTheSmokeRequest) {
  ScriptedHttp http;
  http.script["http://s/ready"] = {refused(), ok(), ok()};
  http.script["http://s/model"] = {system::HttpResponse{400, ""}, ok()};
  http.script["http://s/generate"] = {ok(R"({"text_output":"hello"})")};
  system::RealClock clock;
  HttpReadiness readiness(http, clock);
  readiness.watch("t", {.get = {"http://s/ready", "http://s/model"},
                        .timeout_s = 60,
                        .smoke = {"http://s/generate"},
                        .smoke_body = "{}",
                        .smoke_answer = "text_output"});
  EXPECT_EQ(wait_for(readiness, "t").health, Health::ready);
  EXPECT_EQ(http.diary,
            (std::vector<std::string>{"GET http://s/ready", "GET http://s/ready",
                                      "GET http://s/model", "GET http://s/ready",
                                      "GET http://s/model", "POST http://s/generate {}"}));
}

TEST(Readiness, AServerThatIsNotThePlannedOneFailsBeforeTheSmokeRequest) {
  ScriptedHttp http;
  http.script["http://s/ready"] = {ok(R"({"version":"2"})")};
  system::RealClock clock;
  HttpReadiness readiness(http, clock);
  readiness.watch("t", {.get = {"http://s/ready"},
                        .timeout_s = 60,
                        .smoke = {"http://s/generate"},
                        .smoke_body = "{}",
                        .smoke_answer = "text_output",
                        .identity = {.urls = {"http://s/ready"}},
                        .says = R"({"http://s/ready":{"version":"1"}})"});
  const HealthReport report = wait_for(readiness, "t");
  EXPECT_EQ(report.health, Health::failed);
  EXPECT_EQ(report.failure, FailureClass::server_changed);
  EXPECT_EQ(report.why,
            "the server is not the one that answered when the run began: http://s/ready version is "
            "\"2\", not \"1\"");
}

TEST(Readiness, AnEmptyAnswerToTheSmokeRequestIsAFailure) {
  ScriptedHttp http;
  http.script["http://s/ready"] = {ok()};
  http.script["http://s/generate"] = {ok(R"({"text_output":""})")};
  system::RealClock clock;
  HttpReadiness readiness(http, clock);
  readiness.watch("t", asked_first(60, "text_output"));
  const HealthReport report = wait_for(readiness, "t");
  EXPECT_EQ(report.health, Health::failed);
  EXPECT_EQ(report.why, "the smoke request's 'text_output' is empty");
}

TEST(Readiness, AServerThatLoadsItsModelIsAskedAgainUntilItAnswers) {
  ScriptedHttp http;
  http.script["http://s/ready"] = {ok()};
  http.script["http://s/generate"] = {system::HttpResponse{503, "Loading model"},
                                      system::HttpResponse{429, ""}, ok("any form")};
  system::RealClock clock;
  HttpReadiness readiness(http, clock);
  readiness.watch("t", asked_first(60, ""));
  EXPECT_EQ(wait_for(readiness, "t").health, Health::ready);
  EXPECT_EQ(std::count(http.diary.begin(), http.diary.end(), "POST http://s/generate {}"), 3);
}

TEST(Readiness, AServerThatLoadsForTooLongFailsWithItsLastAnswer) {
  ScriptedHttp http;
  http.script["http://s/ready"] = {ok()};
  http.script["http://s/generate"] = {system::HttpResponse{503, "Loading model"}};
  system::RealClock clock;
  HttpReadiness readiness(http, clock);
  readiness.watch("t", asked_first(0.01, ""));
  const HealthReport report = wait_for(readiness, "t");
  EXPECT_EQ(report.health, Health::failed);
  EXPECT_EQ(
      report.why,
      "not ready after 0 s: the smoke request to http://s/generate answers 503: Loading model");
}

TEST(Readiness, ARefusedSmokeRequestIsAFailureAtOnce) {
  ScriptedHttp http;
  http.script["http://s/ready"] = {ok()};
  http.script["http://s/generate"] = {system::HttpResponse{404, "no such page"}};
  system::RealClock clock;
  HttpReadiness readiness(http, clock);
  readiness.watch("t", asked_first(60, ""));
  EXPECT_EQ(wait_for(readiness, "t").why,
            "the smoke request to http://s/generate answers 404: no such page");
}

TEST(Readiness, AServerThatNeverAnswersFailsWithTheLastError) {
  ScriptedHttp http;
  http.script["http://s/ready"] = {refused()};
  system::RealClock clock;
  HttpReadiness readiness(http, clock);
  readiness.watch("t", {.get = {"http://s/ready"},
                        .timeout_s = 0.01,
                        .smoke = {},
                        .smoke_body = {},
                        .smoke_answer = {}});
  const HealthReport report = wait_for(readiness, "t");
  EXPECT_EQ(report.health, Health::failed);
  EXPECT_EQ(report.why, "not ready after 0 s: no answer from http://s/ready: Connection refused");
}

// The server may be ready: the orchestrator had no descriptor left to ask it.
TEST(Readiness, ARequestThatCannotBeSentIsAHarnessFailure) {
  const Error error = io_error("open a socket for", "http://s/ready", EMFILE);
  for (const bool smoke : {false, true}) {
    ScriptedHttp http;
    http.script["http://s/ready"] = {smoke ? Result(ok()) : Result<system::HttpResponse>(error)};
    http.script["http://s/generate"] = {error};
    system::RealClock clock;
    HttpReadiness readiness(http, clock);
    readiness.watch("t", {.get = {"http://s/ready"},
                          .timeout_s = 0.01,
                          .smoke = {"http://s/generate"},
                          .smoke_body = "{}",
                          .smoke_answer = "text_output"});
    const HealthReport report = wait_for(readiness, "t");
    EXPECT_EQ(report.health, Health::failed);
    EXPECT_EQ(report.failure, FailureClass::too_many_files);
    EXPECT_THAT(report.why,
                testing::HasSubstr("cannot open a socket for http://s/ready: Too many open files"));
  }
}

TEST(Readiness, AMissingThreadIsAHarnessFailure) {
  ScriptedHttp http;
  system::RealClock clock;
  HttpReadiness readiness(http, clock, [](std::function<void()>) -> std::thread {
    throw std::system_error(EAGAIN, std::generic_category());
  });
  readiness.watch("t", {.get = {"http://s/ready"},
                        .timeout_s = 60,
                        .smoke = {},
                        .smoke_body = {},
                        .smoke_answer = {}});
  const HealthReport report = readiness.report("t");
  EXPECT_EQ(report.health, Health::failed);
  EXPECT_EQ(report.why,
            "cannot create the readiness thread: Resource temporarily unavailable; "
            "raise `ulimit -u`, or the task limit of the service or container");
  EXPECT_EQ(traits_of(report.failure).kind, FailureKind::harness);
  readiness.forget("t");
}

TEST(Readiness, AForgottenWatchEnds) {
  ScriptedHttp http;
  http.script["http://s/ready"] = {refused()};
  system::RealClock clock;
  HttpReadiness readiness(http, clock);
  readiness.watch("t", {.get = {"http://s/ready"},
                        .timeout_s = 3600,
                        .smoke = {},
                        .smoke_body = {},
                        .smoke_answer = {}});
  readiness.forget("t");
  EXPECT_EQ(readiness.report("t").health, Health::failed);
}

TEST(SmokeAnswer, MayBeAListAndMustContainText) {
  EXPECT_TRUE(check_smoke_answer(R"({"a":["x"]})", "a"));
  EXPECT_EQ(check_smoke_answer("<html>", "a").error().message,
            "the smoke request's answer is not JSON: <html>");
  EXPECT_EQ(check_smoke_answer(R"({"error":"no model"})", "a").error().message,
            R"(the smoke request's answer has no 'a': {"error":"no model"})");
  EXPECT_FALSE(check_smoke_answer(R"({"a":[]})", "a"));
  EXPECT_FALSE(check_smoke_answer(R"({"a":5})", "a"));
  EXPECT_TRUE(check_smoke_answer(R"({"a":[{"b":"x"}]})", "a.b"));
  EXPECT_TRUE(check_smoke_answer(R"({"a":{"b":{"c":["x"]}}})", "a.b.c"));
  EXPECT_EQ(check_smoke_answer(R"({"a":[{"b":""}]})", "a.b").error().message,
            "the smoke request's 'a.b' is empty");
  for (const char* body :
       {R"({"a":[]})", R"({"a":"x"})", R"({"a":[[]]})", R"({"a":null})", R"([])"})
    EXPECT_EQ(check_smoke_answer(body, "a.b").error().message,
              fmt::format("the smoke request's answer has no 'a.b': {}", body));
}

TEST(Readiness, WhatAServerSaysIsRedactedBeforeItIsCut) {
  const auto redact =
      [secrets = std::make_shared<const secret::Secrets>(std::vector<std::string>{"hunter22"})](
          std::string_view text) { return secret::redacted(*secrets, text); };
  const std::string echo = std::string(294, 'x') + "\\u0068unter22";
  EXPECT_EQ(check_smoke_answer(echo, "a", redact).error().message,
            "the smoke request's answer is not JSON: " + std::string(294, 'x') + "[secre");
  EXPECT_EQ(check_smoke_answer(R"({"e":"hunter22"})", "a", redact).error().message,
            R"(the smoke request's answer has no 'a': {"e":"[secret]"})");
  ScriptedHttp http;
  http.script["http://s/generate"] = {system::HttpResponse{500, echo}};
  system::RealClock clock;
  HttpReadiness readiness(http, clock);
  readiness.watch("t", {.get = {},
                        .timeout_s = 60,
                        .smoke = {"http://s/generate"},
                        .smoke_body = "{}",
                        .smoke_answer = "a",
                        .redact = redact});
  EXPECT_EQ(wait_for(readiness, "t").why, "the smoke request to http://s/generate answers 500: " +
                                              std::string(294, 'x') + "[secre");
}

}  // namespace readiness_test
}  // namespace orch::attempt
