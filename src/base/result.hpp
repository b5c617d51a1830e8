// A value or the error that stands in its place. Expected failures travel as values; asserts are
// for bugs.
#pragma once

#include <cassert>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace orch {

// What a caller may branch on. The sentence for a human is in Error::message.
enum class ErrorKind {
  invalid,      // the input is wrong; the user can mend it
  not_found,    // a named thing is not there
  conflict,     // somebody else holds it (a lock, a port)
  io,           // the operating system said no
  timeout,      // it took longer than allowed
  unavailable,  // a server did not answer
  interrupted,  // a signal asked us to stop
  internal,     // a bug of ours, said instead of crashing
};

// Where in a text something stands; line and column count from 1, 0 means unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const Location&) const = default;
};

// "file:line:column", leaving out what is unknown.
std::string to_string(const Location& location);

// Where the characters of a text stand in the file it was read from: in one run, or, when quotes,
// escapes or folded lines come between, in several.
class Places {
 public:
  Places() = default;
  // The text stands in one run from FIRST on.
  // NOLINTNEXTLINE(google-explicit-constructor): a location is the simplest case of places
  Places(Location first) : first_(std::move(first)) {}
  Places(std::string file, int line, int column) : first_{std::move(file), line, column} {}

  // From the text's byte OFFSET on, characters stand at LINE and COLUMN. Offsets rise from call to
  // call; offset 0 moves the begin.
  void turn(std::size_t offset, int line, int column);

  // Where the text begins.
  const Location& first() const { return first_; }
  // Where its byte OFFSET stands; OFFSET may be the text's size.
  Location at(std::size_t offset) const;

 private:
  struct Turn {
    std::size_t offset;
    int line;
    int column;
  };
  Location first_;
  std::vector<Turn> turns_;
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;  // names the thing and the remedy
  Location where;       // empty file: not about a text

  // "file:line:column: message", or the message alone.
  std::string text() const;
  // The same error with "context: " before its message.
  Error within(std::string_view context) const;
};

template <class T> class [[nodiscard]] Result {
 public:
  using value_type = T;

  // NOLINTNEXTLINE(google-explicit-constructor): `return value;` is how functions use it
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): `return error;` is how functions use it
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    assert(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    assert(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    assert(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T value_or(T fallback) const& { return ok() ? value() : std::move(fallback); }

  const Error& error() const& {
    assert(!ok());
    return std::get<1>(state_);
  }
  Error&& error() && {
    assert(!ok());
    return std::get<1>(std::move(state_));
  }

 private:
  std::variant<T, Error> state_;
};

template <> class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): `return error;` is how functions use it
  Result(Error error) : error_(std::move(error)), ok_(false) {}

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const {
    assert(!ok_);
    return error_;
  }

 private:
  Error error_;
  bool ok_ = true;
};

using Status = Result<void>;

// All the errors of one pass, so that a user sees every one at once.
using Errors = std::vector<Error>;

// Orders errors from index FIRST on as a reader meets them: by line and column within a file, files
// as they first came.
void sort_by_place(Errors& errors, std::size_t first = 0);

// Of the errors from index FIRST on, keeps the first 200 about each file; one more, "... and N
// more", stands for the others, at the place of the first of them. True: some were left out. Not
// for errors of which some have been left out before.
bool keep_readable(Errors& errors, std::size_t first = 0);

Error invalid(std::string message, Location where = {});
Error io_error(std::string_view what, std::string_view thing, int error_number);

}  // namespace orch

// Leaves the enclosing function with the error of EXPRESSION, if it has one.
#define ORCH_TRY(expression)                                                                       \
  do {                                                                                             \
    if (auto orch_status = (expression); !orch_status.ok()) return std::move(orch_status).error(); \
  } while (false)

#define ORCH_CONCAT_(a, b) a##b
#define ORCH_CONCAT(a, b) ORCH_CONCAT_(a, b)
// ORCH_ASSIGN(auto x, f()): x becomes the value of f(), or the enclosing function returns its
// error.
#define ORCH_ASSIGN(declaration, expression) \
  ORCH_ASSIGN_(declaration, expression, ORCH_CONCAT(orch_result_, __LINE__))
#define ORCH_ASSIGN_(declaration, expression, name) \
  auto name = (expression);                         \
  if (!name.ok()) return std::move(name).error();   \
  declaration = std::move(name).value()
