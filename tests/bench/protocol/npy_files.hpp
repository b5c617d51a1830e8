// Files of NumPy's format for tests.
#pragma once

#include <string>

#include <fmt/format.h>

namespace orch::protocol {

// SHAPE is Python: "(1, 2)". CONTENTS need not fit it.
inline std::string npy(const std::string& descr, const std::string& shape,
                       const std::string& contents, const std::string& fortran = "False",
                       int version = 1) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr, fortran, shape);
  header.resize(118, ' ');
  header += '\n';
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    text += static_cast<char>(header.size() >> 8 * i & 0xFF);
  return text + header + contents;
}

}  // namespace orch::protocol
