#include "bench/wire/tls.hpp"

#include "os/system/http/http.hpp"
#include "os/system/http/system_trust.hpp"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

namespace orch::wire {
namespace {

// The first queued error is the cause of the others.
std::string library_error() {
  const unsigned long code = ERR_peek_error();
  if (ERR_SYSTEM_ERROR(code)) return std::strerror(ERR_GET_REASON(code));
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "an error of the TLS library" : reason;
}

// The library's buffer holds one record of the maximum size; each read of the socket fills it once.
constexpr int k_socket_reads = 6;
constexpr std::size_t k_record_bytes = 17 * 1024;
static_assert((k_socket_reads + 1) * k_record_bytes <= TlsSession::k_read_bytes,
              "all buffered bytes must fit as well");

int result_of(BIO* bio, ssize_t count, int retry) {
  BIO_clear_retry_flags(bio);
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
  return static_cast<int>(count);
}

}  // namespace

// The library's input and output. The library's own socket BIO would raise SIGPIPE if the peer is
// gone.
struct TlsSession::Socket {
  int fd = -1;
  int reads_left = 0;  // at 0 it reports an empty socket until the next call

  static Socket& of(BIO* bio) { return *static_cast<Socket*>(BIO_get_data(bio)); }
  static const BIO_METHOD* method();
};

const BIO_METHOD* TlsSession::Socket::method() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "socket without signals");
    BIO_meth_set_read(made, [](BIO* bio, char* buffer, int size) {
      Socket& socket = of(bio);
      if (socket.reads_left == 0) {
        errno = EAGAIN;
        return result_of(bio, -1, BIO_FLAGS_READ);
      }
      --socket.reads_left;
      const ssize_t count = ::recv(socket.fd, buffer, static_cast<std::size_t>(size), 0);
      if (count == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
      return result_of(bio, count, BIO_FLAGS_READ);
    });
    BIO_meth_set_write(made, [](BIO* bio, const char* bytes, int size) {
      return result_of(bio, ::send(of(bio).fd, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL),
                       BIO_FLAGS_WRITE);
    });
    BIO_meth_set_ctrl(made, [](BIO* bio, int command, long, void*) {
      if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1L : 0L;
      return command == BIO_CTRL_FLUSH ? 1L : 0L;
    });
    BIO_meth_set_create(made, [](BIO* bio) {
      BIO_set_init(bio, 1);
      return 1;
    });
    return made;
  }();
  return method;
}

namespace {

Status trust(ssl_ctx_st* context, const Access& access) {
  if (!access.verify) return {};
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (access.ca_file.empty()) return system::trust_system(context);
  ERR_clear_error();
  if (SSL_CTX_load_verify_locations(context, access.ca_file.c_str(), nullptr) == 1) return {};
  return invalid(fmt::format(
      "--ca-file '{}' has no certificates that can be read: {}; give a file in PEM format",
      access.ca_file, library_error()));
}

bool is_address(const std::string& host) {
  unsigned char buffer[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), buffer) == 1 ||
         inet_pton(AF_INET6, host.c_str(), buffer) == 1;
}

}  // namespace

TlsContext::TlsContext(const Access& access, std::string_view alpn)
    : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free), alpn_(alpn) {
  SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
  // Many servers close without the close_notify that the standard requires; HTTP delimits bodies
  // itself.
  SSL_CTX_set_options(context_.get(), SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context_.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(context_.get(), 1);  // otherwise each record costs two system calls
  if (!alpn_.empty()) {
    const std::string list = std::string(1, static_cast<char>(alpn_.size())) + alpn_;
    SSL_CTX_set_alpn_protos(context_.get(), reinterpret_cast<const unsigned char*>(list.data()),
                            static_cast<unsigned>(list.size()));
  }
  ready_ = trust(context_.get(), access);
}

std::unique_ptr<TlsContext> TlsContext::for_endpoints(std::span<const Endpoint> endpoints,
                                                      const Access& access, std::string_view alpn) {
  const bool needed = std::ranges::any_of(endpoints, &Endpoint::tls);
  return needed ? std::make_unique<TlsContext>(access, alpn) : nullptr;
}

TlsSession::TlsSession(const TlsContext& context, int fd, const std::string& host)
    : socket_(std::make_shared<Socket>(Socket{.fd = fd})),
      tls_(SSL_new(context.context_.get()), SSL_free),
      host_(host),
      alpn_(context.alpn_) {
  BIO* bio = BIO_new(Socket::method());
  BIO_set_data(bio, socket_.get());
  SSL_set_bio(tls_.get(), bio, bio);
  SSL_set_connect_state(tls_.get());
  if (is_address(host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls_.get()), host.c_str());
  } else {
    SSL_set_tlsext_host_name(tls_.get(), host.c_str());
    SSL_set1_host(tls_.get(), host.c_str());
  }
}

void TlsSession::begin_call() {
  ERR_clear_error();
  errno = 0;
  socket_->reads_left = k_socket_reads;
}

TlsSession::Step TlsSession::handshake() {
  begin_call();
  const int result = SSL_do_handshake(tls_.get());
  if (result != 1) {
    const int code = SSL_get_error(tls_.get(), result);
    if (code == SSL_ERROR_WANT_READ) return Step::wants_read;
    if (code == SSL_ERROR_WANT_WRITE) return Step::wants_write;
    trouble_ = words(code) + (code == SSL_ERROR_SSL ? "" : "; is it http?");
    return Step::failed;
  }
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(tls_.get(), &chosen, &size);
  if (alpn_.empty() || alpn_ == std::string_view(reinterpret_cast<const char*>(chosen), size))
    return Step::done;
  trouble_ = "it does not offer HTTP/2; is this the gRPC port?";
  return Step::failed;
}

std::string TlsSession::words(int code) const {
  // The library verifies, and has a verdict, even if verification is off.
  const long verdict = SSL_get_verify_mode(tls_.get()) == SSL_VERIFY_NONE
                           ? X509_V_OK
                           : SSL_get_verify_result(tls_.get());
  if (verdict != X509_V_OK) return system::certificate_refusal(verdict, host_);
  const int reason = ERR_GET_REASON(ERR_peek_last_error());
  if (code == SSL_ERROR_SSL &&
      (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_PACKET_LENGTH_TOO_LONG))
    return "it does not speak TLS; if it serves plain HTTP, drop the 's' from the URL's scheme";
  if (code == SSL_ERROR_SSL) return library_error();
  return errno != 0 ? std::strerror(errno) : "the server closed the connection";
}

// Translates a read or write without bytes into the results of recv() and send().
ssize_t TlsSession::explain(int result) {
  const int code = SSL_get_error(tls_.get(), result);
  if (code == SSL_ERROR_ZERO_RETURN) return 0;
  const bool again = code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE;
  if (!again) trouble_ = words(code);
  errno = again ? EAGAIN : EPROTO;
  return -1;
}

ssize_t TlsSession::read(char* buffer, std::size_t size) {
  begin_call();
  std::size_t filled = 0;
  int result = 1;
  // The library returns one record per call; timestamps need everything that arrived together.
  while (filled < size && (filled == 0 || SSL_has_pending(tls_.get()) != 0)) {
    result = SSL_read(tls_.get(), buffer + filled, static_cast<int>(size - filled));
    if (result <= 0) break;
    filled += static_cast<std::size_t>(result);
  }
  return filled > 0 ? static_cast<ssize_t>(filled) : explain(result);
}

ssize_t TlsSession::write(const char* bytes, std::size_t size) {
  begin_call();
  const int result =
      SSL_write(tls_.get(), bytes, static_cast<int>(std::min<std::size_t>(size, 1 << 30)));
  return result > 0 ? result : explain(result);
}

bool TlsSession::at_end() const {
  return (SSL_get_shutdown(tls_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
}

}  // namespace orch::wire
