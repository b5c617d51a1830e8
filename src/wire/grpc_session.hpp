// One HTTP/2 connection as gRPC uses it, without a socket: bytes that came go in, bytes to send
// come out, each call has a stream. It does not know what messages mean, nor when calls are due.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wire/transport.hpp"

struct nghttp2_session;

namespace orch::wire {

class GrpcSession {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    // The call of SLOT ended and its exchange is final. REFUSED: the server says that it left it
    // unread. Comes from inside receive().
    virtual void on_call_end(SlotId slot, bool refused) = 0;
  };

  // What all calls of a connection have in common.
  struct Head {
    std::string_view scheme;         // "http" or "https"
    std::string_view authority;      // HOST:PORT
    std::string_view method;         // "/package.Service/Method"
    std::string_view authorization;  // "" for none
  };

  using StreamId = std::int32_t;

  // LISTENER and the texts of HEAD are borrowed.
  GrpcSession(const Head& head, Listener& listener);
  ~GrpcSession();

  // Begins a call with one message. MESSAGE and EXCHANGE are borrowed until the call ended or was
  // abandoned. Below 0: the session takes no more calls.
  StreamId call(SlotId slot, std::string_view message, Exchange& exchange);
  // Tells the server that nobody waits for the answer any more; nothing more is heard of the call.
  void abandon(StreamId stream);

  // BYTES came by one read at NS.
  void receive(std::string_view bytes, std::int64_t ns);
  bool wants_to_send() const;
  // Adds what is to be sent next to OUT, about LIMIT bytes at most.
  void take_bytes(std::string& out, std::size_t limit);

  // False: nothing more will come or go, trouble() says why.
  bool alive() const;
  // The server's settings came: it speaks HTTP/2.
  bool settled() const { return settled_; }
  // The server lets calls end but takes no more.
  bool leaving() const { return leaving_; }
  std::string trouble() const { return trouble_.empty() ? "the server closes it" : trouble_; }

 private:
  struct Call;
  struct Callbacks;

  Call* call_of(StreamId stream) const;
  void take_header(Call& call, std::string_view name, std::string_view value);
  void take_data(Call& call, std::string_view bytes);
  void note_read(Call& call);
  void end(Call& call, std::uint32_t error_code);
  void release(Call& call);
  void note_failure(std::int64_t code);

  Head head_;
  Listener& listener_;
  nghttp2_session* session_ = nullptr;
  std::vector<std::unique_ptr<Call>> calls_;  // all that there ever were at one time
  std::vector<Call*> spare_;
  std::int64_t read_ns_ = 0;
  std::uint64_t read_ = 0;
  bool settled_ = false;
  bool leaving_ = false;
  bool broken_ = false;
  std::string trouble_;
};

// "UNAVAILABLE" of 14; a number that has no name as itself.
std::string grpc_status_name(int status);

}  // namespace orch::wire
