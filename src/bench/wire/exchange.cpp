#include "bench/wire/exchange.hpp"

#include "core/base/json_scan.hpp"

#include <cstring>

#include <nlohmann/json.hpp>

namespace orch::wire {

namespace {

constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";

// Position of the first \n or \r, or the size.
std::size_t line_end(std::string_view bytes) {
  const void* newline = std::memchr(bytes.data(), '\n', bytes.size());
  const std::size_t end =
      newline == nullptr
          ? bytes.size()
          : static_cast<std::size_t>(static_cast<const char*>(newline) - bytes.data());
  const void* carriage_return = std::memchr(bytes.data(), '\r', end);
  return carriage_return == nullptr
             ? end
             : static_cast<std::size_t>(static_cast<const char*>(carriage_return) - bytes.data());
}

std::string error_of(std::string_view text) { return dump(nlohmann::json{{"error", text}}); }

}  // namespace

void SseParser::reset() {
  line_.clear();
  comment_.clear();
  is_error_ = is_named_ = false;
  has_data_ = false;
  after_return_ = false;
  at_start_ = true;
}

void SseParser::feed(std::string_view bytes, EventSink& sink) {
  while (!bytes.empty()) {
    if (after_return_) {
      after_return_ = false;
      if (bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
    }
    const std::size_t end = line_end(bytes);
    if (end == bytes.size()) {
      line_.append(bytes);
      return;
    }
    after_return_ = bytes[end] == '\r';
    if (line_.empty()) {
      take_line(bytes.substr(0, end), sink);
    } else {
      line_.append(bytes.substr(0, end));
      take_line(line_, sink);
      line_.clear();
    }
    bytes.remove_prefix(end + 1);
  }
}

void SseParser::take_line(std::string_view line, EventSink& sink) {
  if (at_start_) {
    at_start_ = false;
    if (line.starts_with(k_byte_order_mark)) line.remove_prefix(k_byte_order_mark.size());
  }
  if (line.empty()) return end_event(sink);
  if (line.front() == '{' && !has_data_) return take_data(line, sink);
  const std::size_t colon = line.find(':');
  const std::string_view field = line.substr(0, colon);
  std::string_view value =
      colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  const bool object = value.starts_with('{');
  if (field == "data" && is_error_ && !has_data_ && !object) take_data(error_of(value), sink);
  else if (field == "data") take_data(value, sink);
  else if (field == "error")
    take_data(object ? fmt::format(R"({{"error":{}}})", value) : error_of(value), sink);
  else if (field == "event") take_type(value);
  else if (field.empty() && is_error_) comment_ = value;
}

void SseParser::take_type(std::string_view type) {
  is_error_ = type == "error";
  is_named_ = !is_error_ && !type.empty() && type != "message";
}

void SseParser::take_data(std::string_view value, EventSink& sink) {
  if (has_data_) sink.on_data("\n");
  has_data_ = true;
  sink.on_data(value);
}

void SseParser::end_event(EventSink& sink) {
  if (is_error_ && !has_data_)
    take_data(error_of(comment_.empty() ? "an event of type error without a text" : comment_),
              sink);
  if (has_data_) sink.on_event(is_named_);
  has_data_ = is_error_ = is_named_ = false;
  comment_.clear();
}

void SseParser::finish(EventSink& sink) {
  if (!line_.empty()) take_line(std::exchange(line_, {}), sink);
}

}  // namespace orch::wire
