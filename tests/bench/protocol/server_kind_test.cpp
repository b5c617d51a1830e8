// Which kind of server answers where another was expected.
#include "bench/protocol/triton_answers.hpp"
#include "bench/protocol/triton_grpc_answers.hpp"
#include "bench/protocol/triton_model_query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::protocol {
namespace server_kind_test {

using testing::ElementsAre;

const std::string k_models =
    R"({"object":"list","data":[{"id":"llama-3"},{"id":"qwen2-7b"},{"object":"model"}]})";

// 404 for all other pages.
truth::Script pages(std::map<std::string, std::string> page_of_path) {
  return [page_of_path = std::move(page_of_path)](const truth::Request& request) {
    const auto found = page_of_path.find(request.path);
    return std::make_shared<const truth::Answer>(found == page_of_path.end()
                                                     ? truth::body(404, R"({"detail":"Not Found"})")
                                                     : truth::body(200, found->second));
  };
}

truth::Script openai() { return pages({{"/v1/models", k_models}}); }
truth::Script triton() { return pages({{"/v2/health/ready", ""}}); }

std::string explain(const std::string& url, std::string_view protocol,
                    std::string_view model = "llama-3") {
  const wire::Url parsed = *wire::parse_url(url);
  return explain_refusal(
      {.url = parsed, .protocol = protocol, .model = model, .access = {}, .timeout_ms = 10'000});
}

TEST(ServerKind, ATritonProtocolToAnOpenAiServerNamesTheOpenAiProtocols) {
  truth::Server server(openai());
  for (const char* protocol : {"triton-http", "triton-grpc"})
    EXPECT_EQ(explain(server.url(), protocol),
              "no Triton at " + server.url() +
                  ": /v2/health/ready answers 404, but /v1/models answers; use --protocol "
                  "openai-chat or openai-completions");
}

TEST(ServerKind, AnOpenAiProtocolToATritonNamesTritonsProtocol) {
  truth::Server server(triton());
  for (const char* protocol : {"openai-chat", "openai-completions"})
    EXPECT_EQ(explain(server.url() + "/v1", protocol),
              "no OpenAI server at " + server.url() +
                  ": /v1/models answers 404, but /v2/health/ready answers; use --protocol "
                  "triton-http");
}

TEST(ServerKind, TheOtherPortOfATritonIsRecognised) {
  truth::Server http(triton());
  EXPECT_EQ(explain(http.url(), "triton-grpc"),
            http.url() +
                " is the HTTP port of a Triton server; use --protocol triton-http with http://, or "
                "its gRPC port");
  truth::GrpcServer grpc(
      truth::always(truth::GrpcAnswer{.pieces = {{.bytes = truth::framed("")}}}));
  const std::string url = fmt::format("http://127.0.0.1:{}", grpc.port());
  EXPECT_EQ(
      explain(url, "triton-http"),
      url + " is the gRPC port of a Triton server; use --protocol triton-grpc, or its HTTP port");
  EXPECT_EQ(explain(url, "openai-chat"),
            "no OpenAI server at " + url +
                ": it is the gRPC port of a Triton server; use --protocol triton-grpc");
}

TEST(ServerKind, AModelThatAnOpenAiServerLacksIsNamedWithTheNearest) {
  truth::Server server(openai());
  EXPECT_EQ(explain(server.url(), "openai-chat", "lama-3"),
            server.url() +
                " has no model 'lama-3'; its models are: llama-3, qwen2-7b; did you mean "
                "'llama-3'?");
  EXPECT_EQ(explain(server.url(), "openai-chat", "x"),
            server.url() + " has no model 'x'; its models are: llama-3, qwen2-7b");
}

TEST(ServerKind, AServerOfTheExpectedKindNeedsNoExplanation) {
  truth::Server of_openai(openai()), of_triton(triton()), of_neither(pages({}));
  EXPECT_EQ(explain(of_openai.url(), "openai-chat"), "");
  EXPECT_EQ(explain(of_openai.url() + "/v1/chat/completions", "openai-chat"), "");
  EXPECT_EQ(explain(of_triton.url(), "triton-http"), "");
  truth::Server answers_everything(truth::always(truth::body(200, "<html>")));
  EXPECT_EQ(explain(answers_everything.url(), "openai-chat"), "");
  for (const char* protocol : {"triton-http", "triton-grpc", "openai-chat"})
    EXPECT_EQ(explain(of_neither.url(), protocol), "") << protocol;
}

TEST(ServerKind, ReadsOnlyListsOfModels) {
  EXPECT_THAT(*read_openai_models(k_models), ElementsAre("llama-3", "qwen2-7b"));
  EXPECT_THAT(*read_openai_models(R"({"data":[{"id":"a\u001b[1m"}, 3, {"id":4}]})"),
              ElementsAre("a\\x1b[1m"));
  for (const char* page : {"", "<html>", "[]", "{}", R"({"data":{}})", R"({"data":"x"})"})
    EXPECT_FALSE(read_openai_models(page).ok()) << page;
}

}  // namespace server_kind_test
}  // namespace orch::protocol
