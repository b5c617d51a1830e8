// Where things stand in a results folder. Names only; makes nothing.
#pragma once

#include <filesystem>

namespace orch::store {

struct Layout {
  std::filesystem::path root;  // absolute

  std::filesystem::path database() const { return root / "results.db"; }
  std::filesystem::path lock() const { return root / "lock"; }
  std::filesystem::path artifacts() const { return root / "artifacts"; }
  std::filesystem::path logs() const { return root / "logs"; }
  std::filesystem::path inbox() const { return root / "inbox"; }
  std::filesystem::path reports() const { return root / "reports"; }
  // PATH as the database holds it.
  std::filesystem::path at(const std::filesystem::path& path) const { return (root / path).lexically_normal(); }
};

}  // namespace orch::store
