#include "wire/sse_parser.hpp"

#include <cstring>

namespace orch::wire {
namespace {

constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";

// Position of the first \n or \r, or the size.
std::size_t line_end(std::string_view bytes) {
  const void* newline = std::memchr(bytes.data(), '\n', bytes.size());
  const std::size_t end = newline == nullptr ? bytes.size() : static_cast<std::size_t>(static_cast<const char*>(newline) - bytes.data());
  const void* carriage_return = std::memchr(bytes.data(), '\r', end);
  return carriage_return == nullptr ? end : static_cast<std::size_t>(static_cast<const char*>(carriage_return) - bytes.data());
}

}  // namespace

void SseParser::reset() {
  line_.clear();
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
  if (line.empty()) {
    if (has_data_) sink.on_event();
    has_data_ = false;
    return;
  }
  const std::size_t colon = line.find(':');
  if (line.substr(0, colon) != "data") return;
  std::string_view value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (has_data_) sink.on_data("\n");
  has_data_ = true;
  sink.on_data(value);
}

}  // namespace orch::wire
