// A TLS server without a thread: it acts only when a test calls it, so that the order of bytes is
// deterministic.
#pragma once

#include "bench/wire/driver.hpp"
#include "bench/wire/tls_relay.hpp"
#include "os/system/files.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <openssl/err.h>

namespace orch::truth {

class TlsByHand {
 public:
  explicit TlsByHand(const std::string& certificate = "good")
      : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free) {
    const std::string file = Authority::shared().certificate(certificate),
                      key = Authority::shared().key();
    if (SSL_CTX_use_certificate_file(context_.get(), file.c_str(), SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_use_PrivateKey_file(context_.get(), key.c_str(), SSL_FILETYPE_PEM) != 1)
      throw std::runtime_error("TLS by hand: no certificate");
    SSL_CTX_set_alpn_select_cb(context_.get(), agree, nullptr);
    listener_ =
        system::Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
        ::listen(listener_.get(), 16) != 0 ||
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0)
      throw std::runtime_error("TLS by hand: no socket");
    port_ = ntohs(address.sin_port);
  }

  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }

  // Lets DRIVER open its one connection. False: it failed.
  bool take(wire::Driver& driver) {
    driver.transport().grow(1);
    return driver.run_until([&] {
      if (!fd_) accept();
      if (fd_ && !SSL_is_init_finished(tls_.get())) SSL_accept(tls_.get());
      send();
      return driver.transport().warm(0) && fd_ && SSL_is_init_finished(tls_.get());
    });
  }

  // Encrypts BYTES into records, to be sent.
  void write(std::string_view bytes) {
    ASSERT_EQ(SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size())),
              static_cast<int>(bytes.size()));
  }
  // Queues close_notify; the connection stays open.
  void queue_close_notify() { SSL_shutdown(tls_.get()); }
  // Sends as many queued bytes as the socket accepts. True: all of them.
  bool send() {
    if (!fd_) return false;
    char* written = nullptr;
    const long size = BIO_get_mem_data(SSL_get_wbio(tls_.get()), &written);
    unsent_.append(written, static_cast<std::size_t>(size));
    (void)BIO_reset(SSL_get_wbio(tls_.get()));
    while (at_ < unsent_.size()) {
      const ssize_t sent = ::send(fd_.get(), unsent_.data() + at_, unsent_.size() - at_,
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent <= 0) return false;
      at_ += static_cast<std::size_t>(sent);
    }
    return true;
  }
  void reset() {
    const linger hard{.l_onoff = 1, .l_linger = 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    fd_ = {};
  }

 private:
  static int agree(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* in, unsigned, void*) {
    *out = in + 1;
    *out_size = in[0];
    return SSL_TLSEXT_ERR_OK;
  }

  void accept() {
    fd_ = system::Descriptor(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd_) return;
    const int on = 1;
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    tls_ = std::shared_ptr<SSL>(SSL_new(context_.get()), SSL_free);
    SSL_set_bio(tls_.get(), BIO_new_socket(fd_.get(), BIO_NOCLOSE), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(tls_.get());
  }

  std::shared_ptr<SSL_CTX> context_;
  system::Descriptor listener_;
  system::Descriptor fd_;
  std::uint16_t port_ = 0;
  std::shared_ptr<SSL> tls_;
  std::string unsent_;
  std::size_t at_ = 0;  // the next byte to send
};

}  // namespace orch::truth
