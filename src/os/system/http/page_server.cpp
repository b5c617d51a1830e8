#include "os/system/http/page_server.hpp"

#include "core/base/text.hpp"
#include "os/system/clock.hpp"

#include <cerrno>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

namespace orch::system {

namespace {

constexpr std::size_t k_most_head = 16 * 1024;
constexpr std::size_t k_most_connections = 64;
constexpr double k_patience_s = 10;  // for a whole request, and for reading the answer
constexpr int k_poll_ms = 200;

std::string response(std::string_view status, std::string_view headers, std::string_view body,
                     std::size_t length) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n"
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
      "Cache-Control: no-store\r\n{}\r\n{}",
      status, length, headers, body);
}

std::string refusal(std::string_view status) {
  return response(status, "Content-Type: text/plain\r\n", "", 0);
}

}  // namespace

PageRequest parse_page_request(std::string_view text) {
  PageRequest out;
  const std::size_t end = text.find("\r\n\r\n");
  out.is_complete = end != std::string_view::npos;
  if (!out.is_complete) return out;
  const std::vector<std::string> lines = split(text.substr(0, end), '\n');
  const std::vector<std::string> words = split(trim(lines.front()), ' ');
  out.is_http = words.size() == 3 && words[2].starts_with("HTTP/1.");
  if (!out.is_http) return out;
  out.method = words[0];
  out.path = words[1].substr(0, words[1].find('?'));
  std::size_t hosts = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(':');
    if (colon == std::string::npos || lower(lines[i].substr(0, colon)) != "host") continue;
    out.host = std::string(trim(std::string_view(lines[i]).substr(colon + 1)));
    ++hosts;
  }
  if (hosts != 1) out.host.clear();
  return out;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const char other = i < a.size() ? a[i] : '\0';
    difference |= static_cast<unsigned char>(b[i]) ^ static_cast<unsigned char>(other);
  }
  return difference == 0;
}

Result<std::string> random_token() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes))
    return io_error("read", "random numbers of the kernel", errno);
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

Result<PageServer> PageServer::listen(std::string token) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (!socket || ::bind(socket.get(), generic, size) != 0 || ::listen(socket.get(), 16) != 0 ||
      ::getsockname(socket.get(), generic, &size) != 0)
    return io_error("listen on", "127.0.0.1", errno);
  return PageServer(std::move(socket), ntohs(address.sin_port), std::move(token));
}

std::string PageServer::address() const {
  return fmt::format("http://127.0.0.1:{}/{}", port_, token_);
}

std::string PageServer::answer(const PageRequest& request,
                               const std::function<Page()>& page) const {
  if (!request.is_http) return refusal("400 Bad Request");
  // A request by another name comes from a foreign page whose name now resolves to this address.
  if (request.host != fmt::format("127.0.0.1:{}", port_)) return refusal("404 Not Found");
  if (!equal_in_constant_time(request.path, "/" + token_)) return refusal("404 Not Found");
  if (request.method != "GET" && request.method != "HEAD") return refusal("405 Method Not Allowed");
  const Page now = page();
  const std::string headers = fmt::format(
      "Content-Type: text/html; charset=utf-8\r\nETag: \"{}\"\r\nContent-Security-Policy: {}; "
      "frame-ancestors 'none'\r\nX-Frame-Options: DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n",
      now.version, now.policy);
  return response("200 OK", headers, request.method == "GET" ? now.html : "", now.html.size());
}

void PageServer::accept_all(double now) {
  while (connections_.size() < k_most_connections) {
    Descriptor socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return;
    connections_.push_back({std::move(socket), "", "", now + k_patience_s});
  }
}

bool PageServer::move_on(Connection& connection, short events,
                         const std::function<Page()>& page) const {
  if (kernel_seconds(CLOCK_MONOTONIC) > connection.deadline_s) return false;
  if ((events & (POLLIN | POLLHUP | POLLERR)) != 0 && connection.out.empty()) {
    char buffer[4096];
    const ssize_t got = ::recv(connection.socket.get(), buffer, sizeof buffer, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN)) return false;
    if (got > 0) connection.in.append(buffer, static_cast<std::size_t>(got));
    const PageRequest request = parse_page_request(connection.in);
    if (request.is_complete) connection.out = answer(request, page);
    else if (connection.in.size() > k_most_head)
      connection.out = refusal("431 Request Header Fields Too Large");
    if (!connection.out.empty())
      connection.deadline_s = kernel_seconds(CLOCK_MONOTONIC) + k_patience_s;
  }
  if (connection.out.empty()) return true;
  const ssize_t sent =
      ::send(connection.socket.get(), connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN;
  connection.out.erase(0, static_cast<std::size_t>(sent));
  if (!connection.out.empty()) return true;
  ::shutdown(connection.socket.get(), SHUT_WR);
  return false;
}

Status PageServer::serve(const std::function<Page()>& page, const std::function<bool()>& stop) {
  while (!stop()) {
    std::vector<pollfd> watched;
    for (const Connection& connection : connections_)
      watched.push_back({connection.socket.get(),
                         static_cast<short>(connection.out.empty() ? POLLIN : POLLOUT), 0});
    if (connections_.size() < k_most_connections) watched.push_back({socket_.get(), POLLIN, 0});
    if (::poll(watched.data(), watched.size(), k_poll_ms) < 0 && errno != EINTR)
      return io_error("wait for", "browsers", errno);
    std::vector<Connection> open;
    for (std::size_t i = 0; i < connections_.size(); ++i)
      if (move_on(connections_[i], watched[i].revents, page))
        open.push_back(std::move(connections_[i]));
    connections_ = std::move(open);
    accept_all(kernel_seconds(CLOCK_MONOTONIC));
  }
  return {};
}

}  // namespace orch::system
