// Triton's gRPC as one more Speaker.
#pragma once

#include "bench/protocol/protocol_speakers.hpp"
#include "bench/protocol/triton_grpc_answers.hpp"
#include "bench/wire/tls_relay.hpp"

#include <nlohmann/json.hpp>

namespace orch::protocol {

// Serves the model's configuration, and ANSWER to every other request.
class GrpcServerFixture final : public ServerFixture {
 public:
  GrpcServerFixture(truth::GrpcAnswer answer, truth::GrpcServer::Options options, bool decoupled)
      : server_(truth::triton(truth::always(std::move(answer)), decoupled), options) {}
  std::string url() const override { return server_.url(); }
  int requests() const override { return static_cast<int>(truth::inferences(server_).size()); }
  int connections() const override { return connections_of(truth::inferences(server_)); }

 private:
  truth::GrpcServer server_;
};

class TritonGrpcSpeaker : public Speaker {
 public:
  std::string name() const override { return "TritonGrpc"; }
  std::string protocol() const override { return "triton-grpc"; }
  std::string token(std::string_view text_json, int sequence) const override {
    inference::ModelInferResponse response = truth::text_response(
        nlohmann::json::parse(fmt::format("\"{}\"", text_json)).get<std::string>());
    truth::add_output(response, "batch_index", "INT32",
                      truth::raw_numbers(std::vector<std::int32_t>{sequence}));
    return truth::streamed(response);
  }
  std::vector<std::string> closing(int) const override {
    return {truth::streamed(truth::final_response())};
  }
  std::string failure(std::string_view message) const override {
    inference::ModelStreamInferResponse response;
    response.set_error_message(
        nlohmann::json::parse(fmt::format("\"{}\"", message)).get<std::string>());
    return response.SerializeAsString();
  }
  std::string body(std::string_view text, int) const override { return token(text, 0); }
  std::string bodies(std::string_view first, std::string_view second, int) const override {
    inference::ModelInferResponse response = truth::infer_response();
    truth::add_output(response, "text_output", "BYTES",
                      truth::raw_text(first) + truth::raw_text(second));
    return truth::streamed(response);
  }
  std::string refusal(std::string_view message) const override { return std::string(message); }
  std::string refused(std::string_view message) const override {
    return fmt::format("gRPC UNAVAILABLE: {}", message);
  }

  std::unique_ptr<ServerFixture> serve(Reply reply, bool) const override {
    return serve_model(reply, true);
  }

 protected:
  static std::unique_ptr<ServerFixture> serve_model(const Reply& reply, bool decoupled) {
    truth::GrpcAnswer answer;
    if (reply.refused > 0) {
      answer = {
          .pieces = {}, .status = 14, .message = reply.events.at(0).bytes, .trailers_only = true};
    } else {
      for (const Reply::Event& event : reply.events)
        answer.pieces.push_back({.bytes = truth::framed(event.bytes),
                                 .wait_ns = event.wait_ns,
                                 .tokens = event.tokens});
      if (!reply.whole) answer.end = truth::GrpcAnswer::End::close;
    }
    return std::make_unique<GrpcServerFixture>(
        std::move(answer),
        truth::GrpcServer::Options{.cut_bytes = reply.cut == Reply::Cut::per_byte ? 1u : 0u,
                                   .hold_back = reply.cut == Reply::Cut::at_once},
        decoupled);
  }
};

// A model that is not decoupled: ModelInfer, a call for each answer.
class TritonGrpcWholeSpeaker final : public TritonGrpcSpeaker {
 public:
  std::string name() const override { return "TritonGrpcWhole"; }
  std::string body(std::string_view text, int) const override {
    return truth::text_response(std::string(text)).SerializeAsString();
  }
  std::string bodies(std::string_view first, std::string_view second, int) const override {
    inference::ModelInferResponse response = truth::infer_response();
    truth::add_output(response, "text_output", "BYTES",
                      truth::raw_text(first) + truth::raw_text(second));
    return response.SerializeAsString();
  }
  std::unique_ptr<ServerFixture> serve(Reply reply, bool) const override {
    return serve_model(reply, false);
  }
};

// The same server behind TLS.
class TlsServerFixture final : public ServerFixture {
 public:
  TlsServerFixture(std::unique_ptr<ServerFixture> plain, std::string scheme)
      : plain_(std::move(plain)),
        scheme_(std::move(scheme)),
        relay_((*wire::parse_url(plain_->url())).port, scheme_ == "grpcs" ? "h2" : "") {}
  std::string url() const override {
    return fmt::format("{}://127.0.0.1:{}", scheme_, relay_.port());
  }
  int requests() const override { return plain_->requests(); }
  int connections() const override { return plain_->connections(); }

 private:
  std::unique_ptr<ServerFixture> plain_;
  std::string scheme_;
  truth::TlsRelay relay_;
};

template <class Plain> class TlsSpeaker final : public Plain {
 public:
  template <class... Arguments>
  explicit TlsSpeaker(std::string scheme, Arguments... arguments)
      : Plain(std::move(arguments)...), scheme_(std::move(scheme)) {}
  std::string name() const override { return Plain::name() + "OverTls"; }
  std::string ca_file() const override { return truth::Authority::shared().file("ca.pem"); }
  std::unique_ptr<ServerFixture> serve(Reply reply, bool stream) const override {
    return std::make_unique<TlsServerFixture>(Plain::serve(std::move(reply), stream), scheme_);
  }

 private:
  std::string scheme_;
};

inline std::vector<std::shared_ptr<const Speaker>> all_speakers() {
  std::vector<std::shared_ptr<const Speaker>> out = json_speakers();
  out.push_back(std::make_shared<TritonGrpcSpeaker>());
  out.push_back(std::make_shared<TlsSpeaker<OpenAiSpeaker>>("https", false, "\n\n"));
  out.push_back(std::make_shared<TlsSpeaker<TritonGrpcSpeaker>>("grpcs"));
  return out;
}

// Speakers whose answers may come in one piece.
inline std::vector<std::shared_ptr<const Speaker>> whole_speakers() {
  std::vector<std::shared_ptr<const Speaker>> out = all_speakers();
  out.push_back(std::make_shared<TritonGrpcWholeSpeaker>());
  return out;
}

}  // namespace orch::protocol
