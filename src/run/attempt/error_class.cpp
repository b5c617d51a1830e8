#include "run/attempt/error_class.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace orch::attempt {

namespace {

struct Row {
  int number;
  std::string_view failure;
};

constexpr Row k_rows[] = {
    {ENOSPC, "disk_full"},      {EDQUOT, "disk_quota"},     {EROFS, "read_only"},
    {EFBIG, "file_size_limit"}, {EMFILE, "too_many_files"}, {ENFILE, "too_many_files"},
    {EACCES, "no_access"},      {EPERM, "no_access"},       {EIO, "io_error"},
    {EBADMSG, "io_error"},  // a checksum of the file system
    {EUCLEAN, "io_error"},      {EREMOTEIO, "io_error"},    {ENODEV, "io_error"},
    {ENXIO, "io_error"},        {ESTALE, "io_error"},  // as the next two, of a network file system
    {ETIMEDOUT, "io_error"},    {ENOTCONN, "io_error"},
};

}  // namespace

std::string_view class_of_number(int number, std::string_view otherwise) {
  const auto row =
      std::ranges::find_if(k_rows, [&](const Row& one) { return one.number == number; });
  return row == std::end(k_rows) ? otherwise : row->failure;
}

std::string_view class_of(const Error& error, std::string_view otherwise) {
  return class_of_number(error.number, otherwise);
}

std::string_view class_of_message(std::string_view message) {
  const std::string_view line = message.substr(0, message.find('\n'));
  if (!line.starts_with("cannot ")) return "";
  const auto row = std::ranges::find_if(k_rows, [&](const Row& one) {
    return line.ends_with(std::string(": ") + std::strerror(one.number));
  });
  return row == std::end(k_rows) ? "" : row->failure;
}

}  // namespace orch::attempt
