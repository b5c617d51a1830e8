// A JSON file as untrusted values with their paths. The first wrong value is kept as an error that
// names the file, the field, the value and the remedy; later faults are ignored.
#pragma once

#include "core/base/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::imports {

class Fault {
 public:
  explicit Fault(std::string file) : file_(std::move(file)) {}
  void add(std::string_view field, std::string_view value, std::string_view remedy);
  // Sets the file, with the line if it has many, for subsequent errors: "profile.jsonl:7".
  void set_file(std::string file) { file_ = std::move(file); }
  Status status() const { return error_ ? Status(*error_) : Status(); }
  bool any() const { return error_.has_value(); }

  // Notes that VALUE is left out: a non-finite number, which Python writes into JSON, is not an
  // error.
  void leave_out(std::string_view field, std::string_view value);
  // The values that were left out since the last call, for the warnings of a reading.
  std::vector<std::string> take_left_out() { return std::exchange(left_out_, {}); }

 private:
  std::string file_;
  std::vector<std::string> left_out_;
  std::optional<Error> error_;
};

struct JsonValue;  // defined in json_node.cpp

// Borrows the value and the fault. A node for a key that is absent or null does not exist, and has
// no members.
class Node {
 public:
  // VALUE is null if the node does not exist; KEY is its name in the containing object.
  Node(Fault& fault, const JsonValue* value, std::string path = "", std::string key = "")
      : fault_(&fault), value_(value), path_(std::move(path)), key_(std::move(key)) {}

  bool exists() const { return value_ != nullptr; }
  bool is_object() const;
  bool is_list() const;
  bool is_number() const;  // a finite one
  bool is_infinite() const;
  bool is_text() const;
  bool is_flag() const;
  const std::string& path() const { return path_; }
  // The name under which this node is a member.
  const std::string& key() const { return key_; }

  Node at(std::string_view key) const;
  // The items of a list or the members of an object, in order. A fault if the node is of another
  // type.
  std::vector<Node> items() const;
  std::vector<Node> members() const;

  // nullopt if the node does not exist or is not a finite number. A value of another type or out of
  // range is a fault, and nullopt.
  std::optional<double> number() const;
  std::optional<std::int64_t> integer(std::int64_t least, std::int64_t most) const;
  std::optional<std::string> text() const;
  std::optional<bool> flag() const;
  // The value as written, for a message.
  std::string shown() const;
  void refuse(std::string_view remedy) const { fault_->add(path_, shown(), remedy); }
  Fault& fault() const { return *fault_; }

 private:
  Fault* fault_;
  const JsonValue* value_;
  std::string path_, key_;
};

// A parsed file.
class Document {
 public:
  // Rejects duplicate keys, numbers out of range and excessive depth; NaN, Infinity and -Infinity
  // are numbers, as in Python. LINE is the line in the file NAME on which TEXT begins.
  static Result<Document> parse(std::string_view name, std::string_view text, int line = 1);
  // The document must outlive the node.
  Node root(Fault& fault) const { return {fault, json_.get()}; }

 private:
  explicit Document(std::shared_ptr<const JsonValue> json) : json_(std::move(json)) {}
  // A shared_ptr, because its deleter needs no complete type.
  std::shared_ptr<const JsonValue> json_;
};

}  // namespace orch::imports
