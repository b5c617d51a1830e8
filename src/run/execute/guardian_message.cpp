#include "run/execute/guardian_message.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace orch::execute {

namespace {

// Written as bytes, because arguments, environments and paths need not be UTF-8.
template <class Message> std::string line_of(const Message& message) {
  return std::visit([](const auto& one) { return json_text(object_of(one), Texting::bytes); },
                    message);
}

// Returns whether OBJECT is a T. Stores it in MESSAGE if it is readable.
template <class T, class Message>
bool is_read(const Object& object, const Value& value, std::optional<Message>& message) {
  if (!member_of(object, k_fields<T>.front().key)) return false;
  T one{};
  if (read_object(one, value)) message = std::move(one);
  return true;
}

template <class... Messages>
std::optional<std::variant<Messages...>> message_in(const std::string& line,
                                                    const std::variant<Messages...>& /*any*/) {
  std::optional<std::variant<Messages...>> message;
  const auto value = parse_value(line, Texting::bytes);
  const auto* object = value ? std::get_if<Object>(&*value) : nullptr;
  if (object) static_cast<void>((is_read<Messages>(*object, *value, message) || ...));
  return message;
}

constexpr std::size_t k_most_line_bytes = 16 << 20;
constexpr int k_send_ms = 10000;
constexpr int k_most_waiting = 64;

struct Address {
  sockaddr_un address{};
  socklen_t size = 0;
};

Address address_of(const std::string& name) {
  Address result;
  result.address.sun_family = AF_UNIX;
  const std::string full = "orchestrate-" + name;  // preceded by a zero byte
  std::memcpy(result.address.sun_path + 1, full.data(),
              std::min(full.size(), sizeof result.address.sun_path - 1));
  result.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + full.size());
  return result;
}

}  // namespace

std::string to_line(const Request& request) { return line_of(request); }
std::string to_line(const Reply& reply) { return line_of(reply); }
std::optional<Request> parse_request(const std::string& line) {
  return message_in(line, Request());
}
std::optional<Reply> parse_reply(const std::string& line) { return message_in(line, Reply()); }

Channel::Channel(system::Descriptor socket) : socket_(std::move(socket)) {
  ::fcntl(socket_.get(), F_SETFL, ::fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
}

Peer Channel::peer() const {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return {.pid = 0, .uid = ~0U};
  return {.pid = credentials.pid, .uid = credentials.uid};
}

bool Channel::send(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count =
        ::send(socket_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    pollfd wait{socket_.get(), POLLOUT, 0};
    if (::poll(&wait, 1, k_send_ms) == 0) return false;
  }
  return true;
}

bool Channel::fill() {
  char buffer[64 << 10];
  while (text_.size() < k_most_line_bytes) {
    const ssize_t count = ::recv(socket_.get(), buffer, sizeof buffer, 0);
    if (count > 0) text_.append(buffer, static_cast<std::size_t>(count));
    else if (count == 0) return false;
    else if (errno != EINTR) return errno == EAGAIN;
  }
  return text_.find('\n') != std::string::npos;
}

std::optional<std::string> Channel::next_line() {
  const auto end = text_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = text_.substr(0, end);
  text_.erase(0, end + 1);
  return line;
}

std::optional<std::string> Channel::wait_line(system::Clock& clock, double within_s) {
  const double until_s = clock.now_s() + within_s;
  while (true) {
    const bool open = fill();
    if (auto line = next_line()) return line;
    const double left_s = until_s - clock.now_s();
    if (!open || left_s <= 0) return std::nullopt;
    pollfd wait{socket_.get(), POLLIN, 0};
    ::poll(&wait, 1, static_cast<int>(left_s * 1000) + 1);
  }
}

Result<system::Descriptor> listen_as(const std::string& name) {
  system::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const Address at = address_of(name);
  if (!socket ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&at.address), at.size) != 0 ||
      ::listen(socket.get(), k_most_waiting) != 0)
    return io_error("listen as guardian", name, errno);
  return socket;
}

std::optional<system::Descriptor> connect_to(const std::string& name) {
  system::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const Address at = address_of(name);
  if (!socket ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&at.address), at.size) != 0)
    return std::nullopt;
  return socket;
}

}  // namespace orch::execute
