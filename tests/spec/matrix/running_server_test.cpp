#include "spec/matrix/matrix.hpp"
#include "spec/matrix/support.hpp"

#include <gtest/gtest.h>

namespace orch::matrix {
namespace running_server_test {

Matrix parsed(const std::string& lines, std::string* errors = nullptr) {
  Errors found;
  Matrix matrix = parse_matrix("name: x\nrunner: toy\n" + lines, "m.yaml", found);
  if (errors) *errors = text_of(found);
  else EXPECT_EQ(text_of(found), "");
  return matrix;
}

std::string errors_of(const std::string& lines) {
  std::string errors;
  parsed(lines, &errors);
  return errors;
}

std::string text_of_url(const std::string& text) {
  const auto url = parse_server_url(text);
  return url ? url->text() : url.error().message;
}

TEST(ServerUrl, AUrlIsAHostAPortAndAPath) {
  EXPECT_EQ(text_of_url("http://gpu-1:8000"), "http://gpu-1:8000");
  EXPECT_EQ(text_of_url("https://api.example.org/llm/"), "https://api.example.org:443/llm");
  EXPECT_EQ(text_of_url("https://h/llm/v1/"), "https://h:443/llm");
  EXPECT_EQ(text_of_url("http://[::1]:8000/"), "http://[::1]:8000");
  EXPECT_EQ(text_of_url("grpc://10.0.0.1"), "grpc://10.0.0.1:80");
}

TEST(ServerUrl, WhatCannotBeAskedIsRefused) {
  const auto why = [](const std::string& text) {
    const std::string full = text_of_url(text);
    return full.substr(0, full.find(';'));
  };
  EXPECT_EQ(why("gpu1:8000"), "the URL 'gpu1:8000' has no scheme");
  EXPECT_EQ(why("ftp://gpu1"),
            "the URL 'ftp://gpu1' has a scheme other than http, https, grpc and grpcs");
  EXPECT_EQ(why("http://gpu1:80000"),
            "the URL 'http://gpu1:80000' has no port number between 1 and 65535 after its colon");
  EXPECT_EQ(why("http://gpu1:"),
            "the URL 'http://gpu1:' has no port number between 1 and 65535 after its colon");
  EXPECT_EQ(why("http://:8000"), "the URL 'http://:8000' has no host name or address");
  EXPECT_EQ(why("http://[::1"), "the URL 'http://[::1' has no host name or address");
  EXPECT_EQ(why("http://a b"), "the URL 'http://a b' has no host name or address");
  EXPECT_EQ(why("http://h/v1?key=1"),
            "the URL 'http://h/v1?key=1' has more than a path after its port");
  EXPECT_EQ(why("http://h/{out}"), "the URL 'http://h/{out}' has more than a path after its port");
}

TEST(ServerUrl, APasswordIsNotRepeated) {
  EXPECT_EQ(text_of_url("http://me:secret@gpu1:8000"),
            "the URL '***@gpu1:8000' has a user name; put a token into a variable and name it with "
            "token_env; write http://HOST:PORT or https://HOST:PORT");
}

TEST(Service, TheServerIsThatOfTheRunnerOfTheMatrix) {
  const Matrix matrix = parsed(
      "service: {url: \"http://gpu1:8000\", ports: {grpc: 8001, metrics: \"https://gpu2:9\"}, "
      "machine: 8 x H100, token_env: SERVER_TOKEN, reuse: true, "
      "headers: {x-api-key: $MY_KEY, x-tenant: a}}\n");
  const RunningServer& server = matrix.services.at("toy");
  EXPECT_EQ(server.url.text(), "http://gpu1:8000");
  EXPECT_EQ(server.ports.at("grpc").text(), "http://gpu1:8001");
  EXPECT_EQ(server.ports.at("metrics").text(), "https://gpu2:9");
  EXPECT_EQ(server.machine, "8 x H100");
  EXPECT_EQ(server.token_env, "SERVER_TOKEN");
  EXPECT_TRUE(server.reuse);
  EXPECT_EQ(server.headers,
            (std::map<std::string, std::string>{{"x-api-key", "$MY_KEY"}, {"x-tenant", "a"}}));
  EXPECT_EQ(server.where, (Location{"m.yaml", 3, 16}));
}

TEST(Service, SeveralRunnersHaveServersOfTheirOwn) {
  const Matrix matrix = parsed(
      "axes: {runner: [toy, other]}\n"
      "service: {toy: {url: \"http://a:1\"}, other: {url: \"http://b:2\"}}\n");
  EXPECT_EQ(matrix.services.at("toy").url.text(), "http://a:1");
  EXPECT_EQ(matrix.services.at("other").url.text(), "http://b:2");
  EXPECT_FALSE(matrix.services.at("other").reuse);
}

TEST(Service, MistakesNameTheirPlaceAndARemedy) {
  EXPECT_EQ(
      errors_of("service: http://a:1\n"),
      "m.yaml:3:10: 'service' must be a map, not the value 'http://a:1'; write service: {url: "
      "\"http://HOST:8000\"}\n");
  EXPECT_EQ(errors_of("service: {ulr: \"http://a:1\"}\n"),
            "m.yaml:3:10: service has no 'url'; add it\n"
            "m.yaml:3:11: unknown key 'ulr' in service; did you mean 'url'?\n");
  EXPECT_EQ(errors_of("service: {url: \"grpc://a:1\"}\n"),
            "m.yaml:3:16: service: 'url' must name the HTTP port, which is asked whether the "
            "server is ready, not the value 'grpc://a:1'; write grpc under ports: {grpc: 1}\n");
  EXPECT_EQ(errors_of("service: {url: \"http://a:1\", ports: {grpc: x}}\n"),
            "m.yaml:3:44: service: port 'grpc' must be a number from 1 to 65535, or a URL, not "
            "the value 'x'\n");
  EXPECT_EQ(errors_of("service: {other: {url: \"http://a:1\"}}\n"),
            "m.yaml:3:11: service: 'other' is not a runner of this matrix; its runners are: toy\n");
}

TEST(Service, ATokenInPlaceOfItsVariableIsNotRepeated) {
  const std::string errors = errors_of("service: {url: \"http://a:1\", token_env: \"sk-12 34\"}\n");
  EXPECT_EQ(errors.find("sk-12"), std::string::npos) << errors;
  EXPECT_NE(errors.find("m.yaml:3:41: service: 'token_env' is not an environment variable's name"),
            std::string::npos)
      << errors;
}

TEST(Service, AHeaderThatIsNoneIsRefusedWhereItStands) {
  EXPECT_THAT(
      errors_of("service: {url: \"http://a:1\", headers: {host: b}}\n"),
      testing::HasSubstr("m.yaml:3:46: service: header 'host' is set by the request itself"));
  EXPECT_THAT(errors_of("service: {url: \"http://a:1\", headers: [a]}\n"),
              testing::HasSubstr("'headers' must be a map of names and values"));
}

}  // namespace running_server_test
}  // namespace orch::matrix
