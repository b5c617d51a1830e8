// Answers of Triton's generate extension, cut and ended in every way that a connection allows.
#pragma once

#include "fakes/truth_server.hpp"

#include <charconv>

namespace orch::truth {

constexpr std::string_view k_stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: "
    "chunked\r\n";

inline std::string chunk(std::string_view data) {
  char size[16];
  const auto end = std::to_chars(size, size + sizeof size, data.size(), 16).ptr;
  return std::string(size, end) + "\r\n" + std::string(data) + "\r\n";
}

inline std::string event_json(std::string_view text) {
  return R"({"model_name":"ensemble","model_version":"1","sequence_end":false,"sequence_id":0,"sequence_start":false,"text_output":")" +
         std::string(text) + "\"}";
}

// The text of token I in every answer below.
inline std::string token_text(int i) { return " t" + std::to_string(i); }

inline std::string answer_text(int tokens) {
  std::string text;
  for (int i = 0; i < tokens; ++i) text += token_text(i);
  return text;
}

struct StreamShape {
  int tokens = 4;
  std::string separator = "\n\n";
  std::string head_line = "";  // one more line of the head, with its end
  std::int64_t first_wait_ns = 0;
  std::int64_t wait_ns = 0;     // between tokens
  std::string last_event = "";  // JSON sent after the tokens
  bool whole = true;            // false: the stream stops after the tokens without its end
  After after = After::keep;
};

// One send() per token.
inline Answer stream(const StreamShape& shape = {}) {
  Answer answer{.pieces = {{.bytes = std::string(k_stream_head) + shape.head_line + "\r\n"}},
                .after = shape.after};
  for (int i = 0; i < shape.tokens; ++i)
    answer.pieces.push_back({.bytes = chunk("data: " + event_json(token_text(i)) + shape.separator),
                             .wait_ns = i == 0 ? shape.first_wait_ns : shape.wait_ns,
                             .tokens = 1});
  if (!shape.last_event.empty())
    answer.pieces.push_back({.bytes = chunk("data: " + shape.last_event + shape.separator)});
  if (shape.whole) answer.pieces.push_back({.bytes = "0\r\n\r\n"});
  return answer;
}

// The same bytes in one send().
inline Answer at_once(const Answer& answer) {
  Piece all;
  for (const Piece& piece : answer.pieces) {
    all.bytes += piece.bytes;
    all.tokens += piece.tokens;
  }
  return {.pieces = {all}, .after = answer.after};
}

// The same bytes, one send() per byte.
inline Answer byte_by_byte(const Answer& answer) {
  Answer out{.pieces = {}, .after = answer.after};
  for (const Piece& piece : answer.pieces)
    for (std::size_t i = 0; i < piece.bytes.size(); ++i)
      out.pieces.push_back({.bytes = piece.bytes.substr(i, 1),
                            .wait_ns = 0,
                            .tokens = i + 1 == piece.bytes.size() ? piece.tokens : 0});
  return out;
}

// One JSON body with a length.
inline Answer body(int status, std::string_view json, After after = After::keep) {
  return {.pieces = {{.bytes = "HTTP/1.1 " + std::to_string(status) +
                               " X\r\nContent-Type: application/json\r\nContent-Length: " +
                               std::to_string(json.size()) + "\r\n\r\n" + std::string(json),
                      .wait_ns = 0,
                      .tokens = status == 200 ? 1 : 0}},
          .after = after};
}

// A script that gives the same answer to every request.
inline Script always(Answer answer) {
  return [shared = std::make_shared<const Answer>(std::move(answer))](const Request&) {
    return shared;
  };
}

// A script that gives SPECIAL to request NUMBER and USUAL to all others.
inline Script except(int number, Answer special, Answer usual) {
  return [number, one = std::make_shared<const Answer>(std::move(special)),
          other = std::make_shared<const Answer>(std::move(usual))](const Request& request) {
    return request.number == number ? one : other;
  };
}

}  // namespace orch::truth
