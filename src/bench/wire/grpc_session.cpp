#include "bench/wire/grpc_session.hpp"

#include "core/base/text.hpp"

#include <charconv>
#include <cstring>

#include <nghttp2/nghttp2.h>

namespace orch::wire {

namespace {

// The flow-control window, larger than any accepted answer, so that a slow reader here cannot slow
// down the server.
constexpr std::int32_t k_window_bytes = 1 << 30;

constexpr std::string_view k_status_names[] = {
    "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

nghttp2_nv header(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// gRPC writes bytes of a status message that are not printable ASCII as %XX. Anything else stands
// for itself.
std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high < 0 ? -1 : hex_digit(text[i + 2]);
    if (low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

int number(std::string_view text) {
  int value = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && end == text.data() + text.size() ? value : -1;
}

}  // namespace

std::array<std::uint8_t, k_message_prefix_bytes> message_prefix(std::size_t size) {
  const auto byte = [size](int shift) { return static_cast<std::uint8_t>(size >> shift); };
  return {0, byte(24), byte(16), byte(8), byte(0)};
}

void GrpcMessages::reset() {
  prefix_bytes_ = left_ = 0;
  error_.clear();
}

bool GrpcMessages::refuse(std::string why) {
  error_ = std::move(why);
  return false;
}

// Continues with the prefix. When it is complete, left_ has its length field.
bool GrpcMessages::take_prefix(std::string_view& bytes) {
  while (prefix_bytes_ < prefix_.size() && !bytes.empty()) {
    prefix_[prefix_bytes_++] = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
  }
  if (prefix_bytes_ < prefix_.size()) return true;
  left_ = std::size_t{prefix_[1]} << 24 | std::size_t{prefix_[2]} << 16 |
          std::size_t{prefix_[3]} << 8 | prefix_[4];
  if (prefix_[0] == 1)
    return refuse("the server sent a compressed message, although no compression was requested");
  if (prefix_[0] != 0)
    return refuse(fmt::format(
        "the server sent a message that begins with the byte {}; is this gRPC?", prefix_[0]));
  if (left_ > k_message_limit_bytes)
    return refuse(fmt::format("the server sent a message of {} bytes, at most {} MiB are accepted",
                              left_, k_message_limit_bytes >> 20));
  return true;
}

bool GrpcMessages::feed(std::string_view bytes, EventSink& sink) {
  if (!error_.empty()) return false;
  while (!bytes.empty()) {
    if (prefix_bytes_ < prefix_.size()) {
      if (!take_prefix(bytes)) return false;
      if (prefix_bytes_ < prefix_.size()) return true;
    }
    const std::string_view piece = bytes.substr(0, left_);
    if (!piece.empty()) sink.on_data(piece);
    bytes.remove_prefix(piece.size());
    left_ -= piece.size();
    if (left_ > 0) return true;
    sink.on_event(false);
    prefix_bytes_ = 0;
  }
  return true;
}

std::string grpc_status_name(int status) {
  const auto index = static_cast<std::size_t>(status);
  return status >= 0 && index < std::size(k_status_names) ? std::string(k_status_names[index])
                                                          : fmt::format("status {}", status);
}

// One call, and how much of its request has been passed to the library.
struct GrpcSession::Call {
  StreamId stream = 0;
  SlotId slot = 0;
  Exchange* exchange = nullptr;
  std::array<std::uint8_t, k_message_prefix_bytes> prefix{};
  std::string_view message;
  std::size_t taken = 0;  // bytes of prefix and message
  GrpcMessages messages;
  int http_status = 0;
  int grpc_status = -1;  // -1: not received
  std::string grpc_message;
  std::uint64_t read = 0;  // the last read that had bytes of this call

  void begin(SlotId of, std::string_view request, Exchange& to) {
    stream = 0;
    slot = of;
    exchange = &to;
    prefix = message_prefix(request.size());
    message = request;
    taken = 0;
    messages.reset();
    http_status = 0;
    grpc_status = -1;
    grpc_message.clear();
    read = 0;
  }

  // Copies up to SIZE bytes of the request to BUFFER.
  std::size_t take(std::uint8_t* buffer, std::size_t size) {
    std::size_t used = 0;
    while (used < size && taken < prefix.size()) buffer[used++] = prefix[taken++];
    const std::string_view piece = message.substr(
        std::min(taken < prefix.size() ? 0 : taken - prefix.size(), message.size()), size - used);
    std::memcpy(buffer + used, piece.data(), piece.size());
    taken += piece.size();
    return used + piece.size();
  }
  bool all_taken() const { return taken == prefix.size() + message.size(); }
};

// The library's callbacks, which call members.
struct GrpcSession::Callbacks {
  static GrpcSession& self(void* user) { return *static_cast<GrpcSession*>(user); }
  static std::string_view text(const std::uint8_t* bytes, std::size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
  }

  // NOLINTNEXTLINE(readability-function-size): the signature is nghttp2's
  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* user) {
    if (Call* call = self(user).call_of(frame->hd.stream_id))
      self(user).take_header(*call, text(name, name_size), text(value, value_size));
    return 0;
  }
  // NOLINTNEXTLINE(readability-function-size): the signature is nghttp2's
  static int on_data(nghttp2_session*, std::uint8_t, StreamId stream, const std::uint8_t* bytes,
                     std::size_t size, void* user) {
    if (Call* call = self(user).call_of(stream)) self(user).take_data(*call, text(bytes, size));
    return 0;
  }
  static int on_close(nghttp2_session*, StreamId stream, std::uint32_t error_code, void* user) {
    if (Call* call = self(user).call_of(stream)) self(user).end(*call, error_code);
    return 0;
  }
  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_SETTINGS && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0)
      self(user).settled_ = true;
    if (frame->hd.type == NGHTTP2_GOAWAY) self(user).leaving_ = true;
    return 0;
  }
  static int on_error(nghttp2_session*, int, const char* message, std::size_t size, void* user) {
    self(user).trouble_ = printable(std::string_view(message, size));
    return 0;
  }
  // NOLINTNEXTLINE(readability-function-size): the signature is nghttp2's
  static ssize_t read_request(nghttp2_session*, StreamId stream, std::uint8_t* buffer,
                              std::size_t size, std::uint32_t* flags, nghttp2_data_source*,
                              void* user) {
    Call* call = self(user).call_of(stream);
    if (call == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const std::size_t taken = call->take(buffer, size);
    if (call->all_taken()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(taken);
  }
};

// The headers of every call. They refer to the texts of HEAD, and to strings made from its lines.
struct GrpcSession::Headers {
  explicit Headers(const Head& head)
      : all{header(":method", "POST"),          header(":scheme", head.scheme),
            header(":path", head.method),       header(":authority", head.authority),
            header("te", "trailers"),           header("content-type", "application/grpc"),
            header("user-agent", "orchestrate")} {
    if (!head.authorization.empty()) all.push_back(header("authorization", head.authorization));
    for (const std::string& line : head.headers) {
      const std::size_t colon = line.find(':');
      further.emplace_back(lower(line.substr(0, colon)),
                           trim(std::string_view(line).substr(colon + 1)));
    }
    for (const auto& [name, value] : further) all.push_back(header(name, value));
  }

  std::vector<std::pair<std::string, std::string>> further;  // names in lower case
  std::vector<nghttp2_nv> all;
};

GrpcSession::GrpcSession(const Head& head, Listener& listener)
    : headers_(std::make_unique<Headers>(head)), listener_(listener) {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, Callbacks::on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, Callbacks::on_data);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, Callbacks::on_close);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, Callbacks::on_frame);
  nghttp2_session_callbacks_set_error_callback2(callbacks, Callbacks::on_error);
  nghttp2_session_client_new(&session_, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, k_window_bytes}};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, k_window_bytes);
}

GrpcSession::~GrpcSession() { nghttp2_session_del(session_); }

GrpcSession::Call* GrpcSession::call_of(StreamId stream) const {
  return static_cast<Call*>(nghttp2_session_get_stream_user_data(session_, stream));
}

GrpcSession::StreamId GrpcSession::call(SlotId slot, std::string_view message, Exchange& exchange) {
  if (spare_.empty()) spare_.push_back(calls_.emplace_back(std::make_unique<Call>()).get());
  Call& call = *spare_.back();
  call.begin(slot, message, exchange);
  nghttp2_data_provider provider{};
  provider.read_callback = Callbacks::read_request;
  call.stream = nghttp2_submit_request(session_, nullptr, headers_->all.data(),
                                       headers_->all.size(), &provider, &call);
  if (call.stream > 0) spare_.pop_back();
  return call.stream;
}

void GrpcSession::abandon(StreamId stream) {
  // Does not use call_of(): the library has no stream yet for a queued request; the reset removes
  // it from the queue.
  const auto found = std::ranges::find_if(calls_, [stream](const auto& call) {
    return call->exchange != nullptr && call->stream == stream;
  });
  if (found == calls_.end()) return;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
  release(**found);
}

void GrpcSession::release(Call& call) {
  nghttp2_session_set_stream_user_data(session_, call.stream, nullptr);
  call.exchange = nullptr;
  spare_.push_back(&call);
}

void GrpcSession::receive(std::string_view bytes, std::int64_t ns) {
  read_ns_ = ns;
  ++read_;
  if (broken_) return;
  // The library would read the head of such an answer as a frame of several megabytes.
  broken_ = !settled_ && bytes.starts_with("HTTP/");
  if (broken_) trouble_ = "it answers in HTTP/1.1; is this the gRPC port?";
  if (!settled_ && bytes.starts_with("\x15\x03")) {
    broken_ = true;
    trouble_ = "it speaks TLS; is it https?";
  }  // a TLS alert
  if (broken_) return;
  const ssize_t code = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  note_failure(code);
}

bool GrpcSession::wants_to_send() const { return nghttp2_session_want_write(session_) != 0; }

void GrpcSession::take_bytes(std::string& out, std::size_t limit) {
  while (out.size() < limit) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
    note_failure(size);
    if (size <= 0) return;
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
}

bool GrpcSession::alive() const {
  return !broken_ &&
         (nghttp2_session_want_read(session_) != 0 || nghttp2_session_want_write(session_) != 0);
}

void GrpcSession::note_failure(std::int64_t code) {
  if (code >= 0) return;
  broken_ = true;
  if (trouble_.empty()) trouble_ = nghttp2_strerror(static_cast<int>(code));
}

// The first bytes of a read that belong to this call start a new read of its exchange.
void GrpcSession::note_read(Call& call) {
  if (call.read == read_) return;
  call.read = read_;
  call.exchange->begin_read(read_ns_);
}

void GrpcSession::take_header(Call& call, std::string_view name, std::string_view value) {
  note_read(call);
  if (name == ":status") call.http_status = number(value);
  else if (name == "grpc-status") call.grpc_status = number(value);
  else if (name == "grpc-message") call.grpc_message = percent_decoded(value);
}

void GrpcSession::take_data(Call& call, std::string_view bytes) {
  note_read(call);
  if (call.http_status != 200) return;
  call.exchange->status = 200;
  if (call.messages.feed(bytes, *call.exchange)) return;
  call.exchange->broken = true;
  call.exchange->error = call.messages.error();
  call.exchange->end_ns = read_ns_;
  const SlotId slot = call.slot;
  abandon(call.stream);
  listener_.on_call_end(slot, false);
}

void GrpcSession::end(Call& call, std::uint32_t error_code) {
  Exchange& exchange = *call.exchange;
  exchange.end_ns = std::max(read_ns_, exchange.sent_ns);
  const std::string said =
      call.grpc_status > 0
          ? fmt::format("gRPC {}{}", grpc_status_name(call.grpc_status),
                        call.grpc_message.empty() ? " without a message" : ": " + call.grpc_message)
          : "";
  if (call.http_status != 0 && call.http_status != 200) {
    exchange.status = call.http_status;
    exchange.error = fmt::format("HTTP {} in place of a gRPC answer{}{}", call.http_status,
                                 said.empty() ? "" : "; ", said);
  } else if (call.grpc_status > 0) {
    exchange.status = k_grpc_status + call.grpc_status;
    exchange.error = said;
  } else if (call.grpc_status == 0 && !call.messages.inside_message()) {
    exchange.status = 200;
  } else {
    exchange.broken = true;
    exchange.lost_server = error_code != NGHTTP2_NO_ERROR;
    if (exchange.lost_server)
      exchange.error = fmt::format("the stream was reset ({})", nghttp2_http2_strerror(error_code));
    else
      exchange.error = call.messages.inside_message() ? "the stream ended inside a message"
                                                      : "the stream ended without a grpc-status";
  }
  const SlotId slot = call.slot;
  // Includes the streams that a server rejects by its GOAWAY.
  const bool refused = exchange.broken && error_code == NGHTTP2_REFUSED_STREAM && call.read == 0;
  release(call);
  listener_.on_call_end(slot, refused);
}

}  // namespace orch::wire
