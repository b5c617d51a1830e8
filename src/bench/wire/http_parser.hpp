// Incremental parser of HTTP/1.1 responses; its input may be split anywhere. Does not interpret
// bodies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orch::wire {

// Receives the body of a response without chunk framing, in pieces of any length.
class BodySink {
 public:
  virtual ~BodySink() = default;
  virtual void on_body(std::string_view piece) = 0;
};

// What the head of a response says, as far as it was read.
struct ResponseHead {
  int status = 0;                 // 0 before the status line
  bool keep_alive = true;         // the connection may carry another request
  bool is_other_content = false;  // its Content-Type, if it has one, is not an event stream
  // A response other than 2xx has a compressed body; a compressed 2xx response fails.
  bool is_compressed = false;
  std::string redirect;  // the target of a 3xx response, or ""

  // Whether the body is an event stream, if one was requested.
  bool is_stream() const { return status == 200 && !is_other_content; }
};

class HttpParser {
 public:
  // Consumes BYTES of one response and passes its body to SINK. Returns the number of bytes used:
  // all, unless the response completed or failed earlier. Interim (1xx) responses are skipped.
  std::size_t feed(std::string_view bytes, BodySink& sink);
  // The peer closed the connection. Completes a body delimited by closing; any other incomplete
  // response fails.
  void finish();
  // Prepares for the next response on the same connection.
  void reset();

  bool complete() const { return state_ == State::complete; }
  bool failed() const { return state_ == State::failed; }
  const std::string& error() const { return error_; }  // a message, if failed
  bool started() const { return started_; }            // a byte of this response was read
  const ResponseHead& head() const { return head_; }

 private:
  enum class State { head, body, complete, failed };
  enum class Body { length, chunked, until_close };
  enum class Chunk { size, data, data_end, trailer };

  std::size_t feed_head(std::string_view bytes);
  std::size_t feed_length(std::string_view bytes, BodySink& sink);
  std::size_t feed_chunked(std::string_view bytes, BodySink& sink);
  // Moves bytes up to and including '\n' to line_; true if the line is complete (its line break is
  // then removed).
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
  ResponseHead head_;
  std::uint64_t left_ = 0;  // remaining bytes of the body or chunk
  std::size_t head_bytes_ = 0;
  std::string line_;
  std::string error_;
};

}  // namespace orch::wire
