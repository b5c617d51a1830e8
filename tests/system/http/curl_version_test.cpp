// libcurl is not loaded with the program.
#include "system/http/curl_version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

namespace orch::system {
namespace curl_version_test {

const bool k_loaded_ahead_of_main = ::dlopen("libcurl.so.4", RTLD_LAZY | RTLD_NOLOAD) != nullptr;

TEST(CurlVersion, IsKnownOnceItIsAskedFor) {
  EXPECT_FALSE(k_loaded_ahead_of_main);
  EXPECT_THAT(curl_version(), testing::Not(testing::HasSubstr("load")));
}

}  // namespace curl_version_test
}  // namespace orch::system
