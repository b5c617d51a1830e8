// Incremental parser of HTTP/1.1 responses: bytes in, body pieces out, cut anywhere. It knows no
// sockets and no bodies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orch::wire {

// Takes the body of a response, chunk framing removed, in pieces cut wherever the wire cut them.
class BodySink {
 public:
  virtual ~BodySink() = default;
  virtual void on_body(std::string_view piece) = 0;
};

class HttpParser {
 public:
  enum class State { head, body, complete, failed };

  // Consumes BYTES of one response and gives its body to SINK. Returns how many bytes were used:
  // all of them, unless the response completed or failed before the end. Interim (1xx) answers are
  // skipped.
  std::size_t feed(std::string_view bytes, BodySink& sink);
  // The peer closed the connection: completes a body that ends by closing; any other unfinished
  // response fails.
  void finish();
  // Ready for the next response on the same connection.
  void reset();

  State state() const { return state_; }
  bool complete() const { return state_ == State::complete; }
  bool failed() const { return state_ == State::failed; }
  const std::string& error() const { return error_; }  // in words, when failed
  bool started() const { return started_; }            // any byte of this response came
  int status() const { return status_; }               // 0 until the head was read
  bool keep_alive() const { return keep_alive_; }      // the connection may carry another request
  const std::string& redirect() const {
    return redirect_;
  }  // where an answer of 3xx sends who asked; "" when nowhere
  bool is_compressed() const {
    return is_compressed_;
  }  // of an answer other than 2xx; one of those fails
  bool says_no_stream() const {
    return says_no_stream_;
  }  // its Content-Type is something other than a stream of events

 private:
  enum class Body { length, chunked, until_close };
  enum class Chunk { size, data, data_end, trailer };

  std::size_t feed_head(std::string_view bytes);
  std::size_t feed_length(std::string_view bytes, BodySink& sink);
  std::size_t feed_chunked(std::string_view bytes, BodySink& sink);
  // Moves bytes up to and including '\n' into line_; true when the line is whole (its end removed).
  bool take_line(std::string_view bytes, std::size_t& used);
  void read_head_line(std::string_view line);
  void read_status_line(std::string_view line);
  void read_field(std::string_view name, std::string_view value);
  void end_of_head();
  void read_chunk_size(std::string_view line);
  void fail(std::string message);

  State state_ = State::head;
  Body body_ = Body::until_close;
  Chunk chunk_ = Chunk::size;
  bool started_ = false;
  bool keep_alive_ = true;
  bool says_no_stream_ = false;
  bool is_compressed_ = false;
  int status_ = 0;
  std::uint64_t left_ = 0;  // bytes of the body or chunk that are still to come
  std::size_t head_bytes_ = 0;
  std::string line_;
  std::string redirect_;
  std::string error_;
};

}  // namespace orch::wire
