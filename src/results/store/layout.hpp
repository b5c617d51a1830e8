// The paths inside a results folder. Creates nothing.
#pragma once

#include "core/base/text.hpp"
#include "os/system/files.hpp"

#include <filesystem>

namespace orch::store {

struct Layout {
  std::filesystem::path root;  // absolute

  std::filesystem::path database() const { return root / "results.db"; }
  std::filesystem::path lock() const { return root / "lock"; }
  // Of a store that several hosts may write to, and of no other.
  std::filesystem::path lease() const { return root / "lease"; }
  std::filesystem::path artifacts() const { return root / "artifacts"; }
  std::filesystem::path logs() const { return root / "logs"; }
  std::filesystem::path records() const { return root / "records"; }
  std::filesystem::path ballast() const { return root / "ballast"; }
  std::filesystem::path inbox() const { return root / "inbox"; }
  std::filesystem::path reports() const { return root / "reports"; }
  // What runs did and why, for bug reports; nothing reads it.
  std::filesystem::path diagnostics() const { return root / "diagnostics.log"; }
  // The folder of a measurement's record, which the database stores as PATH: in the inbox until it
  // has been moved to artifacts/.
  std::filesystem::path record(system::Files& files, const std::filesystem::path& path) const {
    if (files.stat(at(path).string())) return at(path);
    const auto waiting = inbox() / path.lexically_relative("artifacts");
    return files.stat(waiting.string()) ? waiting : at(path);
  }
  // Whether PATH, of the database, which may be damaged or somebody else's, is a file or folder
  // that runs of a store make.
  static bool is_made_by_runs(const std::string& path) {
    const std::vector<std::string> parts = split(path, '/');
    if (parts.size() < 2) return false;
    for (const std::string& part : parts)
      if (part.empty() || part == "." || part == "..") return false;
    return parts[0] == "artifacts" || parts[0] == "attempts" || parts[0] == "logs";
  }
  // The absolute form of PATH as the database stores it.
  std::filesystem::path at(const std::filesystem::path& path) const {
    return (root / path).lexically_normal();
  }
};

}  // namespace orch::store
