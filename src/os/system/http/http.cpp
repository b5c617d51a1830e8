#include "os/system/http/http.hpp"

#include "os/system/http/system_trust.hpp"

#include <cerrno>
#include <cstring>

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>

namespace orch::system {

namespace {

using Curl = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using List = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

// A part of URL, or "".
std::string part_of(const std::string& url, CURLUPart part) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), &curl_url_cleanup);
  char* text = nullptr;
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK ||
      curl_url_get(parsed.get(), part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK)
    return "";
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, &curl_free);
  return text;
}

List headers_of(const HttpRequest& request) {
  curl_slist* lines = nullptr;
  if (!request.body.empty()) lines = curl_slist_append(lines, "Content-Type: application/json");
  if (!request.authorization.empty())
    lines = curl_slist_append(lines, ("Authorization: " + request.authorization).c_str());
  for (const std::string& line : request.headers) lines = curl_slist_append(lines, line.c_str());
  return {lines, &curl_slist_free_all};
}

// "HOST:PORT:ADDRESS,ADDRESS" of the URL; null without addresses.
List places_of(const HttpRequest& request) {
  curl_slist* lines = nullptr;
  const std::string host = part_of(request.url, CURLUPART_HOST);
  if (!request.addresses.empty() && host != request.addresses.front())
    lines =
        curl_slist_append(lines, fmt::format("{}:{}:{}", host, part_of(request.url, CURLUPART_PORT),
                                             fmt::join(request.addresses, ","))
                                     .c_str());
  return {lines, &curl_slist_free_all};
}

// One request and its answer.
class Transfer {
 public:
  explicit Transfer(const HttpRequest& request)
      : request_(request),
        curl_(curl_easy_init(), &curl_easy_cleanup),
        headers_(headers_of(request)),
        places_(places_of(request)) {
    set_limits();
    set_trust();
    set_content();
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Result<HttpResponse> run();

 private:
  template <class T> void set(CURLoption option, T value) {
    curl_easy_setopt(curl_.get(), option, value);
  }
  void set_limits();
  void set_trust();
  void set_content();
  std::string why(CURLcode code) const;
  std::string why_refused() const;
  std::string why_not_connected() const;
  std::string message(CURLcode code) const;

  static std::size_t append(char* data, std::size_t size, std::size_t count, void* to) {
    Transfer& transfer = *static_cast<Transfer*>(to);
    if (!transfer.has_room(size * count)) return 0;
    transfer.body_.append(data, size * count);
    return size * count;
  }
  // Called with each line of the head, of an interim head or of a trailer.
  static std::size_t count_head(char*, std::size_t size, std::size_t count, void* to) {
    return static_cast<Transfer*>(to)->has_room(size * count) ? size * count : 0;
  }
  static int is_stopped(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<const std::atomic<bool>*>(stop)->load() ? 1 : 0;
  }
  // Called when a connection is open and its TLS handshake begins.
  static CURLcode begin_handshake(CURL*, void* context, void* to) {
    Transfer& transfer = *static_cast<Transfer*>(to);
    transfer.has_connected_ = true;
    // Trusts the same certificates as the measuring connections.
    if (transfer.request_.verify && transfer.request_.ca_file.empty())
      transfer.trusts_ = trust_system(static_cast<SSL_CTX*>(context));
    return transfer.trusts_ ? CURLE_OK : CURLE_SSL_CACERT_BADFILE;
  }
  // Like libcurl's default, but remembers why it failed.
  static curl_socket_t open_socket(void* to, curlsocktype, curl_sockaddr* address) {
    const int type = address->socktype | SOCK_CLOEXEC;
    const int opened = ::socket(address->family, type, address->protocol);
    // An address family that this host lacks is not an error: other addresses are tried.
    if (opened < 0 && errno != EAFNOSUPPORT) static_cast<Transfer*>(to)->no_socket_ = errno;
    return opened;
  }
  bool has_answer() const {
    long head_bytes = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_HEADER_SIZE, &head_bytes);
    return head_bytes > 0 || !body_.empty();
  }
  bool has_room(std::size_t bytes) {
    received_bytes_ += bytes;
    return !is_too_large();
  }
  bool is_too_large() const { return received_bytes_ > k_most_answer_bytes; }

  const HttpRequest& request_;
  const Curl curl_;
  const List headers_, places_;
  std::string body_;
  int no_socket_ = 0;  // errno if none could be opened
  std::size_t received_bytes_ = 0;
  bool has_connected_ = false;        // of a connection with TLS
  Status trusts_;                     // an error if this system has no certificates
  char words_[CURL_ERROR_SIZE] = "";  // libcurl's message about an error, or ""
};

void Transfer::set_limits() {
  set(CURLOPT_URL, request_.url.c_str());
  set(CURLOPT_ERRORBUFFER, words_);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_RESOLVE, places_.get());
  set(CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  set(CURLOPT_OPENSOCKETDATA, this);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(request_.timeout_s * 1000));
  if (!request_.stop) return;
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &is_stopped);
  set(CURLOPT_XFERINFODATA, const_cast<std::atomic<bool>*>(request_.stop));
}

void Transfer::set_trust() {
  set(CURLOPT_SSL_VERIFYPEER, request_.verify ? 1L : 0L);
  set(CURLOPT_SSL_VERIFYHOST, request_.verify ? 2L : 0L);
  set(CURLOPT_SSL_CTX_FUNCTION, &begin_handshake);
  set(CURLOPT_SSL_CTX_DATA, this);
  const char* file = request_.ca_file.empty() ? nullptr : request_.ca_file.c_str();
  set(CURLOPT_CAINFO, file);
  set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
}

void Transfer::set_content() {
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  // An answer of another protocol is passed to the caller, who may recognise it.
  set(CURLOPT_HTTP09_ALLOWED, 1L);
  set(CURLOPT_HTTPHEADER, headers_.get());
  set(CURLOPT_HEADERFUNCTION, &count_head);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &append);
  set(CURLOPT_WRITEDATA, this);
  if (request_.body.empty()) return;
  set(CURLOPT_POSTFIELDS, request_.body.c_str());
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
}

std::string Transfer::why_refused() const {
  long verdict = X509_V_OK;
  curl_easy_getinfo(curl_.get(), CURLINFO_SSL_VERIFYRESULT, &verdict);
  // libcurl compares host names itself. If they do not match, OpenSSL's verdict is not an error, or
  // was not set.
  if (verdict == X509_V_OK || verdict == X509_V_ERR_UNSPECIFIED)
    verdict = X509_V_ERR_HOSTNAME_MISMATCH;
  return certificate_refusal(verdict, part_of(request_.url, CURLUPART_HOST));
}

std::string Transfer::why_not_connected() const {
  long number = 0;
  curl_easy_getinfo(curl_.get(), CURLINFO_OS_ERRNO, &number);
  if (number == 0) return *words_ ? words_ : "it cannot be reached";
  return fmt::format("{}{}", std::strerror(static_cast<int>(number)),
                     number == ECONNREFUSED ? "; is the server running?" : "");
}

ErrorKind kind_of(CURLcode code) {
  if (code == CURLE_OPERATION_TIMEDOUT) return ErrorKind::timeout;
  return code == CURLE_ABORTED_BY_CALLBACK ? ErrorKind::interrupted : ErrorKind::unavailable;
}

// OpenSSL's message for bytes that are not TLS.
bool is_plain(std::string_view words) {
  return words.find("wrong version number") != std::string_view::npos ||
         words.find("packet length too long") != std::string_view::npos;
}

std::string Transfer::why(CURLcode code) const {
  const bool tls = request_.url.starts_with("https://");
  const std::string words = *words_ ? words_ : curl_easy_strerror(code);
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT: {
      curl_off_t shaken_us = 0;
      curl_easy_getinfo(curl_.get(), CURLINFO_APPCONNECT_TIME_T, &shaken_us);
      return has_connected_ && shaken_us == 0 ? "it sends nothing; is it http?" : "time ran out";
    }
    case CURLE_ABORTED_BY_CALLBACK: return "the request was cancelled";
    case CURLE_OUT_OF_MEMORY:  // libcurl uses this code for two causes
      return "a header line is longer than 100 KB, or this process ran out of memory";
    case CURLE_COULDNT_RESOLVE_HOST:
      return fmt::format("the host '{}' has no known address",
                         part_of(request_.url, CURLUPART_HOST));
    case CURLE_PEER_FAILED_VERIFICATION: return why_refused();
    case CURLE_SSL_CACERT_BADFILE:
      if (!trusts_) return trusts_.error().message;
      return fmt::format(
          "the file '{}' has no certificates that can be read; give one in PEM format",
          request_.ca_file);
    case CURLE_SSL_CONNECT_ERROR:
      return is_plain(words) ? "it does not speak TLS; if it serves plain HTTP, drop the 's' from "
                               "the URL's scheme"
                             : words;
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR: return words + (tls || has_answer() ? "" : "; is it https?");
    default: return words;
  }
}

std::string Transfer::message(CURLcode code) const {
  if (code == CURLE_COULDNT_CONNECT)
    return fmt::format("cannot connect to {}:{}: {}", part_of(request_.url, CURLUPART_HOST),
                       part_of(request_.url, CURLUPART_PORT), why_not_connected());
  // libcurl has its own limit for heads.
  if (is_too_large() || std::string_view(words_).starts_with("Too large response headers"))
    return fmt::format("{} answered more than {} MiB", request_.url, k_most_answer_bytes >> 20);
  return fmt::format("{} did not answer: {}", request_.url, why(code));
}

Result<HttpResponse> Transfer::run() {
  const CURLcode code = curl_easy_perform(curl_.get());
  if (code == CURLE_COULDNT_CONNECT && no_socket_)
    return io_error("open a socket for", request_.url, no_socket_);
  long version = 0, status = 0;
  curl_easy_getinfo(curl_.get(), CURLINFO_HTTP_VERSION, &version);
  if (version == 0 && !body_.empty() && !is_too_large())
    return HttpResponse{.status = 0, .body = std::move(body_)};
  if (code != CURLE_OK) return Error{.kind = kind_of(code), .message = message(code)};
  curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
  return HttpResponse{.status = static_cast<int>(status), .body = std::move(body_)};
}

std::string outcome_of(const Result<HttpResponse>& response) {
  if (!response) return response.error().message;
  return response->status == 0 ? "an answer without an HTTP head"
                               : fmt::format("HTTP {}", response->status);
}

}  // namespace

Result<HttpResponse> CurlHttp::send(const HttpRequest& request) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return Transfer(request).run();
}

std::string certificate_refusal(long verdict, const std::string& host) {
  switch (verdict) {
    case X509_V_ERR_CERT_HAS_EXPIRED: return "its certificate has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "its certificate is not valid yet; is the clock of this machine right?";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return fmt::format("its certificate is not for '{}'; use the name that it was issued for",
                         host);
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return "no authority trusted here issued its certificate; name the issuer's "
             "certificate with --ca-file";
    default:
      return fmt::format("its certificate was refused: {}", X509_verify_cert_error_string(verdict));
  }
}

Result<HttpResponse> LoggedHttp::send(const HttpRequest& request) {
  if (!diagnostics_.shows(LogLevel::info)) return http_.send(request);
  const double from_s = clock_.now_s();
  Result<HttpResponse> response = http_.send(request);
  const std::string what = fmt::format("{} {}", request.body.empty() ? "GET" : "POST", request.url);
  const std::string outcome = outcome_of(response);
  bool changed = false;
  {
    const std::lock_guard lock(mutex_);
    std::string& last = last_[what];
    changed = last != outcome;
    last = outcome;
  }
  diagnostics_.log(changed ? LogLevel::info : LogLevel::debug, "{}: {} after {:.0f} ms", what,
                   outcome, 1000 * (clock_.now_s() - from_s));
  return response;
}

}  // namespace orch::system
