// A server on its own thread that answers by a script and logs when it sent each token. Its log is
// the reference for the records of the client under test, which it does not know.
#pragma once

#include "fakes/loopback.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace orch::truth {

// One send(). The tokens whose last byte it carries are logged just before it.
struct Piece {
  std::string bytes;
  std::int64_t wait_ns = 0;  // after the piece before it
  int tokens = 0;
};

enum class After {
  keep,  // the connection stays open
  close,
  reset,   // with RST
  silent,  // nothing more, and the connection stays open
};

struct Answer {
  std::vector<Piece> pieces;
  After after = After::keep;
  int after_requests = 0;  // the answer waits until this many requests have arrived
};

struct Request {
  int number = 0;  // from 0, in the order of arrival
  std::string method;
  std::string path;
  std::string body;
  std::string head = "";  // request line and header lines, unchanged
};

// The configuration that Triton reports for the ensemble of TensorRT-LLM's backend 0.14, reduced to
// the parts that requests use.
inline const std::string k_ensemble_config =
    R"({"name":"ensemble","platform":"ensemble","max_batch_size":8,"input":[
  {"name":"text_input","data_type":"TYPE_STRING","dims":[1],"optional":false},
  {"name":"max_tokens","data_type":"TYPE_INT32","dims":[1],"optional":false},
  {"name":"min_length","data_type":"TYPE_INT32","dims":[1],"optional":true},
  {"name":"num_return_sequences","data_type":"TYPE_INT32","dims":[1],"optional":true},
  {"name":"stop_words","data_type":"TYPE_STRING","dims":[-1],"optional":true},
  {"name":"bad_words","data_type":"TYPE_STRING","dims":[-1],"optional":true},
  {"name":"temperature","data_type":"TYPE_FP32","dims":[1],"optional":true},
  {"name":"top_k","data_type":"TYPE_INT32","dims":[1],"optional":true},
  {"name":"top_p","data_type":"TYPE_FP32","dims":[1],"optional":true},
  {"name":"random_seed","data_type":"TYPE_UINT64","dims":[1],"optional":true},
  {"name":"beam_width","data_type":"TYPE_INT32","dims":[1],"optional":true},
  {"name":"return_log_probs","data_type":"TYPE_BOOL","dims":[1],"optional":true},
  {"name":"return_context_logits","data_type":"TYPE_BOOL","dims":[1],"optional":true},
  {"name":"return_generation_logits","data_type":"TYPE_BOOL","dims":[1],"optional":true},
  {"name":"prompt_embedding_table","data_type":"TYPE_FP16","dims":[-1,-1],"optional":true},
  {"name":"stream","data_type":"TYPE_BOOL","dims":[1],"optional":true}],
 "output":[{"name":"text_output","data_type":"TYPE_STRING","dims":[-1]},{"name":"batch_index","data_type":"TYPE_INT32","dims":[1]}],
 "model_transaction_policy":{"decoupled":true}})";

struct Served {
  Request request;
  int connection = 0;
  std::int64_t connected_ns = 0;       // the connection was accepted
  std::int64_t arrived_ns = 0;         // the request was read completely
  std::vector<std::int64_t> token_ns;  // just before the send() that completed each token
};

using Script = std::function<std::shared_ptr<const Answer>(const Request&)>;

class Server {
 public:
  struct Options {
    bool keep_log = true;
    bool keep_bodies = true;  // of requests, in the log
    int cpu = -1;             // the thread is pinned to it; -1: not pinned
    // The pages of the model's configuration and metadata are answered without the script and are
    // not logged.
    int config_status = 200;
    std::string config = k_ensemble_config;
    std::string metadata = "";  // sent unchanged; "": the page does not exist
  };

  explicit Server(Script script) : Server(std::move(script), Options{}) {}
  Server(Script script, Options options) : script_(std::move(script)), options_(options) {
    thread_ = std::thread([this] { serve(); });
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    sockets_.stop();
    thread_.join();
    die();
  }

  std::uint16_t port() const { return sockets_.port(); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }
  std::vector<Served> log() const {
    const std::scoped_lock lock(mutex_);
    return log_;
  }
  int connections() const { return connections_seen_; }

  // Called by the script: closes every socket, including the listening one, after this request was
  // read.
  void die_after_this() { dying_ = true; }

 private:
  struct Connection {
    int fd = -1;
    int number = 0;
    std::int64_t connected_ns = 0;
    std::string input;
    std::shared_ptr<const Answer> answer;
    std::size_t next = 0;  // piece
    std::int64_t due_ns = 0;
    std::size_t served = 0;  // place in the log
  };

  void serve() {
    pin_thread(options_.cpu);
    while (!sockets_.stopped()) {
      sockets_.wait(
          next_wait_ns(),
          [this] {
            accept_one();
            return true;
          },
          [this](int fd) {
            read_from(fd);
            return !dying_;
          });
      if (dying_) return die();
      if (!timed_.empty()) write_due();
    }
  }

  std::int64_t next_wait_ns() const {
    if (timed_.empty()) return -1;
    return std::max<std::int64_t>(0, timed_.begin()->first - now_ns());
  }

  void accept_one() {
    const int fd = sockets_.accept();
    if (fd < 0) return;
    Connection& connection = connections_[fd];
    connection = {};
    connection.fd = fd;
    connection.number = connections_seen_++;
    connection.connected_ns = now_ns();
    sockets_.watch(fd);
  }

  void drop(int fd) {
    std::erase(held_, fd);
    for (auto each = timed_.begin(); each != timed_.end();)
      each = each->second == fd ? timed_.erase(each) : std::next(each);
    ::close(fd);
    connections_.erase(fd);
  }

  void read_from(int fd) {
    const auto found = connections_.find(fd);
    if (found == connections_.end()) return;
    char buffer[64 * 1024];
    const ssize_t received = ::recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (received == 0 || (received < 0 && errno != EAGAIN)) return drop(fd);
    if (received < 0) return;
    Connection& connection = found->second;
    connection.input.append(buffer, static_cast<std::size_t>(received));
    Request request;
    if (!take_request(connection.input, request)) return;
    if (request.method == "GET" && request.path.ends_with("/config"))
      return send_page(connection, options_.config_status, options_.config);
    if (request.method == "GET" && is_model(request.path))
      return send_page(connection, options_.metadata.empty() ? 404 : 200, options_.metadata);
    request.number = requests_seen_++;
    begin(connection, std::move(request));
  }

  static bool take_request(std::string& input, Request& request) {
    const std::size_t head_end = input.find("\r\n\r\n");
    if (head_end == std::string::npos) return false;
    std::size_t length = 0;
    if (const std::size_t at = input.find("Content-Length: "); at < head_end)
      length = std::stoul(input.substr(at + 16, 20));
    if (input.size() < head_end + 4 + length) return false;
    const std::size_t method_end = input.find(' ');
    request.method = input.substr(0, method_end);
    request.path = input.substr(method_end + 1, input.find(' ', method_end + 1) - method_end - 1);
    request.body = input.substr(head_end + 4, length);
    request.head = input.substr(0, head_end);
    input.erase(0, head_end + 4 + length);
    return true;
  }

  static bool is_model(const std::string& path) {
    constexpr std::string_view k_models = "/v2/models/";
    return path.starts_with(k_models) && path.find('/', k_models.size()) == std::string::npos &&
           !path.ends_with("/stats");
  }

  void send_page(const Connection& connection, int status, const std::string& page) {
    --connections_seen_;  // this connection serves no request of the script
    send_piece(connection, {.bytes = "HTTP/1.1 " + std::to_string(status) +
                                     " X\r\nContent-Length: " + std::to_string(page.size()) +
                                     "\r\n\r\n" + page});
    drop(connection.fd);
  }

  void begin(Connection& connection, Request request) {
    const std::int64_t arrived_ns = now_ns();
    connection.answer = script_(request);
    connection.next = 0;
    connection.due_ns = arrived_ns;
    if (!options_.keep_bodies) request.body.clear(), request.head.clear();
    if (options_.keep_log) {
      const std::scoped_lock lock(mutex_);
      connection.served = log_.size();
      log_.push_back({.request = std::move(request),
                      .connection = connection.number,
                      .connected_ns = connection.connected_ns,
                      .arrived_ns = arrived_ns,
                      .token_ns = {}});
    }
    if (dying_) return;
    if (connection.answer->after_requests > requests_seen_) return held_.push_back(connection.fd);
    send_pieces(connection);
    if (!held_.empty()) release_held();
  }

  // Starts the answers that waited for the number of requests that have arrived.
  void release_held() {
    for (const int fd : std::exchange(held_, {})) {
      Connection& connection = connections_[fd];
      if (connection.answer->after_requests > requests_seen_) held_.push_back(fd);
      else send_pieces(connection);
    }
  }

  // Sends pieces until one has to wait, and ends the answer after the last one.
  void send_pieces(Connection& connection) {
    const Answer& answer = *connection.answer;
    for (; connection.next < answer.pieces.size(); ++connection.next) {
      const Piece& piece = answer.pieces[connection.next];
      if (piece.wait_ns > 0) {
        const std::int64_t due_ns = connection.due_ns + piece.wait_ns;
        if (now_ns() < due_ns) return void(timed_.emplace(due_ns, connection.fd));
        connection.due_ns = due_ns;
      }
      if (!send_piece(connection, piece)) return drop(connection.fd);
    }
    if (answer.after == After::reset) {
      const linger hard{.l_onoff = 1, .l_linger = 0};
      setsockopt(connection.fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    }
    if (answer.after == After::close || answer.after == After::reset) drop(connection.fd);
  }

  bool send_piece(const Connection& connection, const Piece& piece) {
    if (options_.keep_log && piece.tokens > 0) {
      const std::scoped_lock lock(mutex_);
      const std::int64_t sent_ns = now_ns();
      for (int i = 0; i < piece.tokens; ++i) log_[connection.served].token_ns.push_back(sent_ns);
    }
    for (std::size_t sent = 0; sent < piece.bytes.size();) {
      const ssize_t count =
          ::send(connection.fd, piece.bytes.data() + sent, piece.bytes.size() - sent, MSG_NOSIGNAL);
      if (count < 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  void write_due() {
    const std::int64_t now = now_ns();
    while (!timed_.empty() && timed_.begin()->first <= now) {
      const int fd = timed_.begin()->second;
      timed_.erase(timed_.begin());
      send_pieces(connections_[fd]);
    }
  }

  void die() {
    sockets_.stop_listening();
    for (const auto& [fd, connection] : connections_) ::close(fd);
    connections_.clear();
    timed_.clear();
  }

  Script script_;
  Options options_;
  Loopback sockets_;
  bool dying_ = false;  // used only by the server's thread
  int requests_seen_ = 0;
  std::atomic<int> connections_seen_ = 0;
  std::map<int, Connection> connections_;
  std::multimap<std::int64_t, int> timed_;  // when a connection's next piece is due
  std::vector<int> held_;                   // connections whose answers wait for more requests
  mutable std::mutex mutex_;
  std::vector<Served> log_;
  std::thread thread_;
};

}  // namespace orch::truth
