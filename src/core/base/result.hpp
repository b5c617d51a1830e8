// A value, or the error that replaces it. Expected failures are values; asserts are for bugs.
#pragma once

#include <cassert>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace orch {

// The kind of an error, for callers to branch on. The text for users is Error::message.
enum class ErrorKind {
  invalid,      // the input is wrong; the user can correct it
  not_found,    // a named file, stage, ... does not exist
  conflict,     // another process holds the lock, the port, ...
  io,           // the operating system refused
  timeout,      // the operation took longer than allowed
  unavailable,  // a server did not answer
  interrupted,  // a signal requested termination
  internal,     // a bug, reported instead of crashing
};

// A position in a text file. Line and column count from 1; 0: unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const Location&) const = default;
};

// "file:line:column" without the unknown parts.
std::string to_string(const Location& location);

// Maps each character of a value to its position in the file it was read from. The characters are
// contiguous there, or in several pieces where quotes, escapes or folded lines interrupt them.
class Places {
 public:
  Places() = default;
  // The characters are contiguous from FIRST on.
  // NOLINTNEXTLINE(google-explicit-constructor): a location is the simplest case of places
  Places(Location first) : first_(std::move(first)) {}
  Places(std::string file, int line, int column) : first_{std::move(file), line, column} {}

  // Starts a new piece: the byte at OFFSET is at LINE and COLUMN. Offsets must increase from call
  // to call; offset 0 moves the beginning.
  void add_piece(std::size_t offset, int line, int column);

  // Where the text begins.
  const Location& first() const { return first_; }
  // The position of the byte at OFFSET, which may be the text's size.
  Location at(std::size_t offset) const;

 private:
  struct Piece {
    std::size_t offset;
    int line;
    int column;
  };
  Location first_;
  std::vector<Piece> pieces_;
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;  // what is wrong, and what to do or write instead
  Location where = {};  // empty file name: the error is not about a text
  int number = 0;       // errno; 0: none

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
  std::optional<T> to_optional() && {
    return ok() ? std::optional<T>(std::move(*this).value()) : std::nullopt;
  }

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

// All errors of one pass, so that a user sees them together.
using Errors = std::vector<Error>;

// Sorts the errors from index FIRST on: by file, in the order of each file's first error, then by
// line and column.
void sort_by_place(Errors& errors, std::size_t first = 0);

// From index FIRST on, keeps the first 200 errors of each file and replaces its further errors by
// one, "... and N more", at the position of the first of those. Returns whether any was replaced.
// Call once per list.
bool keep_readable(Errors& errors, std::size_t first = 0);

Error invalid(std::string message, Location where = {});
Error not_found(std::string message);
Error unavailable(std::string message);
Error io_error(std::string_view what, std::string_view thing, int error_number);

}  // namespace orch

// Returns the error of EXPRESSION from the enclosing function, if there is one.
#define ORCH_TRY(expression)                                                                       \
  do {                                                                                             \
    if (auto orch_status = (expression); !orch_status.ok()) return std::move(orch_status).error(); \
  } while (false)

#define ORCH_CONCAT_(a, b) a##b
#define ORCH_CONCAT(a, b) ORCH_CONCAT_(a, b)
// ORCH_ASSIGN(auto x, f()): x gets the value of f(), or the enclosing function returns its error.
#define ORCH_ASSIGN(declaration, expression) \
  ORCH_ASSIGN_(declaration, expression, ORCH_CONCAT(orch_result_, __LINE__))
#define ORCH_ASSIGN_(declaration, expression, name) \
  auto name = (expression);                         \
  if (!name.ok()) return std::move(name).error();   \
  declaration = std::move(name).value()
