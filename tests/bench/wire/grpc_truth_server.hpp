// The gRPC counterpart of truth_server.hpp: answers calls by a script over HTTP/2 and logs when it
// really sent each token. nghttp2 does its framing; tests compare the client's stamps with its log.
#pragma once

#include "fakes/loopback.hpp"

#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nghttp2/nghttp2.h>

namespace orch::truth {

// A message with its prefix.
inline std::string framed(std::string_view message) {
  std::string out(1, '\0');
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(message.size() >> shift);
  return out + std::string(message);
}

// Bytes of DATA that one send() sends. Tokens whose last byte they contain are logged just before.
struct GrpcPiece {
  std::string bytes;
  std::int64_t wait_ns = 0;  // after the piece before it
  int tokens = 0;
};

struct GrpcAnswer {
  enum class End {
    trailers,       // with STATUS and MESSAGE
    nothing,        // END_STREAM without trailers
    reset,          // RST_STREAM
    leave,          // GOAWAY, then the trailers: the connection takes no more
    leave_at_once,  // GOAWAY that rejects this call, and no answer
    close,          // closes the connection
    vanish,         // the same, before the first byte of the answer
    silent,
  };
  std::vector<GrpcPiece> pieces;
  int status = 0;
  std::string message = "";
  End end = End::trailers;
  std::string http_status = "200";
  bool trailers_only = false;  // one HEADERS frame is the whole answer
  bool leave_first = false;    // GOAWAY goes before the answer
  int after_requests = 0;      // the answer waits until this many requests have arrived
};

struct GrpcServed {
  int number = 0;  // from 0, in the order of arrival
  int connection = 0;
  std::map<std::string, std::string> headers;
  std::string body;                    // with the prefix
  std::int64_t arrived_ns = 0;         // the request was read completely
  std::vector<std::int64_t> token_ns;  // just before the send() that completed each token
  bool cancelled = false;              // the client reset the stream with CANCEL

  std::string message() const { return body.size() < 5 ? "" : body.substr(5); }
};

using GrpcScript = std::function<std::shared_ptr<const GrpcAnswer>(const GrpcServed&)>;

inline GrpcScript always(GrpcAnswer answer) {
  return [shared = std::make_shared<const GrpcAnswer>(std::move(answer))](const GrpcServed&) {
    return shared;
  };
}

class GrpcServer {
 public:
  struct Options {
    bool keep_log = true;
    int cpu = -1;  // the thread is pinned to it; -1: not pinned
    // The window of each stream for requests, and of the connection if it is larger than the
    // standard's; 0: the standard's.
    std::uint32_t window_bytes = 0;
    std::uint32_t streams = 0;  // at a time; 0: no limit
    std::size_t cut_bytes = 0;  // the size of each send(); 0: unlimited
    bool hold_back = false;     // pieces without a wait are sent together
    bool ping = false;          // a PING goes before each piece, and its answer is counted
    bool first_leaves = false;  // the first connection sends GOAWAY after its settings, and accepts
                                // requests nevertheless
    bool each_message = false;  // each message of a stream is a request, answered on arrival;
                                // otherwise the end of the stream completes the request
  };

  explicit GrpcServer(GrpcScript script) : GrpcServer(std::move(script), Options{}) {}
  GrpcServer(GrpcScript script, Options options) : script_(std::move(script)), options_(options) {
    thread_ = std::thread([this] { serve(); });
  }
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;
  ~GrpcServer() {
    sockets_.stop();
    thread_.join();
    while (!connections_.empty()) drop(connections_.begin()->first);
  }

  std::uint16_t port() const { return sockets_.port(); }
  std::string url() const { return "grpc://127.0.0.1:" + std::to_string(port()); }
  std::vector<GrpcServed> log() const {
    const std::scoped_lock lock(mutex_);
    return log_;
  }
  int connections() const { return connections_seen_; }
  int pings_answered() const { return pings_answered_; }

 private:
  struct Reply {
    std::shared_ptr<const GrpcAnswer> answer;
    std::size_t next = 0;  // piece
    std::int64_t due_ns = 0;
    std::optional<std::size_t> served = {};  // place in the log
  };
  struct Stream {
    GrpcServed request;  // the received part
    int requests = 0;
    // The open replies and, once the stream ends, the reply that ends it.
    std::map<int, Reply> replies;
    std::string ready;           // bytes to be sent now
    bool client_closed = false;  // the client has closed its side
    bool begun = false;          // the head has been queued
    bool ended = false;          // READY is the end
  };
  struct Connection {
    GrpcServer* server = nullptr;
    int fd = -1;
    int number = 0;
    nghttp2_session* session = nullptr;
    std::map<std::int32_t, Stream> streams;
    bool closing = false;
  };
  struct Place {
    int fd;
    std::int32_t stream;
    int reply;
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
            return true;
          });
      advance_due();
    }
  }

  std::int64_t next_wait_ns() const {
    if (timed_.empty()) return -1;
    return std::max<std::int64_t>(0, timed_.begin()->first - now_ns());
  }

  void accept_one() {
    const int fd = sockets_.accept();
    if (fd < 0) return;
    auto connection = std::make_unique<Connection>();
    connection->server = this;
    connection->fd = fd;
    connection->number = connections_seen_++;
    connection->session = make_session(connection.get());
    sockets_.watch(fd);
    flush(*connection);
    connections_[fd] = std::move(connection);
  }

  nghttp2_session* make_session(Connection* connection) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* user) {
          static_cast<Connection*>(user)
              ->streams[frame->hd.stream_id]
              .request.headers[std::string(reinterpret_cast<const char*>(name), name_size)] =
              std::string(reinterpret_cast<const char*>(value), value_size);
          return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks, [](nghttp2_session*, std::uint8_t, std::int32_t stream,
                      const std::uint8_t* bytes, std::size_t size, void* user) {
          auto& self = *static_cast<Connection*>(user);
          self.streams[stream].request.body.append(reinterpret_cast<const char*>(bytes), size);
          if (self.server->options_.each_message) self.server->begin_messages(self, stream);
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
          auto& self = *static_cast<Connection*>(user);
          const bool is_request =
              frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
          if (is_request && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
            self.server->note_client_closed(self, frame->hd.stream_id);
          if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0)
            ++self.server->pings_answered_;
          return 0;
        });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        callbacks, [](nghttp2_session*, std::int32_t stream, std::uint32_t code, void* user) {
          auto& self = *static_cast<Connection*>(user);
          if (code == NGHTTP2_CANCEL) self.server->note_cancelled(self, stream);
          self.streams.erase(stream);
          return 0;
        });
    nghttp2_session* session = nullptr;
    nghttp2_session_server_new(&session, callbacks, connection);
    nghttp2_session_callbacks_del(callbacks);
    std::vector<nghttp2_settings_entry> settings;
    if (options_.window_bytes > 0)
      settings.push_back({NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, options_.window_bytes});
    if (options_.streams > 0)
      settings.push_back({NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, options_.streams});
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
    if (options_.first_leaves && connection->number == 0) nghttp2_submit_shutdown_notice(session);
    if (options_.window_bytes > NGHTTP2_INITIAL_WINDOW_SIZE)
      nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0,
                                            static_cast<std::int32_t>(options_.window_bytes));
    return session;
  }

  void note_cancelled(Connection& connection, std::int32_t stream) {
    const auto found = connection.streams.find(stream);
    if (found == connection.streams.end()) return;
    const std::scoped_lock lock(mutex_);
    for (const auto& [number, reply] : found->second.replies)
      if (reply.served) log_[*reply.served].cancelled = true;
  }

  void drop(int fd) {
    for (auto each = timed_.begin(); each != timed_.end();)
      each = each->second.fd == fd ? timed_.erase(each) : std::next(each);
    nghttp2_session_del(connections_[fd]->session);
    ::close(fd);
    connections_.erase(fd);
  }

  void read_from(int fd) {
    const auto found = connections_.find(fd);
    if (found == connections_.end()) return;
    Connection& connection = *found->second;
    std::uint8_t buffer[64 * 1024];
    const ssize_t received = ::recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
    if (received < 0 && errno == EAGAIN) return;
    if (received <= 0 || nghttp2_session_mem_recv(connection.session, buffer,
                                                  static_cast<std::size_t>(received)) < 0)
      return drop(fd);
    while (!begun_.empty()) {
      const Place place = begun_.back();
      begun_.pop_back();
      advance(connection, place);
    }
    if (!flush(connection) || connection.closing) drop(fd);
    release_held();
  }

  // Begins the answers whose number of requests has been reached.
  void release_held() {
    for (const Place& place : std::exchange(held_, {})) {
      const auto found = connections_.find(place.fd);
      if (found == connections_.end()) continue;
      advance(*found->second, place);
      flush(*found->second);
    }
  }

  // From here to add_reply(): callbacks of the library, in which nothing may be sent.
  void note_client_closed(Connection& connection, std::int32_t id) {
    Stream& stream = connection.streams[id];
    stream.client_closed = true;
    if (!options_.each_message) begin(connection, id, std::move(stream.request));
    else if (stream.replies.empty())
      // An empty answer that only ends the stream.
      add_reply(connection, id, {.answer = std::make_shared<const GrpcAnswer>()});
  }

  void begin_messages(Connection& connection, std::int32_t id) {
    GrpcServed& request = connection.streams[id].request;
    for (std::size_t size = 0; (size = framed_size(request.body)) > 0;
         request.body.erase(0, size)) {
      GrpcServed one;
      one.headers = request.headers;
      one.body = request.body.substr(0, size);
      begin(connection, id, std::move(one));
    }
  }

  // The size of the message at the beginning of BODY; 0 when it is incomplete.
  static std::size_t framed_size(const std::string& body) {
    if (body.size() < 5) return 0;
    std::size_t size = 0;
    for (const int i : {1, 2, 3, 4})
      size = size << 8 | static_cast<unsigned char>(body[static_cast<std::size_t>(i)]);
    return body.size() < size + 5 ? 0 : size + 5;
  }

  void begin(Connection& connection, std::int32_t id, GrpcServed request) {
    request.number = requests_seen_++;
    request.connection = connection.number;
    request.arrived_ns = now_ns();
    Reply reply{.answer = script_(request), .due_ns = request.arrived_ns};
    if (options_.keep_log) {
      const std::scoped_lock lock(mutex_);
      reply.served = log_.size();
      log_.push_back(std::move(request));
    }
    add_reply(connection, id, std::move(reply));
  }

  void add_reply(Connection& connection, std::int32_t id, Reply reply) {
    Stream& stream = connection.streams[id];
    begun_.push_back({connection.fd, id, stream.requests});
    stream.replies.emplace(stream.requests++, std::move(reply));
  }

  static nghttp2_nv header(std::string_view name, std::string_view value) {
    const auto bytes = [](std::string_view text) {
      return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
    };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
  }

  static ssize_t read_ready(nghttp2_session* session, std::int32_t id, std::uint8_t* buffer,
                            std::size_t size, std::uint32_t* flags, nghttp2_data_source* source,
                            void*) {
    auto& stream = *static_cast<Stream*>(source->ptr);
    const std::size_t count = std::min(size, stream.ready.size());
    std::memcpy(buffer, stream.ready.data(), count);
    stream.ready.erase(0, count);
    if (stream.ready.empty() && stream.ended) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      const GrpcAnswer& last = *stream.replies.begin()->second.answer;
      if (last.end != GrpcAnswer::End::nothing) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        submit_trailers(session, id, last);
      }
      return static_cast<ssize_t>(count);
    }
    return count == 0 ? static_cast<ssize_t>(NGHTTP2_ERR_DEFERRED) : static_cast<ssize_t>(count);
  }

  static void submit_trailers(nghttp2_session* session, std::int32_t id, const GrpcAnswer& answer) {
    const std::string status = std::to_string(answer.status);
    const nghttp2_nv headers[] = {header("grpc-status", status),
                                  header("grpc-message", answer.message)};
    nghttp2_submit_trailer(session, id, headers, answer.message.empty() ? 1 : 2);
  }

  void begin_answer(Connection& connection, std::int32_t id, Stream& stream,
                    const GrpcAnswer& answer) {
    const std::string status = std::to_string(answer.status);
    if (answer.trailers_only) {
      const nghttp2_nv headers[] = {
          header(":status", answer.http_status), header("content-type", "application/grpc"),
          header("grpc-status", status), header("grpc-message", answer.message)};
      nghttp2_submit_headers(connection.session, NGHTTP2_FLAG_END_STREAM, id, nullptr, headers,
                             answer.message.empty() ? 3 : 4, nullptr);
      return;
    }
    const nghttp2_nv headers[] = {header(":status", answer.http_status),
                                  header("content-type", "application/grpc")};
    nghttp2_data_provider provider{};
    provider.source.ptr = &stream;
    provider.read_callback = read_ready;
    nghttp2_submit_response(connection.session, id, headers, 2, &provider);
  }

  // Sends pieces until one has to wait, then the end.
  void advance(Connection& connection, const Place& place) {
    const std::int32_t id = place.stream;
    const auto found = connection.streams.find(id);
    if (found == connection.streams.end()) return;
    Stream& stream = found->second;
    Reply& reply = stream.replies.at(place.reply);
    const GrpcAnswer& answer = *reply.answer;
    if (answer.after_requests > requests_seen_) return held_.push_back(place);
    if (answer.end == GrpcAnswer::End::vanish || answer.end == GrpcAnswer::End::leave_at_once)
      return end_answer(connection, place, stream);
    if (!std::exchange(stream.begun, true)) {
      if (answer.leave_first)
        nghttp2_submit_goaway(connection.session, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR, nullptr,
                              0);
      begin_answer(connection, id, stream, answer);
    }
    if (answer.trailers_only) return;
    for (; reply.next < answer.pieces.size(); ++reply.next) {
      const GrpcPiece& piece = answer.pieces[reply.next];
      if (piece.wait_ns > 0) {
        const std::int64_t due_ns = reply.due_ns + piece.wait_ns;
        if (now_ns() < due_ns) return void(timed_.emplace(due_ns, place));
        reply.due_ns = due_ns;
      }
      if (options_.ping) nghttp2_submit_ping(connection.session, NGHTTP2_FLAG_NONE, nullptr);
      stream.ready += piece.bytes;
      note_tokens(reply, piece.tokens);
      nghttp2_session_resume_data(connection.session, id);
      if (!options_.hold_back) flush(connection);
    }
    end_answer(connection, place, stream);
  }

  void note_tokens(const Reply& reply, int tokens) {
    if (!reply.served || tokens == 0) return;
    const std::scoped_lock lock(mutex_);
    const std::int64_t sent_ns = now_ns();
    for (int i = 0; i < tokens; ++i) log_[*reply.served].token_ns.push_back(sent_ns);
  }

  void end_answer(Connection& connection, const Place& place, Stream& stream) {
    const std::int32_t id = place.stream;
    switch (stream.replies.at(place.reply).answer->end) {
      case GrpcAnswer::End::silent: return;
      case GrpcAnswer::End::vanish:
      case GrpcAnswer::End::close: connection.closing = true; return;
      case GrpcAnswer::End::reset:
        nghttp2_submit_rst_stream(connection.session, NGHTTP2_FLAG_NONE, id,
                                  NGHTTP2_INTERNAL_ERROR);
        return;
      case GrpcAnswer::End::leave_at_once:
        nghttp2_submit_goaway(connection.session, NGHTTP2_FLAG_NONE, std::max(0, id - 2),
                              NGHTTP2_NO_ERROR, nullptr, 0);
        return;
      case GrpcAnswer::End::leave:
        nghttp2_submit_goaway(connection.session, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR, nullptr,
                              0);
        break;
      case GrpcAnswer::End::trailers:
      case GrpcAnswer::End::nothing: break;
    }
    if (!stream.client_closed || stream.replies.size() > 1)
      return void(stream.replies.erase(place.reply));
    stream.ended = true;
    nghttp2_session_resume_data(connection.session, id);
  }

  bool flush(Connection& connection) {
    for (;;) {
      const std::uint8_t* bytes = nullptr;
      std::string all;
      for (ssize_t size = 1; size > 0;) {
        size = nghttp2_session_mem_send(connection.session, &bytes);
        if (size > 0)
          all.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
      }
      if (all.empty())
        return nghttp2_session_want_read(connection.session) != 0 ||
               nghttp2_session_want_write(connection.session) != 0;
      const std::size_t cut = options_.cut_bytes > 0 ? options_.cut_bytes : all.size();
      for (std::size_t sent = 0; sent < all.size();) {
        const ssize_t count = ::send(connection.fd, all.data() + sent,
                                     std::min(cut, all.size() - sent), MSG_NOSIGNAL);
        if (count < 0) return false;
        sent += static_cast<std::size_t>(count);
      }
    }
  }

  void advance_due() {
    const std::int64_t now = now_ns();
    while (!timed_.empty() && timed_.begin()->first <= now) {
      const Place place = timed_.begin()->second;
      timed_.erase(timed_.begin());
      Connection& connection = *connections_[place.fd];
      advance(connection, place);
      if (!flush(connection) || connection.closing) drop(place.fd);
    }
  }

  GrpcScript script_;
  Options options_;
  Loopback sockets_;
  int requests_seen_ = 0;
  std::atomic<int> connections_seen_ = 0;
  std::atomic<int> pings_answered_ = 0;
  std::map<int, std::unique_ptr<Connection>> connections_;
  std::multimap<std::int64_t, Place> timed_;  // when a reply's next piece is due
  std::vector<Place> begun_;
  std::vector<Place> held_;  // replies that wait for more requests
  mutable std::mutex mutex_;
  std::vector<GrpcServed> log_;
  std::thread thread_;
};

}  // namespace orch::truth
