// A model of what a disk still has after a power cut. The files themselves are real ones below a
// folder; the model follows what was written since the last sync and, at a cut, leaves any part of
// it on the disk: some writes, half a write, zeros in place of data, names that came back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace orch::power {

class Disk {
 public:
  // ROOT: a folder whose files are durable at this moment.
  Disk(std::string root, std::uint64_t seed);

  // Each of these precedes the real operation. False: the operation fails and must not happen,
  // because the power is off or by an injected fault, whose error number is number().
  bool write(const std::string& path, std::uint64_t offset, std::string_view bytes);
  bool append(const std::string& path, std::string_view bytes);
  bool truncate(const std::string& path, std::uint64_t bytes);
  bool create(const std::string& path);
  bool remove(const std::string& path);
  bool rename(const std::string& from, const std::string& to);
  // Of a file: its content, and its name if it is new. Of a folder: the names in it.
  bool sync(const std::string& path);

  // The lock is no content.
  bool covers(const std::string& path) const {
    return path.starts_with(root_ + "/") && path != root_ + "/lock";
  }
  bool has(const std::string& path) const { return names_.contains(path); }
  int number() const { return number_; }

  // The power goes off before the operation with this number, counted from now, from 1.
  void cut_at(std::uint64_t operation) { off_at_ = operations_ + operation; }
  // The operation with this number, counted from now, fails once with NUMBER.
  void fail_at(std::uint64_t operation, int number);
  // No further operation fails.
  void stop_faults() { fail_at_ = off_at_ = UINT64_MAX; }
  // Leaves the real files as a power cut at this moment would, and turns the power on again. Nobody
  // may have a file open.
  void restart();
  std::uint64_t operations() const { return operations_; }

 private:
  // One change of content since the last sync.
  struct Change {
    std::uint64_t offset = 0;
    std::string bytes;
    bool cuts = false;  // a truncation to OFFSET
  };
  struct Node {
    std::string durable;
    std::vector<Change> pending;
    std::uint64_t size = 0;  // with everything pending
  };
  using Id = std::size_t;
  struct Rename {
    std::string path;
    std::optional<Id> node;  // empty: the name is removed
  };

  bool may();
  Node& node(const std::string& path) { return nodes_[names_.at(path)]; }
  void name(const std::string& path, std::optional<Id> id);
  void make_durable(Node& node);
  static void apply(const Change& change, std::string& content);
  std::string after_cut(const Node& node);
  std::uint64_t random(std::uint64_t below);

  std::string root_;
  std::mt19937_64 random_;
  std::vector<Node> nodes_;
  std::map<std::string, Id> names_, durable_names_;
  std::map<std::string, std::vector<Rename>> pending_;  // by folder
  std::uint64_t operations_ = 0, off_at_ = UINT64_MAX, fail_at_ = UINT64_MAX;
  int fault_ = 0, number_ = 0;
  bool off_ = false;
};

}  // namespace orch::power
