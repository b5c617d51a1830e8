// A relay that terminates TLS in front of a plain server, so that tests can reach every server over
// TLS; and a temporary authority that issues its certificates.
#pragma once

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace orch::truth {

// Certificates in a temporary folder, each made when it is first used.
class Authority {
 public:
  // The one that a test program needs.
  static const Authority& shared() {
    static const Authority one;
    return one;
  }

  Authority()
      : folder_(std::filesystem::temp_directory_path() /
                ("orchestrate-tls-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    run("req -x509 " + std::string(k_new_key) +
        " -keyout ca.key -out ca.pem -subj /CN=throw-away -days 2");
    run("req " + std::string(k_new_key) + " -keyout leaf.key -out leaf.csr -subj /CN=leaf");
  }
  ~Authority() { std::filesystem::remove_all(folder_); }
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  std::string file(const std::string& name) const { return folder_ / name; }
  std::string key() const { return file("leaf.key"); }
  // NAME: "good", "expired", "elsewhere" (for another host) or "alone" (self-signed).
  std::string certificate(const std::string& name) const {
    const std::string out = file(name + ".pem");
    if (std::filesystem::exists(out)) return out;
    if (name == "alone")
      run("req -x509 -key leaf.key -out alone.pem -subj /CN=alone -addext "
          "subjectAltName=IP:127.0.0.1 -days 2");
    else if (name == "elsewhere") issue(name, "subjectAltName=DNS:elsewhere.example", 2);
    else issue(name, "subjectAltName=IP:127.0.0.1,DNS:localhost", name == "expired" ? 0 : 2);
    return out;
  }

 private:
  static constexpr const char* k_new_key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes";

  void issue(const std::string& name, const std::string& extension, int days) const {
    std::ofstream(file("extensions")) << extension << '\n';
    run("x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -set_serial 1 -extfile extensions -out " +
        name + ".pem -days " + std::to_string(days));
  }
  void run(const std::string& arguments) const {
    const std::string command =
        "cd '" + folder_.string() + "' && openssl " + arguments + " >log 2>&1";
    if (std::system(command.c_str()) != 0)
      throw std::runtime_error("openssl " + arguments + " failed");
  }

  std::filesystem::path folder_;
};

class TlsRelay {
 public:
  // To the server on port TO, with one of the shared authority's certificates. ALPN: the protocol
  // that it agrees to, "" for none. HOLD_MS: how long each handshake takes.
  explicit TlsRelay(std::uint16_t to, std::string alpn = "", const std::string& name = "good",
                    int hold_ms = 0)
      : to_(to),
        alpn_(std::move(alpn)),
        hold_ms_(hold_ms),
        context_(SSL_CTX_new(TLS_server_method())) {
    const std::string certificate = Authority::shared().certificate(name),
                      key = Authority::shared().key();
    if (SSL_CTX_use_certificate_file(context_, certificate.c_str(), SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_use_PrivateKey_file(context_, key.c_str(), SSL_FILETYPE_PEM) != 1)
      throw std::runtime_error("TLS relay: no certificate");
    SSL_CTX_set_alpn_select_cb(context_, choose, this);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(0);
    socklen_t length = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 16) != 0)
      throw std::runtime_error("TLS relay: no socket");
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    stop_ = ::eventfd(0, EFD_CLOEXEC);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  TlsRelay(const TlsRelay&) = delete;
  TlsRelay& operator=(const TlsRelay&) = delete;
  ~TlsRelay() {
    const std::uint64_t one = 1;
    if (::write(stop_, &one, sizeof one) != sizeof one) std::abort();
    acceptor_.join();
    for (std::thread& thread : relays_) thread.join();
    ::close(listener_);
    ::close(stop_);
    SSL_CTX_free(context_);
  }

  std::uint16_t port() const { return port_; }

 private:
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

  static int choose(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* in, unsigned in_size, void* self) {
    const std::string& wanted = static_cast<TlsRelay*>(self)->alpn_;
    for (unsigned at = 0; at < in_size; at += 1u + in[at]) {
      *out = in + at + 1;
      *out_size = in[at];
      if (wanted == std::string(reinterpret_cast<const char*>(*out), *out_size))
        return SSL_TLSEXT_ERR_OK;
    }
    return SSL_TLSEXT_ERR_NOACK;
  }

  // False: the relay must stop.
  bool wait_for(int a, int b) const {
    std::array<pollfd, 3> fds = {{{stop_, POLLIN, 0}, {a, POLLIN, 0}, {b, POLLIN, 0}}};
    return ::poll(fds.data(), b < 0 ? 2 : 3, -1) > 0 && fds[0].revents == 0;
  }

  bool hold() const {
    pollfd stop{stop_, POLLIN, 0};
    return ::poll(&stop, 1, hold_ms_) == 0;
  }

  void accept_all() {
    while (wait_for(listener_, -1)) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd >= 0) relays_.emplace_back([this, fd] { relay(fd); });
    }
  }

  void relay(int front) {
    // The library writes to sockets whose peer has closed.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    const int back = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(to_);
    const int on = 1;
    for (const int fd : {front, back}) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    SSL* tls = SSL_new(context_);
    SSL_set_fd(tls, front);
    if (wait_for(front, -1) && hold() && SSL_accept(tls) == 1 &&
        ::connect(back, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      while (wait_for(front, back) && pass_on(tls, front, back)) {
      }
    SSL_free(tls);
    ::close(front);
    ::close(back);
  }

  static bool readable(int fd) {
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, 0) > 0;
  }

  // Passes on the available bytes in both directions, one record per read: the client sees the
  // server's splits.
  static bool pass_on(SSL* tls, int front, int back) {
    char buffer[16 * 1024];
    if (readable(front)) {
      do {
        const int size = SSL_read(tls, buffer, sizeof buffer);
        if (size <= 0 || ::send(back, buffer, static_cast<std::size_t>(size), MSG_NOSIGNAL) != size)
          return false;
      } while (SSL_pending(tls) > 0);
    }
    if (!readable(back)) return true;
    const ssize_t size = ::recv(back, buffer, sizeof buffer, 0);
    return size > 0 && SSL_write(tls, buffer, static_cast<int>(size)) == size;
  }

  std::uint16_t to_;
  std::string alpn_;
  int hold_ms_;
  SSL_CTX* context_;
  int listener_ = -1;
  int stop_ = -1;
  std::uint16_t port_ = 0;
  std::vector<std::thread> relays_;  // used by the acceptor's thread until it has ended
  std::thread acceptor_;
};

}  // namespace orch::truth
