// The failure class of an error of our own work on an attempt, by its number.
#include "run/attempt/failure.hpp"

#include <cerrno>

#include <gtest/gtest.h>

namespace orch::attempt {
namespace error_class_test {

struct Row {
  int number;
  const char* failure;
};

constexpr Row k_rows[] = {
    {ENOSPC, "disk_full"},      {EDQUOT, "disk_quota"},     {EROFS, "read_only"},
    {EFBIG, "file_size_limit"}, {EMFILE, "too_many_files"}, {ENFILE, "too_many_files"},
    {EACCES, "no_access"},      {EPERM, "no_access"},       {EIO, "io_error"},
    {EBADMSG, "io_error"},      {EUCLEAN, "io_error"},      {EREMOTEIO, "io_error"},
    {ENODEV, "io_error"},       {ENXIO, "io_error"},        {ESTALE, "io_error"},
    {ETIMEDOUT, "io_error"},    {ENOTCONN, "io_error"},
};

TEST(ErrorClass, OfEachNumberIsAFailureOfTheMachine) {
  for (const Row& row : k_rows) {
    const Error error = io_error("open", "/store/a", row.number);
    const FailureClass found = class_of(error, FailureClass::cannot_publish);
    EXPECT_EQ(to_string(found), row.failure) << error.message;
    EXPECT_EQ(traits_of(found).kind, FailureKind::harness) << row.failure;
  }
}

TEST(ErrorClass, IsLeftToTheCallerWhereTheNumberSaysTooLittle) {
  for (const FailureClass other : {FailureClass::cannot_start, FailureClass::output_missing}) {
    EXPECT_EQ(class_of(io_error("open", "/store/a", ENOENT), other), other);
    EXPECT_EQ(class_of(invalid("the output 'a' is empty"), other), other);
  }
}

TEST(ErrorClass, IsReadBackFromTheMessagesOfOlderVersions) {
  for (const Row& row : k_rows) {
    const std::string message = io_error("list", "/store/a: b", row.number).message;
    EXPECT_EQ(class_of_message(message + "\nthe end of the log"),
              parse_name<FailureClass>(row.failure))
        << message;
  }
  for (const char* other :
       {"the output 'engine' is missing or empty",
        "cannot open /store/a: No such file or directory",
        "the output 'x: Input/output error' is missing: Input/output error", ""})
    EXPECT_EQ(class_of_message(other), std::nullopt) << other;
}

}  // namespace error_class_test
}  // namespace orch::attempt
