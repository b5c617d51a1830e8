#include "run/attempt/readiness.hpp"

#include <map>

#include <gtest/gtest.h>

namespace orch::attempt {
namespace server_identity_test {

class Answers final : public system::Http {
 public:
  std::map<std::string, system::HttpResponse> by_url;
  std::vector<std::string> authorizations;

  Result<system::HttpResponse> send(const system::HttpRequest& request) override {
    authorizations.push_back(request.authorization);
    const auto found = by_url.find(request.url);
    if (found == by_url.end()) return Error{ErrorKind::unavailable, "Connection refused", {}};
    return found->second;
  }
};

std::string asked(Answers& http, const IdentityQuestion& question) {
  const auto says = ask_identity(http, question);
  return says ? *says : "error: " + says.error().message;
}

TEST(ServerIdentity, WhatChangesByItselfIsLeftOut) {
  Answers http;
  http.by_url["http://s/v1/models"] = {
      200, R"({"data": [{"id": "m", "created": 17, "permission": [{"id": "x1"}], "slots": [1]}]})"};
  EXPECT_EQ(asked(http, {.urls = {"http://s/v1/models"}, .without = {"slots"}}),
            R"({"http://s/v1/models":{"data":[{"id":"m"}]}})");
}

TEST(ServerIdentity, AnyStatusIsAnAnswerAndLongTextsCountByTheirDigest) {
  Answers http;
  http.by_url["http://s/version"] = {404, "no such page"};
  http.by_url["http://s/plain"] = {200, "llama 1.2"};
  http.by_url["http://s/props"] = {200, R"({"template": ")" + std::string(5000, 'x') + "\"}"};
  const std::string says =
      asked(http, {.urls = {"http://s/version", "http://s/plain", "http://s/props"}});
  EXPECT_NE(says.find(R"("http://s/version":"status 404")"), std::string::npos) << says;
  EXPECT_NE(says.find(R"("http://s/plain":"llama 1.2")"), std::string::npos) << says;
  EXPECT_NE(says.find(R"({"template":"sha256:)"), std::string::npos) << says;
}

TEST(ServerIdentity, TheModelsThatItListsAreKnown) {
  EXPECT_EQ(listed_models(R"({"http://s/version":"1","http://s/v1/models":{"data":[{"id":"a"},
                             {"id":"b"},{"name":"c"}]}})"),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(listed_models(R"({"http://s/v1/models":"status 404"})").empty());
  EXPECT_TRUE(listed_models("no JSON").empty());
}

TEST(ServerIdentity, ATokenThatIsNotAcceptedSaysSo) {
  Answers http;
  http.by_url["http://s/v1/models"] = {401, "{}"};
  EXPECT_EQ(asked(http, {.urls = {"http://s/v1/models"}}),
            "error: http://s/v1/models answers 401: name the variable with its bearer token under "
            "service (token_env: NAME)");
  EXPECT_EQ(asked(http, {.urls = {"http://s/v1/models"}, .authorization = "Bearer x"}),
            "error: http://s/v1/models answers 401: it rejects the token in the variable that "
            "token_env names; export the right one");
}

// Copying a value uses the stack as deep as it is nested.
TEST(ServerIdentity, AnAnswerThatIsNestedWithoutEndIsAText) {
  Answers http;
  http.by_url["http://s/a"] = {200, std::string(500'000, '[')};
  http.by_url["http://s/b"] = {200, std::string(100, '[') + std::string(100, ']')};
  EXPECT_NE(asked(http, {.urls = {"http://s/a"}}).find("sha256:"), std::string::npos);
  EXPECT_NE(asked(http, {.urls = {"http://s/b"}}).find("[[["), std::string::npos);
}

TEST(ServerIdentity, TheTokenIsSentAndSecretsAreNotKept) {
  Answers http;
  http.by_url["http://s/a"] = {200, R"({"key": "secret"})"};
  const auto hide = [](std::string_view text) {
    std::string out(text);
    if (const auto at = out.find("secret"); at != std::string::npos) out.replace(at, 6, "***");
    return out;
  };
  EXPECT_EQ(asked(http, {.urls = {"http://s/a"}, .authorization = "Bearer secret", .redact = hide}),
            R"({"http://s/a":{"key":"***"}})");
  EXPECT_EQ(http.authorizations.front(), "Bearer secret");
}

TEST(ServerIdentity, NoAnswerAndARefusalAreErrors) {
  Answers http;
  http.by_url["http://s/a"] = {401, "who are you"};
  EXPECT_EQ(asked(http, {.urls = {"http://gone/a"}}),
            "error: no answer from http://gone/a: Connection refused");
  EXPECT_EQ(asked(http, {.urls = {"http://s/a"}}),
            "error: http://s/a answers 401: name the variable with its bearer token under service "
            "(token_env: NAME)");
}

TEST(ServerIdentity, ADifferenceIsNamedByItsPlace) {
  EXPECT_EQ(difference_of(R"({"u":{"data":[{"id":"a"}]}})", R"({"u":{"data":[{"id":"b"}]}})"),
            "u data id is \"b\", not \"a\"");
  EXPECT_EQ(difference_of(R"({"u":{"id":"a"}})", R"({"u":{}})"), "u id is gone");
  EXPECT_EQ(difference_of(R"({"u":{}})", R"({"u":{"id":"a"}})"), "u id is new");
  EXPECT_EQ(difference_of(R"({"u":1})", R"({"u":1})"), "");
}

}  // namespace server_identity_test
}  // namespace orch::attempt
