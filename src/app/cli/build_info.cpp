#include "app/cli/help.hpp"
#include "app/session/project.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"

#include <CLI/CLI.hpp>
#include <boost/version.hpp>
#include <curl/curl.h>
#include <google/protobuf/stubs/common.h>
#include <nghttp2/nghttp2.h>
#include <nlohmann/json.hpp>
#include <openssl/crypto.h>
#include <spdlog/version.h>
#include <sqlite3.h>
#include <zstd.h>

namespace orch::cli {

namespace {

std::string dotted(int major, int minor, int patch) {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

// In alphabetical order.
constexpr Library k_libraries[] = {
    {"Boost", "Boost", "BSL-1.0",
     [] {
       return dotted(BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100);
     }},
    {"CLI11", "CLI11", "BSD-3-Clause", [] { return std::string(CLI11_VERSION); }},
    {"fmt", "fmt", "MIT",
     [] { return dotted(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100); }},
    {"CURL", "libcurl", "curl",
     [] { return std::string(curl_version_info(CURLVERSION_NOW)->version); }},
    {"NGHTTP2", "nghttp2", "MIT", [] { return std::string(nghttp2_version(0)->version_str); }},
    {"nlohmann_json", "nlohmann-json", "MIT",
     [] {
       return dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                     NLOHMANN_JSON_VERSION_PATCH);
     }},
    {"OpenSSL", "OpenSSL", "Apache-2.0",
     [] { return std::string(OpenSSL_version(OPENSSL_VERSION_STRING)); }},
    {"Protobuf", "protobuf", "BSD-3-Clause",
     [] { return google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION); }},
    {"spdlog", "spdlog", "MIT",
     [] { return dotted(SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH); }},
    {"SQLite3", "SQLite", "blessing", [] { return std::string(sqlite3_libversion()); }},
    {"yaml-cpp", "yaml-cpp", "MIT", [] { return std::string(ORCH_YAML_CPP); }},
    {"ZSTD", "zstd", "BSD-3-Clause", [] { return std::string(ZSTD_versionString()); }},
};

std::string compiler() {
#ifdef __clang__
  return fmt::format("clang {}", __clang_version__);
#else
  return fmt::format("g++ {}", __VERSION__);
#endif
}

// The folder that a portable build brings along; "" without it.
std::string licence_texts() {
  std::error_code code;
  const auto prefix = std::filesystem::path(session::own_binary()).parent_path().parent_path();
  const auto folder = prefix / "share/doc/orchestrate/licences";
  return std::filesystem::is_directory(folder, code) ? folder.string() : "";
}

}  // namespace

std::span<const Library> libraries() { return k_libraries; }

std::string version_text(bool with_licences) {
  std::string text = fmt::format("orchestrate {}\n", k_version);
  const auto add = [&](std::string_view what, std::string_view value) {
    text += fmt::format("{:<14} {}\n", what, value);
  };
  add("commit", fmt::format("{} ({})", built_commit(), built_date()));
  add("compiler", compiler());
  for (const Library& library : libraries())
    add(library.name, with_licences ? fmt::format("{:<10} {}", library.version(), library.licence)
                                    : library.version());
  if (const std::string texts = licence_texts(); with_licences && !texts.empty())
    add("texts in", texts);
  text.pop_back();  // without the last newline, which the parser adds
  return text;
}

}  // namespace orch::cli
