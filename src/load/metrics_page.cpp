#include "load/metrics_page.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/text.hpp"
#include "load/clock.hpp"
#include "load/http_parser.hpp"
#include "load/socket.hpp"

namespace orch::load {
namespace {

// Where the series name of LINE ends: before the blank that precedes the value. Label values may hold blanks and braces.
std::size_t series_end(std::string_view line) {
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (quoted && c == '\\') ++at;
    else if (c == '"') quoted = !quoted;
    else if (!quoted && c == '}') return at + 1;
    else if (!quoted && (c == ' ' || c == '\t') && line.find('{') > at) return at;
  }
  return line.size();
}

class Text final : public BodySink {
 public:
  void on_body(std::string_view piece) override { text.append(piece); }
  std::string text;
};

Error no_answer(const Url& url, std::string_view why) {
  return Error{.kind = ErrorKind::unavailable, .message = fmt::format("http://{}{} did not answer: {}", url.authority(), url.path, why), .where = {}};
}

Status wait_for(int fd, short events, const Url& url, std::int64_t deadline_ns) {
  pollfd poll_fd{.fd = fd, .events = events, .revents = 0};
  const auto left_ms = (deadline_ns - monotonic_ns()) / 1'000'000;
  const int ready = left_ms <= 0 ? 0 : ::poll(&poll_fd, 1, static_cast<int>(left_ms));
  if (ready < 0 && errno == EINTR) return Error{.kind = ErrorKind::interrupted, .message = "interrupted while reading a metrics page", .where = {}};
  if (ready < 0) return no_answer(url, std::strerror(errno));
  if (ready == 0) return no_answer(url, "time ran out");
  return {};
}

Status send_all(int fd, std::string_view bytes, const Url& url, std::int64_t deadline_ns) {
  while (!bytes.empty()) {
    ORCH_TRY(wait_for(fd, POLLOUT, url, deadline_ns));
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return no_answer(url, std::strerror(errno));
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Status receive(int fd, HttpParser& parser, Text& body, const Url& url, std::int64_t deadline_ns) {
  char buffer[16 * 1024];
  while (!parser.complete() && !parser.failed()) {
    ORCH_TRY(wait_for(fd, POLLIN, url, deadline_ns));
    const ssize_t received = ::recv(fd, buffer, sizeof buffer, 0);
    if (received < 0 && errno != EAGAIN) return no_answer(url, std::strerror(errno));
    if (received == 0) parser.finish();
    if (received > 0) parser.feed({buffer, static_cast<std::size_t>(received)}, body);
  }
  if (parser.failed()) return no_answer(url, parser.error());
  return {};
}

std::optional<double> grown(const MetricsPage& before, const MetricsPage& after, std::string_view name) {
  const std::optional<double> now = family_sum(after, name);
  if (!now) return {};
  return *now - family_sum(before, name).value_or(0);
}

}  // namespace

MetricsPage parse_metrics_page(std::string_view text) {
  MetricsPage page;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const std::size_t split_at = series_end(line);
    std::string_view value_text = trim(line.substr(split_at));
    value_text = value_text.substr(0, value_text.find_first_of(" \t"));  // a timestamp may follow
    const auto value = to_real(value_text);
    if (value && std::isfinite(*value)) page.insert_or_assign(std::string(trim(line.substr(0, split_at))), *value);
  }
  return page;
}

Result<std::string> http_get(const Url& url, int timeout_ms) {
  const std::int64_t deadline_ns = monotonic_ns() + timeout_ms * std::int64_t{1'000'000};
  ORCH_ASSIGN(const Endpoint endpoint, resolve(url));
  bool pending = false;
  const system::Descriptor fd = start_connect(endpoint, pending);
  if (!fd) return connect_error(endpoint, errno);
  if (pending) ORCH_TRY(wait_connected(fd.get(), endpoint, deadline_ns));
  const std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", url.path.empty() ? "/" : url.path, url.authority());
  ORCH_TRY(send_all(fd.get(), request, url, deadline_ns));
  HttpParser parser;
  Text body;
  ORCH_TRY(receive(fd.get(), parser, body, url, deadline_ns));
  if (parser.status() != 200) return no_answer(url, fmt::format("HTTP {}", parser.status()));
  return std::move(body.text);
}

std::optional<double> family_sum(const MetricsPage& page, std::string_view name) {
  std::optional<double> sum;
  for (auto series = page.lower_bound(name); series != page.end() && series->first.starts_with(name); ++series) {
    const std::string_view rest = std::string_view(series->first).substr(name.size());
    if (rest.empty() || rest.front() == '{') sum = sum.value_or(0) + series->second;
  }
  return sum;
}

measure::ServerCounts growth(const MetricsPage& before, const MetricsPage& after) {
  return {.input_tokens = grown(before, after, "nv_llm_input_token_len_sum"),
          .input_requests = grown(before, after, "nv_llm_input_token_len_count"),
          .output_tokens = grown(before, after, "nv_llm_output_token_len_sum"),
          .output_requests = grown(before, after, "nv_llm_output_token_len_count")};
}

}  // namespace orch::load
