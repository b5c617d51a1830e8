#include "results/store/power/disk.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace orch::power {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t k_sector = 512;  // is written completely or not at all

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Disk::Disk(std::string root, std::uint64_t seed) : root_(std::move(root)), random_(seed) {
  for (const auto& entry : fs::recursive_directory_iterator(root_)) {
    if (!entry.is_regular_file()) continue;
    names_[entry.path().string()] = nodes_.size();
    nodes_.push_back({.durable = content_of(entry.path().string()), .pending = {}});
    nodes_.back().size = nodes_.back().durable.size();
  }
  durable_names_ = names_;
}

std::uint64_t Disk::random(std::uint64_t below) { return below == 0 ? 0 : random_() % below; }

bool Disk::may() {
  ++operations_;
  number_ = 0;
  if (operations_ >= off_at_) off_ = true;
  if (off_) number_ = EIO;
  else if (operations_ == fail_at_) number_ = fault_;
  return number_ == 0;
}

void Disk::fail_at(std::uint64_t operation, int number) {
  fail_at_ = operations_ + operation;
  fault_ = number;
}

void Disk::name(const std::string& path, std::optional<Id> id) {
  if (id) names_[path] = *id;
  else names_.erase(path);
  pending_[folder_of(path)].push_back({path, id});
}

bool Disk::create(const std::string& path) {
  if (names_.contains(path)) return !off_;
  if (!may()) return false;
  nodes_.emplace_back();
  name(path, nodes_.size() - 1);
  return true;
}

bool Disk::write(const std::string& path, std::uint64_t offset, std::string_view bytes) {
  if (!may()) return false;
  Node& file = node(path);
  file.pending.push_back({.offset = offset, .bytes = std::string(bytes)});
  file.size = std::max(file.size, offset + bytes.size());
  return true;
}

bool Disk::append(const std::string& path, std::string_view bytes) {
  return write(path, node(path).size, bytes);
}

bool Disk::truncate(const std::string& path, std::uint64_t bytes) {
  if (!may()) return false;
  node(path).pending.push_back({.offset = bytes, .bytes = {}, .cuts = true});
  node(path).size = bytes;
  return true;
}

bool Disk::remove(const std::string& path) {
  if (!may()) return false;
  if (names_.contains(path)) name(path, std::nullopt);
  return true;
}

bool Disk::rename(const std::string& from, const std::string& to) {
  if (!may()) return false;
  const Id id = names_.at(from);
  name(from, std::nullopt);
  name(to, id);
  return true;
}

void Disk::make_durable(Node& node) {
  for (const Change& change : node.pending) apply(change, node.durable);
  node.pending.clear();
}

bool Disk::sync(const std::string& path) {
  if (!may()) return false;
  const auto file = names_.find(path);
  if (file != names_.end()) make_durable(nodes_[file->second]);
  const std::string folder = file != names_.end() ? folder_of(path) : path;
  auto& changes = pending_[folder];
  std::vector<Rename> left;
  for (const Rename& change : changes) {
    // Like the usual file systems: the sync of a new file makes its name durable.
    const bool now = file == names_.end() || change.path == path;
    if (!now) left.push_back(change);
    else if (change.node) durable_names_[change.path] = *change.node;
    else durable_names_.erase(change.path);
  }
  changes = std::move(left);
  return true;
}

void Disk::apply(const Change& change, std::string& content) {
  if (change.cuts) return content.resize(change.offset, '\0');
  if (content.size() < change.offset + change.bytes.size())
    content.resize(change.offset + change.bytes.size(), '\0');
  content.replace(change.offset, change.bytes.size(), change.bytes);
}

// Writes reach the disk in any order, so that each may be missing; only a later truncation comes
// after the writes before it.
std::string Disk::after_cut(const Node& node) {
  std::string content = node.durable;
  const std::uint64_t until = random(node.pending.size() + 1);
  for (std::uint64_t i = 0; i < until; ++i) {
    Change change = node.pending[i];
    const std::uint64_t fate = change.cuts ? 0 : random(8);
    if (fate == 1) continue;                                        // it is lost, others are not
    if (fate == 2) change.bytes.assign(change.bytes.size(), '\0');  // its length alone arrived
    if (fate == 3) change.bytes.resize(random(change.bytes.size() / k_sector + 1) * k_sector);
    apply(change, content);
  }
  return content;
}

void Disk::restart() {
  for (auto& [folder, changes] : pending_) {
    const std::uint64_t until = random(changes.size() + 1);
    for (std::uint64_t i = 0; i < until; ++i)
      if (changes[i].node) durable_names_[changes[i].path] = *changes[i].node;
      else durable_names_.erase(changes[i].path);
  }
  pending_.clear();
  for (const auto& [path, id] : names_)
    if (!durable_names_.contains(path)) fs::remove(path);
  for (const auto& entry : fs::directory_iterator(root_))
    if (entry.path().string().ends_with("-shm")) fs::remove(entry.path());
  std::map<std::string, std::string> contents;
  for (const auto& [path, id] : durable_names_) contents[path] = after_cut(nodes_[id]);
  nodes_.clear();
  names_.clear();
  for (auto& [path, content] : contents) {
    fs::create_directories(folder_of(path));
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    names_[path] = nodes_.size();
    nodes_.push_back({.durable = std::move(content), .pending = {}});
    nodes_.back().size = nodes_.back().durable.size();
  }
  durable_names_ = names_;
  off_ = false;
  off_at_ = fail_at_ = UINT64_MAX;
}

}  // namespace orch::power
