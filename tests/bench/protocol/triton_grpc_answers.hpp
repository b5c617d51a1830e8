// Answers of Triton's gRPC service, encoded by the protobuf library.
#pragma once

#include "bench/wire/grpc_truth_server.hpp"

#include <cstring>

#include <orch_proto/triton_grpc.pb.h>

namespace orch::truth {

template <class T> std::string raw_numbers(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline std::string raw_text(std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  return raw_numbers(std::vector{size}) + std::string(text);
}

inline void add_output(inference::ModelInferResponse& response, const std::string& name,
                       const std::string& datatype, const std::string& raw) {
  auto& output = *response.add_outputs();
  output.set_name(name);
  output.set_datatype(datatype);
  output.add_shape(1);
  response.add_raw_output_contents(raw);
}

inline inference::ModelInferResponse infer_response() {
  inference::ModelInferResponse response;
  response.set_model_name("ensemble");
  response.set_model_version("1");
  (*response.mutable_parameters())["triton_final_response"].set_bool_param(false);
  return response;
}

inline inference::ModelInferResponse text_response(const std::string& text) {
  inference::ModelInferResponse response = infer_response();
  add_output(response, "text_output", "BYTES", raw_text(text));
  return response;
}

inline std::string streamed(const inference::ModelInferResponse& response) {
  inference::ModelStreamInferResponse message;
  *message.mutable_infer_response() = response;
  return message.SerializeAsString();
}

inline inference::ModelInferResponse final_response() {
  inference::ModelInferResponse response = infer_response();
  (*response.mutable_parameters())["triton_final_response"].set_bool_param(true);
  return response;
}

// The ensemble's configuration, reduced to the fields that matter for requests.
inline inference::ModelConfigResponse ensemble_config() {
  inference::ModelConfigResponse response;
  inference::ModelConfig& config = *response.mutable_config();
  config.set_name("ensemble");
  config.set_max_batch_size(8);
  config.mutable_model_transaction_policy()->set_decoupled(true);
  const auto add = [&](const char* name, inference::DataType type) {
    auto& input = *config.add_input();
    input.set_name(name);
    input.set_data_type(type);
    input.add_dims(1);
    input.set_optional(std::string_view(name) != "text_input");
  };
  add("text_input", inference::TYPE_STRING);
  add("max_tokens", inference::TYPE_INT32);
  add("min_length", inference::TYPE_INT32);
  add("stream", inference::TYPE_BOOL);
  return response;
}

// A field of bytes, for messages that the .proto file of this repository does not declare.
inline std::string field(int number, std::string_view bytes) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  std::size_t size = bytes.size();
  for (; size > 127; size >>= 7) out += static_cast<char>((size & 127) | 128);
  return out + static_cast<char>(size) + std::string(bytes);
}

// ModelMetadataResponse of the ensemble, which perf_analyzer reads beside its configuration.
inline std::string ensemble_metadata() {
  const auto tensor = [](int number, std::string_view name, std::string_view datatype) {
    inference::ModelInferRequest::InferInputTensor out;  // laid out as the metadata of a tensor
    out.set_name(std::string(name));
    out.set_datatype(std::string(datatype));
    out.add_shape(-1);
    out.add_shape(1);
    return field(number, out.SerializeAsString());
  };
  return field(1, "ensemble") + field(2, "1") + field(3, "ensemble") +
         tensor(4, "text_input", "BYTES") + tensor(4, "max_tokens", "INT32") +
         tensor(4, "min_length", "INT32") + tensor(4, "stream", "BOOL") +
         tensor(5, "text_output", "BYTES");
}

inline std::string method(const GrpcServed& request) {
  const std::string& path = request.headers.at(":path");
  return path.substr(path.rfind('/') + 1);
}

// Serves the configuration of its model, and leaves other requests to SCRIPT.
inline GrpcScript triton(GrpcScript script, bool decoupled = true) {
  std::map<std::string, std::shared_ptr<const GrpcAnswer>> pages;
  const auto set_page = [&](const char* name, const std::string& message) {
    pages[name] =
        std::make_shared<const GrpcAnswer>(GrpcAnswer{.pieces = {{.bytes = framed(message)}}});
  };
  inference::ModelConfigResponse config = ensemble_config();
  config.mutable_config()->mutable_model_transaction_policy()->set_decoupled(decoupled);
  set_page("ModelConfig", config.SerializeAsString());
  set_page("ModelMetadata", ensemble_metadata());
  set_page("ServerMetadata", "");  // no extensions, so no statistics
  return [pages, script = std::move(script)](const GrpcServed& request) {
    const auto found = pages.find(method(request));
    return found == pages.end() ? script(request) : found->second;
  };
}

inline GrpcScript triton(GrpcAnswer answer) { return triton(always(std::move(answer))); }

inline std::vector<GrpcServed> inferences(const GrpcServer& server) {
  std::vector<GrpcServed> out = server.log();
  std::erase_if(out, [](const GrpcServed& request) {
    return method(request) != "ModelInfer" && method(request) != "ModelStreamInfer";
  });
  return out;
}

// ANSWER, whose pieces are one message each. Each message repeats the id of a request that has one.
inline GrpcScript with_request_id(GrpcAnswer answer) {
  return
      [shared = std::make_shared<const GrpcAnswer>(std::move(answer))](const GrpcServed& served) {
        inference::ModelInferRequest request;
        if (!request.ParseFromString(served.message()) || request.id().empty()) return shared;
        // Protobuf merges this field into the embedded message that precedes it.
        const std::string end = field(2, field(3, request.id()));
        GrpcAnswer own = *shared;
        for (GrpcPiece& piece : own.pieces) piece.bytes = framed(piece.bytes.substr(5) + end);
        return std::make_shared<const GrpcAnswer>(std::move(own));
      };
}

// One send() per token, then the empty final response.
inline GrpcAnswer grpc_stream(int tokens, std::int64_t first_wait_ns = 0,
                              std::int64_t wait_ns = 0) {
  GrpcAnswer answer;
  for (int i = 0; i < tokens; ++i)
    answer.pieces.push_back({.bytes = framed(streamed(text_response(" t" + std::to_string(i)))),
                             .wait_ns = i == 0 ? first_wait_ns : wait_ns,
                             .tokens = 1});
  answer.pieces.push_back({.bytes = framed(streamed(final_response()))});
  return answer;
}

}  // namespace orch::truth
