#include "bench/wire/http_parser.hpp"

#include "core/base/text.hpp"

#include <charconv>
#include <cstring>

namespace orch::wire {
namespace {

constexpr std::size_t k_head_limit_bytes = 64 * 1024;

// An HTTP/2 server begins with a SETTINGS frame: the length in its third byte is a multiple of six.
constexpr std::size_t k_http2_bytes = 5;
bool begins_http2(std::string_view bytes) {
  return bytes.size() >= k_http2_bytes && bytes[0] == 0 && bytes[1] == 0 &&
         static_cast<unsigned char>(bytes[2]) % 6 == 0 && bytes[3] == 4 && bytes[4] == 0;
}

// A TLS server answers plain text with an alert: type, version, length.
bool begins_alert(std::string_view bytes) { return bytes.starts_with("\x15\x03"); }

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return (x >= 'A' && x <= 'Z' ? static_cast<char>(x + 32) : x) == y;
         });
}

// Whether the comma-separated LIST contains WORD (in lower case).
bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (same_word(trim(list.substr(0, comma)), word)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

void HttpParser::reset() {
  state_ = State::head;
  body_ = Body::until_close;
  chunk_ = Chunk::size;
  started_ = false;
  head_ = {};
  left_ = 0;
  head_bytes_ = 0;
  line_.clear();
  error_.clear();
}

void HttpParser::fail(std::string message) {
  state_ = State::failed;
  head_.keep_alive = false;
  error_ = std::move(message);
}

std::size_t HttpParser::feed(std::string_view bytes, BodySink& sink) {
  std::size_t used = 0;
  if (!bytes.empty()) started_ = true;
  while (used < bytes.size()) {
    const std::string_view rest = bytes.substr(used);
    if (state_ == State::head) {
      used += feed_head(rest);
    } else if (state_ == State::body) {
      if (body_ == Body::chunked) used += feed_chunked(rest, sink);
      else if (body_ == Body::length) used += feed_length(rest, sink);
      else {
        sink.on_body(rest);
        used += rest.size();
      }
    } else {
      break;
    }
  }
  return used;
}

void HttpParser::finish() {
  head_.keep_alive = false;
  if (state_ == State::complete || state_ == State::failed) return;
  if (state_ == State::body && body_ == Body::until_close) {
    state_ = State::complete;
    return;
  }
  if (!started_) fail("the server closed the connection without an answer");
  else if (state_ == State::head) fail("the server closed the connection inside the answer's head");
  else fail("the answer's body was cut short: the server closed the connection before its end");
}

bool HttpParser::take_line(std::string_view bytes, std::size_t& used) {
  const void* end = std::memchr(bytes.data(), '\n', bytes.size());
  const std::size_t length =
      end == nullptr ? bytes.size()
                     : static_cast<std::size_t>(static_cast<const char*>(end) - bytes.data()) + 1;
  used = length;
  head_bytes_ += length;
  if (head_bytes_ > k_head_limit_bytes) {
    fail(fmt::format("the answer's head is longer than {} KiB; is this an HTTP server?",
                     k_head_limit_bytes / 1024));
    return false;
  }
  line_.append(bytes.substr(0, length));
  if (end == nullptr) return false;
  line_.pop_back();
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  return true;
}

std::size_t HttpParser::feed_head(std::string_view bytes) {
  if (head_.status == 0 && line_.size() < k_http2_bytes) {
    const std::size_t missing = std::min(k_http2_bytes - line_.size(), bytes.size());
    if (begins_http2(line_ + std::string(bytes.substr(0, missing)))) {
      fail(
          "it speaks HTTP/2; if this is the gRPC port, use grpc://HOST:PORT and --protocol "
          "triton-grpc");
      return missing;
    }
    if (begins_alert(line_ + std::string(bytes.substr(0, missing)))) {
      fail("it speaks TLS; is it https?");
      return missing;
    }
  }
  std::size_t used = 0;
  if (!take_line(bytes, used)) return used;
  read_head_line(line_);
  line_.clear();
  return used;
}

void HttpParser::read_head_line(std::string_view line) {
  if (head_.status == 0) return read_status_line(line);
  if (line.empty()) return end_of_head();
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos)
    return fail(
        fmt::format("the answer's head has a line without a colon: {}", line.substr(0, 80)));
  read_field(line.substr(0, colon), trim(line.substr(colon + 1)));
}

void HttpParser::read_status_line(std::string_view line) {
  const bool http1 = line.starts_with("HTTP/1.") && line.size() >= 12 && line[8] == ' ' &&
                     (line.size() == 12 || line[12] == ' ');
  int status = 0;
  if (http1) std::from_chars(line.data() + 9, line.data() + 12, status);
  if (status < 100)
    return fail(fmt::format("this is not an HTTP/1.1 answer: {}", line.substr(0, 80)));
  head_.status = status;
  head_.keep_alive = line[7] != '0';
}

void HttpParser::read_field(std::string_view name, std::string_view value) {
  if (same_word(name, "content-length")) {
    const auto before = left_;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), left_);
    if (body_ == Body::length && left_ != before)
      return fail(fmt::format("the answer has two lengths: {} and {}", before, left_));
    if (code != std::errc{} || end != value.data() + value.size())
      return fail(
          fmt::format("the answer's Content-Length is not a number: {}", value.substr(0, 80)));
    if (body_ != Body::chunked) body_ = Body::length;
  } else if (same_word(name, "transfer-encoding")) {
    if (has_word(value, "chunked")) body_ = Body::chunked;
  } else if (same_word(name, "content-type")) {
    head_.is_other_content =
        !same_word(trim(value.substr(0, value.find(';'))), "text/event-stream");
  } else if (same_word(name, "content-encoding")) {
    if (same_word(value, "identity") || value.empty()) return;
    head_.is_compressed = true;
    if (head_.status / 100 == 2)
      fail(fmt::format(
          "the answer is compressed (Content-Encoding: {}), although no compression was requested",
          printable(value.substr(0, 80))));
  } else if (same_word(name, "location")) {
    if (head_.status / 100 == 3) head_.redirect = value;
  } else if (same_word(name, "connection")) {
    if (has_word(value, "close")) head_.keep_alive = false;
    if (has_word(value, "keep-alive")) head_.keep_alive = true;
  }
}

void HttpParser::end_of_head() {
  if (head_.status < 200) {  // interim: the final head follows
    const bool started = started_;
    reset();
    started_ = started;
    return;
  }
  state_ = State::body;
  const bool no_body = head_.status == 204 || head_.status == 304;
  if (no_body || (body_ == Body::length && left_ == 0)) state_ = State::complete;
  if (body_ == Body::chunked) left_ = 0;
  if (body_ == Body::until_close && !no_body) head_.keep_alive = false;
  head_bytes_ = 0;
}

std::size_t HttpParser::feed_length(std::string_view bytes, BodySink& sink) {
  const std::size_t used = std::min<std::uint64_t>(left_, bytes.size());
  sink.on_body(bytes.substr(0, used));
  left_ -= used;
  if (left_ == 0) state_ = State::complete;
  return used;
}

std::size_t HttpParser::feed_chunked(std::string_view bytes, BodySink& sink) {
  std::size_t used = 0;
  if (chunk_ == Chunk::data) {
    used = std::min<std::uint64_t>(left_, bytes.size());
    sink.on_body(bytes.substr(0, used));
    left_ -= used;
    if (left_ == 0) chunk_ = Chunk::data_end;
    return used;
  }
  head_bytes_ = line_.size();
  if (!take_line(bytes, used)) return used;
  if (chunk_ == Chunk::size) {
    read_chunk_size(line_);
  } else if (chunk_ == Chunk::data_end) {
    if (!line_.empty()) fail("the answer's chunk is longer than its size says");
    chunk_ = Chunk::size;
  } else if (line_.empty()) {
    state_ = State::complete;
  }
  line_.clear();
  return used;
}

void HttpParser::read_chunk_size(std::string_view line) {
  const std::string_view digits = trim(line.substr(0, line.find(';')));
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), left_, 16);
  if (digits.empty() || code != std::errc{} || end != digits.data() + digits.size())
    return fail(
        fmt::format("the answer's chunk size is not a hexadecimal number: {}", line.substr(0, 80)));
  chunk_ = left_ == 0 ? Chunk::trailer : Chunk::data;
}

}  // namespace orch::wire
