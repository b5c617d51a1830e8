// The sockets of a test server on the loopback: a listener, an epoll set and a way to wake the
// thread that waits on them. It knows no protocol.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace orch::truth {

inline std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Pins the calling thread; a negative CPU pins it to none.
inline void pin_thread(int cpu) {
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

// Used by one thread, except for stop() and the getters. A failing system call throws.
class Loopback {
 public:
  Loopback() {
    listener_ = checked(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    checked(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address));
    checked(::listen(listener_, 1024));
    socklen_t length = sizeof address;
    checked(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length));
    port_ = ntohs(address.sin_port);
    epoll_ = checked(::epoll_create1(EPOLL_CLOEXEC));
    wake_ = checked(::eventfd(0, EFD_CLOEXEC));
    watch(listener_);
    watch(wake_);
  }
  Loopback(const Loopback&) = delete;
  Loopback& operator=(const Loopback&) = delete;
  ~Loopback() {
    stop_listening();
    ::close(epoll_);
    ::close(wake_);
  }

  std::uint16_t port() const { return port_; }
  bool stopped() const { return stopped_; }

  // From any thread: ends the wait() of the server's thread.
  void stop() {
    stopped_ = true;
    const std::uint64_t one = 1;
    if (::write(wake_, &one, sizeof one) != sizeof one) std::abort();
  }

  void stop_listening() {
    if (const int fd = std::exchange(listener_, -1); fd >= 0) ::close(fd);
  }

  // A connection without Nagle's delay, not watched yet; negative if it is gone.
  int accept() const {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int on = 1;
    if (fd >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
  }

  void watch(int fd) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    checked(::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event));
  }

  // Waits at most WAIT_NS, or without limit if it is negative. Calls ON_CONNECTION() when there is
  // one to accept, ON_DATA(fd) for each watched descriptor; both return false to end the calls.
  template <class OnConnection, class OnData>
  void wait(std::int64_t wait_ns, OnConnection on_connection, OnData on_data) const {
    std::array<epoll_event, 256> events;
    const timespec wait{.tv_sec = wait_ns / 1'000'000'000, .tv_nsec = wait_ns % 1'000'000'000};
    const int ready = ::epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()),
                                     wait_ns < 0 ? nullptr : &wait, nullptr);
    for (int i = 0; i < ready; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == wake_) continue;
      if (!(fd == listener_ ? on_connection() : on_data(fd))) return;
    }
  }

 private:
  static int checked(int result) {
    if (result < 0) throw std::runtime_error("test server: a system call failed");
    return result;
  }

  int listener_ = -1;
  int epoll_ = -1;
  int wake_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace orch::truth
