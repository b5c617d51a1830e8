// The database made anew from what stands beside it: the records of every run and the measurements
// in artifacts/. The same code writes the rows as when they were first written.
#pragma once

#include "base/result.hpp"
#include "store/host.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace orch::store {

struct Rebuilt {
  std::size_t runs = 0;
  std::string kept_as;  // where the database that was there is now; "" when there was none
  std::vector<std::string> notices;  // what could not be read, in words
};

// Fails with ErrorKind::conflict when the store is in use. Nothing is changed before the new
// database is whole.
Result<Rebuilt> rebuild(const Host& host, const std::filesystem::path& root);

}  // namespace orch::store
