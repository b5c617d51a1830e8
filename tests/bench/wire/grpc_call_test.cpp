// Control calls to a server that sends without end: each ends at its timeout and keeps at most one
// message in memory.
#include "bench/wire/exchange.hpp"
#include "bench/wire/http_get.hpp"
#include "os/system/files.hpp"

#include <thread>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

namespace orch::wire {
namespace grpc_call_test {

std::string frame(char type, char stream, const std::string& payload) {
  const std::size_t size = payload.size();
  return std::string{static_cast<char>(size >> 16),
                     static_cast<char>(size >> 8),
                     static_cast<char>(size),
                     type,
                     0,
                     0,
                     0,
                     0,
                     stream} +
         payload;
}

// Sends its settings, then FIRST, then REST repeatedly, with PAUSE_MS between, until the client
// closes the connection; stops by itself after k_patience_ns.
class Flood {
 public:
  static constexpr std::int64_t k_patience_ns = 20'000'000'000;

  Flood(std::string first, std::string rest, int pause_ms = 0)
      : first_(std::move(first)),
        rest_(std::move(rest)),
        pause_ms_(pause_ms),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_.get(), 16), 0);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Flood() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::string name() const { return fmt::format("127.0.0.1:{}", port_); }
  Url url() const { return *parse_url("grpc://" + name()); }

 private:
  void serve() {
    const system::Descriptor fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd) return;
    const auto send = [&](std::string_view bytes) {
      while (!bytes.empty()) {
        const ssize_t sent = ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      }
      return true;
    };
    const std::int64_t until_ns = monotonic_ns() + k_patience_ns;
    if (send(frame(4, 0, "") + first_))
      while (monotonic_ns() < until_ns && send(rest_))
        if (pause_ms_ > 0) ::poll(nullptr, 0, pause_ms_);
  }

  std::string first_, rest_;
  int pause_ms_;
  system::Descriptor listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

// DATA is of type 0, HEADERS of 1, SETTINGS of 4. FIELDS in HPACK: "\x88" is ":status: 200",
// "\x08\x03" "103" is ":status: 103".
std::string head(const std::string& fields) {
  std::string out = frame(1, 1, fields);
  out[4] = 4;  // END_HEADERS
  return out;
}

const std::string k_interim_head = head(
    "\x08\x03"
    "103");

TEST(GrpcCall, EndsInTimeWhileBytesTrickleWithoutEnd) {
  Flood flood("", k_interim_head, 2);
  const auto answer = grpc_call(flood.url(), "/p.S/M", "", 50);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().kind, ErrorKind::timeout);
  EXPECT_EQ(answer.error().message, flood.name() + " did not answer in time");
}

TEST(GrpcCall, ReadsAtMostTheLimitOfAnAnswer) {
  std::string message(16'000, 'x');
  message.replace(0, 5, std::string("\0\0\0\x3e\x7b", 5));
  std::string heads;
  while (heads.size() < 1'000'000) heads += k_interim_head;
  for (const auto& [first, rest] : {std::pair{head("\x88"), frame(0, 1, message)}, {"", heads}}) {
    Flood flood(first, rest);
    const std::int64_t before_ns = thread_cpu_ns();
    const auto answer = grpc_call(flood.url(), "/p.S/M", "", 20'000);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().message, flood.name() + " answered /p.S/M with more than 1 MiB");
    EXPECT_LT(thread_cpu_ns() - before_ns, 500'000'000)
        << "a fraction of the timeout, in CPU time, which does not grow on a busy machine";
  }
}

}  // namespace grpc_call_test
}  // namespace orch::wire
