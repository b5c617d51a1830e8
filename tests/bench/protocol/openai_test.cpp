// OpenAI's completions and chat completions: the bytes of requests, and the meaning of events as
// trtllm-serve and similar servers send them.
#include "bench/load/bench_all.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::protocol {
namespace openai_test {

using testing::ElementsAre;

RequestShape shape(bool stream = true) {
  return {.url = *wire::parse_url("http://127.0.0.1:8000"),
          .model = "m",
          .stream = stream,
          .osl = 16,
          .forced_osl = true,
          .inputs = {}};
}

std::unique_ptr<Protocol> protocol(std::string_view name, RequestShape with) {
  return std::move(*make_protocol(name, std::move(with)));
}

std::string request(std::string_view name, RequestShape with) {
  return protocol(name, std::move(with))->request({.text_input = "a\"b", .isl = {}});
}

std::string body(const std::string& request) {
  return request.substr(request.find("\r\n\r\n") + 4);
}

struct Read {
  EventKind kind;
  std::string text, failure;
  std::optional<std::int64_t> isl, osl;
  bool operator==(const Read&) const = default;
};

Read read(std::string_view name, std::string_view event, bool stream = true) {
  AnswerState state;
  const EventKind kind = protocol(name, shape(stream))->read_event(event, state);
  return {kind, state.text, state.failure, state.isl, state.osl};
}

Read token(std::string text) { return {EventKind::token, std::move(text), "", {}, {}}; }
const Read k_other = {EventKind::other, "", "", {}, {}};
const Read k_malformed = {EventKind::malformed, "", "", {}, {}};

TEST(OpenAiCompletions, ARequestAsksForItsLengthAndItsUsage) {
  const std::string text =
      R"({"prompt":"a\"b","max_tokens":16,"ignore_eos":true,"model":"m","stream":true,"stream_options":{"include_usage":true}})";
  EXPECT_EQ(request("openai-completions", shape()),
            "POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nContent-Type: "
            "application/json\r\nContent-Length: " +
                std::to_string(text.size()) + "\r\n\r\n" + text);
}

TEST(OpenAiCompletions, ARequestForOneBodyDoesNotAskForUsage) {
  RequestShape with = shape(false);
  with.forced_osl = false;
  with.inputs = {{"temperature", "0"}, {"stop", "x"}};
  EXPECT_EQ(
      body(request("openai-completions", with)),
      R"({"prompt":"a\"b","max_tokens":16,"model":"m","stop":"x","stream":false,"temperature":0})");
}

TEST(OpenAiChat, ARequestIsOneMessageOfTheUser) {
  EXPECT_EQ(
      body(request("openai-chat", shape())),
      R"({"messages":[{"role":"user","content":"a\"b"}],"max_tokens":16,"ignore_eos":true,"model":"m","stream":true,"stream_options":{"include_usage":true}})");
  EXPECT_TRUE(
      request("openai-chat", shape()).starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
}

TEST(OpenAiChat, MessagesAreSentUnchangedAndOtherProtocolsSendTheirText) {
  const auto prompts = prompt::parse_prompts(
      R"({"messages": [{"role": "system", "content": "be brief"}, {"content": "h\u00e9llo", "role": "user", "name": "n"}]})",
      "p", 0);
  ASSERT_TRUE(prompts.ok()) << prompts.error().text();
  const auto sent = [&](const char* name) {
    return body(protocol(name, shape())->request(prompts->measured[0]));
  };
  const std::string rest =
      R"(,"max_tokens":16,"ignore_eos":true,"model":"m","stream":true,"stream_options":{"include_usage":true}})";
  EXPECT_EQ(
      sent("openai-chat"),
      R"({"messages":[{"role":"system","content":"be brief"},{"content":"héllo","role":"user","name":"n"}])" +
          rest);
  EXPECT_EQ(sent("openai-completions"), R"({"prompt":"be brief\n\nhéllo")" + rest);
  EXPECT_EQ(nlohmann::json::parse(sent("triton-http"))["text_input"], "be brief\n\nhéllo");
}

TEST(OpenAiCompletions, EventsOfAStreamAreClassified) {
  const std::string name = "openai-completions";
  EXPECT_EQ(
      read(
          name,
          R"({"id":"c","object":"text_completion","choices":[{"index":0,"text":" x","finish_reason":null}],"usage":null})"),
      token(" x"));
  EXPECT_EQ(read(name, R"({"choices":[{"index":0,"text":"","finish_reason":null}]})"), token(""))
      << "half a character is a token";
  EXPECT_EQ(read(name, R"({"choices":[{"index":0,"text":"y","finish_reason":"length"}]})"),
            token("y"));
  EXPECT_EQ(read(name, R"({"choices":[{"index":0,"text":"","finish_reason":"length"}]})"), k_other)
      << "the event only ends the answer";
  EXPECT_EQ(read(name, "[DONE]"), k_other);
  EXPECT_EQ(
      read(
          name,
          R"({"choices":[],"usage":{"prompt_tokens":3,"total_tokens":19,"completion_tokens":16}})"),
      (Read{EventKind::other, "", "", 3, 16}));
  EXPECT_EQ(read(name, R"({"choices":[],"usage":{"prompt_tokens":-3,"completion_tokens":-16}})"),
            k_other)
      << "negative counts are ignored";
}

TEST(OpenAiChat, EventsOfAStreamAreClassified) {
  const std::string name = "openai-chat";
  EXPECT_EQ(read(name, R"({"choices":[{"index":0,"delta":{"role":"assistant"}}]})"), k_other);
  EXPECT_EQ(
      read(
          name,
          R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]})"),
      k_other);
  EXPECT_EQ(
      read(name, R"({"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]})"),
      token("hi"));
  EXPECT_EQ(
      read(name, R"({"choices":[{"index":0,"delta":{"reasoning_content":"hm","content":null}}]})"),
      token("hm"));
  EXPECT_EQ(read(name, R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"), k_other);
  EXPECT_EQ(
      read(name,
           R"({"choices":[{"index":0,"delta":{"role":"assistant","content":"all at once"}}]})"),
      token("all at once"));
  EXPECT_EQ(
      read(name,
           R"({"choices":[{"index":0,"delta":{"role":null,"content":""},"finish_reason":null}]})"),
      token(""))
      << "an empty token from a server that writes every member";
}

TEST(OpenAi, AnAnswerInOneBodyIsOneEvent) {
  EXPECT_EQ(
      read(
          "openai-completions",
          R"({"choices":[{"index":0,"text":"all","finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":16}})",
          false),
      (Read{EventKind::token, "all", "", 3, 16}));
  EXPECT_EQ(
      read("openai-chat",
           R"({"choices":[{"index":0,"message":{"role":"assistant","content":"all"}}]})", false),
      token("all"));
  EXPECT_EQ(read("openai-completions", R"({"choices":[]})", false), k_malformed);
}

TEST(OpenAi, ErrorsAreReadInThreeForms) {
  for (const char* event :
       {R"({"error":"out of \"memory\""})",
        R"({"error":{"message":"out of \"memory\"","type":"x","code":500}})",
        R"({"object":"error","message":"out of \"memory\"","type":"x","param":null,"code":400})"}) {
    EXPECT_EQ(read("openai-completions", event),
              (Read{EventKind::failure, "", "out of \"memory\"", {}, {}}))
        << event;
    EXPECT_EQ(protocol("openai-chat", shape())->read_refusal(event), "out of \"memory\"") << event;
    EXPECT_EQ(protocol("openai-chat", shape())->read_refusal(fmt::format("data: {}\n\n", event)),
              "out of \"memory\"")
        << event;
  }
  EXPECT_EQ(protocol("openai-chat", shape())->read_refusal(R"({"detail":"Not Found"})"), "");
}

Read read_all(std::string_view name, const std::vector<std::string>& events, AnswerState& state,
              bool stream = true) {
  EventKind kind = EventKind::other;
  for (const std::string& each : events)
    kind = protocol(name, shape(stream))->read_event(each, state);
  return {kind, state.text, state.failure, state.isl, state.osl};
}

TEST(OpenAiChat, ToolCallsReasoningAndRefusalsAreTokens) {
  const std::string name = "openai-chat";
  EXPECT_EQ(
      read(
          name,
          R"({"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}]}}]})"),
      token("f"));
  EXPECT_EQ(
      read(
          name,
          R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}},{"index":1,"function":{"arguments":"1"}}]}}]})"),
      token("{\"a\":1"));
  EXPECT_EQ(
      read(name,
           R"({"choices":[{"index":0,"delta":{"function_call":{"name":"f","arguments":"x"}}}]})"),
      token("fx"));
  EXPECT_EQ(
      read(
          name,
          R"({"choices":[{"index":0,"delta":{"reasoning":"hm","reasoning_content":"hm","content":"a"}}]})"),
      token("hma"))
      << "the same under both names is counted once";
  EXPECT_EQ(read(name, R"({"choices":[{"index":0,"delta":{"reasoning":"hm"}}]})"), token("hm"));
  EXPECT_EQ(read(name, R"({"choices":[{"index":0,"delta":{"refusal":"no","content":null}}]})"),
            token("no"));
  EXPECT_EQ(read(name, R"({"choices":[{"index":0,"delta":{"tool_calls":[]}}]})"), k_other);
  for (const char* calls : {"3", R"({"a":{"function":{"name":"f"}}})"})
    EXPECT_EQ(read(name, fmt::format(R"({{"choices":[{{"index":0,"delta":{{"tool_calls":{}}}}}]}})",
                                     calls))
                  .kind,
              EventKind::malformed)
        << calls;
}

// Every name under which servers send text, and every form of its value.
TEST(OpenAiChat, AllFormsOfTextAreTokens) {
  struct Form {
    const char* delta;
    const char* text;
    bool reasoning, visible;
  };
  const Form forms[] = {
      {R"({"content":"a"})", "a", false, true},
      {R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})", "ab", false, true},
      {R"({"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]})", "hm", true,
       false},
      {R"({"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"}]})", "hma",
       true, true},
      {R"({"content":[{"type":"reference","reference_ids":[1]},"a"]})", "a", false, true},
      {R"({"reasoning_content":"hm"})", "hm", true, false},
      {R"({"reasoning":"hm","content":""})", "hm", true, false},
      {R"({"reasoning_content":"","reasoning":"hm"})", "hm", true, false},
      {R"({"content":null,"reasoning_details":[{"type":"reasoning.text","text":"hm","index":0}]})",
       "hm", true, false},
      {R"({"reasoning_details":[{"type":"reasoning.summary","summary":"hm"}]})", "hm", true, false},
      {R"({"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]})", "hm",
       true, false},
      {R"({"thinking":"hm"})", "hm", true, false},
      {R"({"thinking_blocks":[{"type":"thinking","thinking":"hm","signature":"x"}]})", "hm", true,
       false},
      {R"({"refusal":"no"})", "no", false, true},
      {R"({"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]})", "f{}", false, true}};
  for (const Form& form : forms) {
    for (const bool stream : {true, false}) {
      AnswerState state;
      const std::string member = stream ? "delta" : "message";
      const Read read =
          read_all("openai-chat",
                   {fmt::format(R"({{"choices":[{{"index":0,"{}":{}}}]}})", member, form.delta)},
                   state, stream);
      EXPECT_EQ(read, token(form.text)) << form.delta;
      EXPECT_EQ(state.event.reasoning, form.reasoning) << form.delta;
      EXPECT_EQ(state.event.visible, form.visible) << form.delta;
    }
  }
  EXPECT_EQ(
      read(
          "openai-chat",
          R"({"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]}}]})"),
      k_other)
      << "an encrypted text cannot be counted";
}

TEST(OpenAiChat, ATextOfAnotherTypeIsMalformed) {
  for (const char* event :
       {R"({"choices":[{"delta":{"content":3}}]})", R"({"choices":[{"delta":{"content":[3]}}]})",
        R"({"choices":[{"delta":{"reasoning":{"text":3}}}]})",
        R"({"choices":[{"delta":{"refusal":true}}]})", R"({"choices":[3]})", R"({"choices":["x"]})",
        R"({"choices":[{}})"})
    EXPECT_EQ(read("openai-chat", event).kind, EventKind::malformed) << event;
}

TEST(OpenAi, SeveralChoicesOfAnEventAreOneEventWithSeparateTexts) {
  AnswerState state;
  EXPECT_EQ(
      read_all(
          "openai-completions",
          {R"({"choices":[{"index":1,"text":"b"},{"index":0,"text":"a"}]})",
           R"({"choices":[{"index":1,"text":"","finish_reason":"stop"},{"index":0,"text":"c"}]})"},
          state)
          .kind,
      EventKind::token);
  EXPECT_EQ(state.answer(), "ac\nb");
  EXPECT_EQ(read_all("openai-completions",
                     {R"({"choices":[{"index":0,"text":"x"},{"index":1,"text":"y"}]})"}, state = {},
                     false)
                .kind,
            EventKind::token);
  EXPECT_EQ(state.answer(), "x\ny");
  state = {};
  state.sequences = 2;
  read_all("openai-completions",
           {R"({"choices":[{"index":60000,"text":"a"}]})",
            R"({"choices":[{"index":1,"text":"b"}]})", R"({"choices":[{"index":2,"text":"c"}]})"},
           state);
  EXPECT_EQ(state.answer(), "ac\nb") << "two sequences were requested";
}

TEST(OpenAi, UsageInEveryEventGivesTheTokensOfTheFirst) {
  AnswerState state;
  read_all(
      "openai-chat",
      {R"({"choices":[{"index":0,"delta":{"role":"assistant","content":""}}],"usage":{"prompt_tokens":9,"completion_tokens":0}})",
       R"({"choices":[{"index":0,"delta":{"content":"a b c"}}],"usage":{"prompt_tokens":9,"completion_tokens":3}})",
       R"({"choices":[{"index":0,"delta":{"content":" d"}}],"usage":{"prompt_tokens":9,"completion_tokens":4}})"},
      state);
  EXPECT_EQ(state.first_event_tokens, 3);
  EXPECT_EQ(state.osl, 4);
  state = {};
  read_all("openai-chat",
           {R"({"choices":[{"index":0,"delta":{"content":"a"}}],"usage":null})",
            R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4}})"},
           state);
  EXPECT_EQ(state.first_event_tokens, std::nullopt)
      << "a usage at the end does not give the tokens of the first event";
}

TEST(OpenAi, AnAnswerOfOnlyToolCallsIsAToken) {
  EXPECT_EQ(
      read(
          "openai-chat",
          R"({"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}}]})",
          false),
      token("f{}"));
  EXPECT_EQ(read("openai-chat", R"({"choices":[{"message":{"role":"assistant"}}]})", false),
            k_malformed);
  EXPECT_EQ(read("openai-completions", R"({"choices":[{"text":null}]})", false), k_malformed);
}

TEST(OpenAi, AUrlThatEndsWithV1OrAnEndpointIsNotExtended) {
  const auto path = [](const char* url) {
    RequestShape with = shape();
    with.url = *wire::parse_url(url);
    const std::string text = request("openai-chat", with);
    return text.substr(5, text.find(' ', 5) - 5);
  };
  EXPECT_EQ(path("http://a:1"), "/v1/chat/completions");
  EXPECT_EQ(path("http://a:1/"), "/v1/chat/completions");
  EXPECT_EQ(path("http://a:1/v1"), "/v1/chat/completions");
  EXPECT_EQ(path("http://a:1/v1/"), "/v1/chat/completions");
  EXPECT_EQ(path("http://a:1/llm"), "/llm/v1/chat/completions");
  for (const char* whole : {"http://a:1/v1/chat/completions", "http://a:1/v1/completions/"})
    EXPECT_EQ(path(whole), "/v1/chat/completions");
  EXPECT_EQ(path("http://a:1/openai/deployments/g/chat/completions"),
            "/openai/deployments/g/chat/completions");
  EXPECT_EQ(path("http://a:1/chat/completions"), "/chat/completions");
}

TEST(OpenAi, SamplingHasOpenAisNames) {
  RequestShape with = shape(false);
  with.forced_osl = false;
  with.sampling = {.temperature = 0.5,
                   .top_k = 3,
                   .top_p = 0.9,
                   .seed = 7,
                   .stop_words = {"a", "b"},
                   .log_probs = true};
  EXPECT_EQ(
      body(request("openai-completions", with)),
      R"({"prompt":"a\"b","max_tokens":16,"logprobs":1,"model":"m","seed":7,"stop":["a","b"],"stream":false,"temperature":0.5,"top_k":3,"top_p":0.9})");
  EXPECT_EQ(nlohmann::json::parse(body(request("openai-chat", with)))["logprobs"], true);
}

TEST(OpenAi, UnsupportedOptionsAreOneError) {
  const auto refusal = [](const char* name, const RequestShape& with) {
    const auto made = make_protocol(name, with);
    return made.ok() ? "accepted" : made.error().message;
  };
  RequestShape with = shape();
  with.sampling = {.bad_words = {"x"}};
  EXPECT_EQ(refusal("openai-chat", with), "openai-chat does not support --bad-word; leave it out");
  with.sampling = {.beam_width = 2,
                   .lora_task_id = 1,
                   .bad_words = {"x"},
                   .context_logits = true,
                   .generation_logits = true};
  with.batch = 2;
  EXPECT_EQ(refusal("openai-chat", with),
            "openai-chat does not support --batch, --beam-width, --lora-task-id, --bad-word, "
            "--return-context-logits, --return-generation-logits; leave it out");
  with = shape();
  with.send_ids = true;
  EXPECT_EQ(refusal("openai-chat", with),
            "openai-chat takes no token ids; send text, or use --protocol openai-completions");
  with = shape();
  with.sampling = {.beam_width = 1};
  EXPECT_EQ(refusal("openai-completions", with), "accepted");
}

TEST(OpenAiCompletions, ABatchIsAListOfPromptsAndPromptsMayGoAsIds) {
  RequestShape with = shape(false);
  with.batch = 2;
  const std::vector<prompt::Prompt> prompts = {
      {.text_input = "a", .ids = {1, 2}, .isl = {}, .osl = 3},
      {.text_input = "b", .ids = {3}, .isl = {}, .osl = 5}};
  EXPECT_TRUE(body(protocol("openai-completions", with)->request(prompts))
                  .starts_with(R"({"prompt":["a","b"],"max_tokens":5,)"));
  with.send_ids = true;
  EXPECT_TRUE(body(protocol("openai-completions", with)->request(prompts))
                  .starts_with(R"({"prompt":[[1,2],[3]],"max_tokens":5,)"));
  EXPECT_TRUE(body(protocol("openai-completions", with)->request({prompts.data(), 1}))
                  .starts_with(R"({"prompt":[1,2],"max_tokens":3,)"));
  EXPECT_TRUE(protocol("openai-completions", with)->traits().takes_ids);
  with.inputs = {{"n", "3"}};
  EXPECT_EQ(protocol("openai-completions", with)->traits().sequences, 6);
}

TEST(OpenAi, InputsReplaceDefaultsAndNullRemovesThem) {
  RequestShape with = shape();
  with.inputs = {{"max_completion_tokens", "8"}, {"stream_options", "null"}};
  EXPECT_EQ(
      body(request("openai-chat", with)),
      R"({"messages":[{"role":"user","content":"a\"b"}],"ignore_eos":true,"max_completion_tokens":8,"model":"m","stream":true})");
  EXPECT_FALSE(protocol("openai-chat", with)->traits().forces_length);
}

TEST(OpenAi, AServerThatRefusesIgnoreEosIsExplained) {
  const auto refusal = [](bool forced, const char* text) {
    RequestShape with = shape();
    with.forced_osl = forced;
    return protocol("openai-chat", with)->read_refusal(text);
  };
  EXPECT_EQ(
      refusal(true,
              R"({"error":{"message":"Unrecognized request argument supplied: ignore_eos"}})"),
      "the server rejected `ignore_eos`; give --eos: Unrecognized request argument supplied: "
      "ignore_eos");
  EXPECT_EQ(
      refusal(true, R"({"detail":[{"loc":["body","ignore_eos"]}]})"),
      R"(the server rejected `ignore_eos`; give --eos: {"detail":[{"loc":["body","ignore_eos"]}]})");
  EXPECT_EQ(refusal(false, R"({"error":{"message":"ignore_eos"}})"), "ignore_eos");
}

TEST(OpenAi, FurtherHeadersAndTheQueryOfTheUrlAreSent) {
  RequestShape with = shape();
  with.headers = {"X-A: b", "X-C: d"};
  with.url.path = "/openai/deployments/m/chat/completions";
  with.url.query = "?api-version=1";
  EXPECT_TRUE(
      request("openai-chat", with)
          .starts_with("POST /openai/deployments/m/chat/completions?api-version=1 HTTP/1.1\r\n"
                       "Host: 127.0.0.1:8000\r\nX-A: b\r\nX-C: d\r\n"));
}

TEST(OpenAi, FieldsOfARowReplaceThoseOfTheRun) {
  RequestShape with = shape(false);
  with.sampling.temperature = 0;
  const auto sent = [&](const std::string& fields) {
    return nlohmann::json::parse(
        body(protocol("openai-chat", with)
                 ->request(prompt::Prompt{.text_input = "a", .isl = {}, .fields = fields})));
  };
  EXPECT_EQ(sent("")["temperature"], 0);
  const auto own = sent(R"("temperature":0.5,"tools":[1])");
  EXPECT_EQ(own["temperature"], 0.5);
  EXPECT_EQ(own["tools"], nlohmann::json::array({1}));
  EXPECT_EQ(own["model"], "m");
  EXPECT_EQ(own["messages"][0]["content"], "a");
}

TEST(OpenAi, ARefusedFieldIsToldWithItsRemedy) {
  const auto said = [](const RequestShape& with, std::string_view field) {
    return protocol("openai-chat", with)
        ->read_refusal(
            fmt::format(R"({{"error":{{"message":"Unsupported parameter: '{}'"}}}})", field));
  };
  EXPECT_EQ(said(shape(), "stream_options"),
            "the server rejected `stream_options`; leave it out with --input stream_options=null: "
            "Unsupported parameter: 'stream_options'");
  EXPECT_EQ(said(shape(), "max_tokens"),
            "the server rejected `max_tokens`; rename it with --input max_completion_tokens=N: "
            "Unsupported parameter: 'max_tokens'");
  EXPECT_EQ(said(shape(), "ignore_eos"),
            "the server rejected `ignore_eos`; give --eos: Unsupported parameter: 'ignore_eos'");
  EXPECT_EQ(said(shape(), "max_tokens_to_keep"), "Unsupported parameter: 'max_tokens_to_keep'");
  EXPECT_EQ(said(shape(false), "stream_options"), "Unsupported parameter: 'stream_options'")
      << "it was not sent";
}

TEST(OpenAi, TheAuthorizationIsAHeader) {
  RequestShape with = shape();
  with.authorization = "Bearer abc";
  EXPECT_TRUE(request("openai-chat", with)
                  .starts_with("POST /v1/chat/completions HTTP/1.1\r\nHost: "
                               "127.0.0.1:8000\r\nAuthorization: Bearer abc\r\n"));
}

TEST(OpenAi, EventsWithoutValidChoicesAreMalformed) {
  for (const char* event :
       {"{}", "x", R"({"choices":null})", R"({"choices":3})", R"({"choices":{"text":"x"}})",
        R"({"choices":{"a":{"text":"x"}}})", R"([{"choices":[{"text":"x"}]}])",
        R"({"choices":[{"text":3}]})", R"({"choices":[{"text":"x)"})
    EXPECT_EQ(read("openai-completions", event).kind, EventKind::malformed) << event;
}

// --- over a real socket ---

std::string event(std::string_view json, std::string_view separator) {
  return truth::chunk("data: " + std::string(json) + std::string(separator));
}

// Role, tokens with a silent one among them, the end, usage, [DONE]: as trtllm-serve streams them.
truth::Answer chat(std::string_view separator) {
  truth::Answer answer{.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"}}};
  const auto add = [&](std::string_view json, int tokens) {
    answer.pieces.push_back({.bytes = event(json, separator), .wait_ns = 0, .tokens = tokens});
  };
  add(R"({"choices":[{"index":0,"delta":{"role":"assistant"}}]})", 0);
  for (const char* text : {"a", "", "c", "d"})
    add(fmt::format(
            R"({{"choices":[{{"index":0,"delta":{{"content":"{}"}},"finish_reason":null}}]}})",
            text),
        1);
  add(R"({"choices":[{"index":0,"delta":{},"finish_reason":"length"}]})", 0);
  add(R"({"choices":[],"usage":{"prompt_tokens":9,"total_tokens":13,"completion_tokens":4}})", 0);
  add("[DONE]", 0);
  answer.pieces.push_back({.bytes = "0\r\n\r\n"});
  return answer;
}

record::Measurement measured(const truth::Server& server, bool stream,
                             std::vector<std::pair<std::string, std::string>> inputs = {}) {
  load::BenchOptions with;
  with.urls = {server.url()};
  with.protocol = "openai-chat";
  with.model = "m";
  with.stream = stream;
  with.loads = {{.kind = record::Load::Kind::closed, .concurrency = 2}};
  with.requests = 6;
  with.osl = 4;
  with.inputs = std::move(inputs);
  prompt::PromptSet prompts;
  for (int i = 0; i < 6; ++i) prompts.measured.push_back({.text_input = "p", .isl = 3});
  auto result = bench_all(with, prompts);
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(result->front());
}

class EverySeparator : public testing::TestWithParam<truth::Answer> {};

TEST_P(EverySeparator, TokensAreStampedAndCountedByUsage) {
  truth::Server server(truth::always(GetParam()));
  const record::Measurement measurement = measured(server, true);
  for (const measure::RequestRecord& record : measurement.records) {
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.event_ns.size(), 4u)
        << "the role, the end, the usage and [DONE] are not tokens";
    EXPECT_EQ(record.answer, "acd");
    EXPECT_EQ(record.isl, 3);
    EXPECT_EQ(record.isl_reported, 9) << "with the template around the prompt";
    EXPECT_EQ(record.osl_reported, 4);
    EXPECT_EQ(record.osl_counted, 4);
  }
  EXPECT_EQ(measurement.counting_osl, "usage");
  const auto found =
      std::find_if(measurement.metrics.begin(), measurement.metrics.end(),
                   [](const auto& metric) { return metric.row->name == "isl_reported"; });
  ASSERT_NE(found, measurement.metrics.end());
  EXPECT_EQ(std::get<measure::Statistics>(found->value).mean, 9);
}

INSTANTIATE_TEST_SUITE_P(OpenAi, EverySeparator,
                         testing::Values(chat("\n\n"), chat("\r\n\r\n"),
                                         truth::at_once(chat("\n\n")),
                                         truth::byte_by_byte(chat("\r\n\r\n"))));

TEST(OpenAi, TheUsageOfAnAnswerInOneBodyCountsItsTokens) {
  truth::Server server(truth::always(truth::body(
      200,
      R"({"choices":[{"index":0,"message":{"content":"abc"}}],"usage":{"prompt_tokens":9,"completion_tokens":3}})")));
  const record::Measurement measurement = measured(server, false);
  for (const measure::RequestRecord& record : measurement.records) EXPECT_EQ(record.osl_counted, 3);
  EXPECT_EQ(measurement.counting_osl, "usage");
  EXPECT_THAT(
      measurement.verdict.warnings,
      testing::Contains("6 of 6 answers differ from the requested length: 3 instead of 4 tokens"));
}

TEST(OpenAi, TokensOfTheFirstEventAreTakenFromAUsageInEveryEvent) {
  truth::Answer answer{.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"}}};
  for (const int tokens : {2, 4})
    answer.pieces.push_back(
        {.bytes = event(
             fmt::format(
                 R"({{"choices":[{{"index":0,"delta":{{"content":"ab"}}}}],"usage":{{"prompt_tokens":9,"completion_tokens":{}}}}})",
                 tokens),
             "\n\n"),
         .wait_ns = 2'000'000,
         .tokens = 2});
  answer.pieces.push_back({.bytes = "0\r\n\r\n"});
  truth::Server server(truth::always(answer));
  for (const measure::RequestRecord& record : measured(server, true).records) {
    EXPECT_EQ(record.event_ns.size(), 2u);
    EXPECT_EQ(record.first_event_tokens, 2);
    EXPECT_EQ(record.osl_counted, 4);
  }
}

TEST(OpenAi, SeveralAnswersToAPromptAreCountedTogether) {
  truth::Answer answer = truth::body(
      200,
      R"({"choices":[{"index":0,"message":{"content":"ab"}},{"index":1,"message":{"content":"cd"}}],"usage":{"prompt_tokens":9,"completion_tokens":8}})");
  truth::Server server(truth::always(answer));
  for (const measure::RequestRecord& record : measured(server, false, {{"n", "2"}}).records) {
    EXPECT_EQ(record.sequences, 2);
    EXPECT_EQ(record.osl_requested, 8);
    EXPECT_EQ(record.osl_counted, 8);
    EXPECT_EQ(record.answer, "ab\ncd");
  }
}

truth::Answer stream_of(const std::vector<std::string>& texts) {
  truth::Answer answer{.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"}}};
  for (const std::string& text : texts) answer.pieces.push_back({.bytes = event(text, "\n\n")});
  answer.pieces.push_back({.bytes = "0\r\n\r\n"});
  return answer;
}

TEST(OpenAi, AUsageOfZerosIsIgnoredIfTokensCame) {
  const std::string zeros = R"("usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0})";
  truth::Server server(truth::always(
      stream_of({R"({"choices":[{"index":0,"text":"a","finish_reason":null}],)" + zeros + "}",
                 R"({"choices":[{"index":0,"text":"b","finish_reason":"stop"}],)" + zeros + "}"})));
  for (const measure::RequestRecord& record : measured(server, true).records) {
    EXPECT_EQ(record.osl_counted, 2);
    EXPECT_EQ(record.counted_by, measure::CountedBy::events);
    EXPECT_EQ(record.isl_reported, std::nullopt);
    EXPECT_EQ(record.osl_reported, std::nullopt);
  }
}

TEST(OpenAi, PromptProgressIsNotAToken) {
  truth::Server server(truth::always(stream_of(
      {"null",
       R"({"choices":[{"index":0,"text":"","finish_reason":null}],"prompt_progress":{"total":9,"cache":0,"processed":4}})",
       R"({"choices":[{"index":0,"text":"b","finish_reason":null}],"prompt_progress":{"total":9,"cache":0,"processed":9}})",
       R"({"choices":[{"index":0,"text":"a","finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":7}}})"})));
  const record::Measurement measurement = measured(server, true);
  for (const measure::RequestRecord& record : measurement.records) {
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.event_ns.size(), 2u);
    EXPECT_EQ(record.isl_cached, 7);
  }
  EXPECT_THAT(measurement.verdict.warnings,
              testing::Contains(testing::HasSubstr("78 % of the prompt tokens in its cache")));
}

TEST(OpenAi, UsagesOfChoicesAreSummedUnlessATotalArrives) {
  const auto choice = [](int index, int tokens) {
    return fmt::format(
        R"({{"choices":[{{"index":{},"text":"ab","finish_reason":"length"}}],"usage":{{"prompt_tokens":9,"completion_tokens":{}}}}})",
        index, tokens);
  };
  const std::string all = R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":8}})";
  for (const auto& texts :
       {std::vector{choice(0, 4), choice(1, 3)}, std::vector{choice(0, 4), choice(1, 4), all}}) {
    truth::Server server(truth::always(stream_of(texts)));
    for (const measure::RequestRecord& record : measured(server, true, {{"n", "2"}}).records)
      EXPECT_EQ(record.osl_counted, texts.size() == 2 ? 7 : 8);
  }
}

TEST(OpenAi, TheLastUsageOfAChoiceCounts) {
  const auto chunk = [](int index, const char* reason, int tokens) {
    return fmt::format(
        R"({{"choices":[{{"index":{},"text":"a","finish_reason":{}}}],"usage":{{"prompt_tokens":9,"completion_tokens":{}}}}})",
        index, reason, tokens);
  };
  const std::vector<std::vector<std::string>> single_choice = {
      {chunk(0, "null", 2), chunk(0, "\"stop\"", 3), chunk(0, "\"stop\"", 3)},
      {chunk(0, "\"\"", 1), chunk(0, "\"\"", 2), chunk(0, "\"stop\"", 3)},
      {chunk(0, "\"length\"", 1), chunk(0, "\"length\"", 2), chunk(0, "\"length\"", 3)}};
  for (const auto& texts : single_choice) {
    truth::Server server(truth::always(stream_of(texts)));
    for (const measure::RequestRecord& record : measured(server, true).records)
      EXPECT_EQ(record.osl_counted, 3) << texts.front();
  }
  truth::Server server(truth::always(
      stream_of({chunk(0, "null", 1), chunk(1, "null", 1), chunk(1, "null", 2),
                 chunk(0, "\"stop\"", 2), chunk(1, "\"stop\"", 3), chunk(1, "\"stop\"", 3)})));
  for (const measure::RequestRecord& record : measured(server, true, {{"n", "2"}}).records)
    EXPECT_EQ(record.osl_counted, 5);
}

TEST(OpenAi, PromptsOfIdsAndMessagesGoToAChatAsMessages) {
  truth::Server server(truth::always(
      stream_of({R"({"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]})"})));
  load::BenchOptions with = load::one_at_a_time(server.url(), 1);
  with.protocol = "openai-chat";
  prompt::Prompt prompt{.text_input = "", .ids = {1, 2}, .isl = 2};
  EXPECT_EQ(
      bench_all(with, {.warmup = {}, .measured = {prompt}}).error().message,
      "prompts go to ensemble as text, but some in p.jsonl have only ids; give them text_input");
  prompt.messages = R"([{"role":"user","content":"a"}])";
  EXPECT_TRUE(bench_all(with, {.warmup = {}, .measured = {prompt}}).ok());
}

TEST(OpenAi, AnEmptyFinishReasonDoesNotEndTheAnswer) {
  truth::Server server(
      truth::always(stream_of({R"({"choices":[{"index":0,"text":"a","finish_reason":""}]})"})));
  EXPECT_EQ(measured(server, true).records.front().error,
            "the stream ended without [DONE] and without a finish_reason");
}

TEST(OpenAi, ThePromptCannotBeGivenAsAnInput) {
  RequestShape with = shape();
  with.inputs = {{"prompt", "x"}};
  EXPECT_EQ(make_protocol("openai-completions", with).error().message,
            "--input prompt cannot set the prompt; give it with --prompts FILE");
}

TEST(OpenAi, AnErrorInsideAStreamFailsItsRequest) {
  truth::Answer answer{
      .pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n" +
                           event(R"({"object":"error","message":"the queue is full","code":500})",
                                 "\n\n") +
                           "0\r\n\r\n"}}};
  truth::Server server(truth::always(answer));
  EXPECT_EQ(measured(server, true).records.front().error,
            "the server reported inside its answer: the queue is full");
}

}  // namespace openai_test
}  // namespace orch::protocol
