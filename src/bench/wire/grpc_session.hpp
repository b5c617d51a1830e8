// One HTTP/2 connection as gRPC uses it, without a socket: received bytes go in, bytes to send come
// out, and each call has a stream.
#pragma once

#include "bench/wire/exchange.hpp"
#include "bench/wire/transport.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct nghttp2_session;

namespace orch::wire {

// Incremental reader of gRPC's length-prefixed messages; its input may be split anywhere. Does not
// decode a message.

// A larger message is rejected by its prefix, before it is read.
inline constexpr std::size_t k_message_limit_bytes = std::size_t{64} << 20;
inline constexpr std::size_t k_message_prefix_bytes = 5;

// The prefix of an uncompressed message of SIZE bytes.
std::array<std::uint8_t, k_message_prefix_bytes> message_prefix(std::size_t size);

class GrpcMessages {
 public:
  // Each message becomes one event of SINK. False: the input is not a message, error() says why,
  // and no more input is accepted.
  bool feed(std::string_view bytes, EventSink& sink);
  void reset();
  bool inside_message() const { return prefix_bytes_ > 0; }
  const std::string& error() const { return error_; }

 private:
  bool take_prefix(std::string_view& bytes);
  bool refuse(std::string why);

  std::array<std::uint8_t, k_message_prefix_bytes> prefix_{};
  std::size_t prefix_bytes_ =
      0;                  // received bytes of the prefix; all of them while its message arrives
  std::size_t left_ = 0;  // remaining bytes of the message
  std::string error_;
};

class GrpcSession {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    // The call of SLOT ended and its exchange is final. REFUSED: the server did not process the
    // request. Called from receive(), and from take_bytes() for a request that can no longer be
    // sent.
    virtual void on_call_end(SlotId slot, bool refused) = 0;
  };

  // What all calls of a connection share.
  struct Head {
    std::string_view scheme;                    // "http" or "https"
    std::string_view authority;                 // HOST:PORT
    std::string_view method;                    // "/package.Service/Method"
    std::string_view authorization;             // "" for none
    std::span<const std::string> headers = {};  // additional ones, "NAME: VALUE"
  };

  using StreamId = std::int32_t;

  // LISTENER and the texts of HEAD are borrowed.
  GrpcSession(const Head& head, Listener& listener);
  ~GrpcSession();

  // Begins a call with one message. MESSAGE and EXCHANGE are borrowed until the call ends or is
  // abandoned. Negative: the session accepts no more calls.
  StreamId call(SlotId slot, std::string_view message, Exchange& exchange);
  // Cancels the call at the server; the listener is not notified.
  void abandon(StreamId stream);

  // Takes BYTES, which one read at NS returned.
  void receive(std::string_view bytes, std::int64_t ns);
  bool wants_to_send() const;
  // Appends the next bytes to send, at most about LIMIT, to OUT.
  void take_bytes(std::string& out, std::size_t limit);

  // False: the connection is unusable; trouble() says why.
  bool alive() const;
  // Whether the server's SETTINGS arrived, which shows that it speaks HTTP/2.
  bool settled() const { return settled_; }
  // Whether the server sent GOAWAY: open calls may still end normally, new ones are not accepted.
  bool leaving() const { return leaving_; }
  std::string trouble() const { return trouble_.empty() ? "the server closes it" : trouble_; }

 private:
  struct Call;
  struct Callbacks;
  struct Headers;

  Call* call_of(StreamId stream) const;
  void take_header(Call& call, std::string_view name, std::string_view value);
  void take_data(Call& call, std::string_view bytes);
  void note_read(Call& call);
  void end(Call& call, std::uint32_t error_code);
  void release(Call& call);
  void note_failure(std::int64_t code);

  const std::unique_ptr<Headers> headers_;  // of every call
  Listener& listener_;
  nghttp2_session* session_ = nullptr;
  std::vector<std::unique_ptr<Call>> calls_;  // as many as were ever open at once
  std::vector<Call*> spare_;
  std::int64_t read_ns_ = 0;
  std::uint64_t read_ = 0;
  bool settled_ = false;
  bool leaving_ = false;
  bool broken_ = false;
  std::string trouble_;
};

// "UNAVAILABLE" for 14; "status 99" for an unknown one.
std::string grpc_status_name(int status);

}  // namespace orch::wire
