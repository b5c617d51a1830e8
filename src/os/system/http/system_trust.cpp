#include "os/system/http/system_trust.hpp"

#include "core/base/text.hpp"

#include <cstdlib>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace orch::system {

namespace {

namespace fs = std::filesystem;

// Of Debian and Arch, RHEL and Fedora (old and new), openSUSE, and Alpine.
constexpr const char* k_bundles[] = {"/etc/ssl/certs/ca-certificates.crt",
                                     "/etc/pki/tls/certs/ca-bundle.crt",
                                     "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                                     "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};

// The value of the variable NAME, or else USUAL.
std::string variable_or(const char* name, const char* usual) {
  const char* value = std::getenv(name);
  return value ? value : usual;
}

bool load_file(ssl_ctx_st* context, const std::string& file) {
  const bool loaded = SSL_CTX_load_verify_locations(context, file.c_str(), nullptr) == 1;
  ERR_clear_error();
  return loaded;
}

// Whether FOLDER has a file "0a1b2c3d.0", the form in which OpenSSL finds certificates.
bool has_hashes(const std::string& folder) {
  constexpr std::size_t k_digits = 8;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    if (name.find('.') == k_digits && name.find_first_not_of("0123456789abcdef") == k_digits)
      return true;
  }
  return false;
}

bool load_folders(ssl_ctx_st* context, const std::string& folders) {
  if (std::ranges::none_of(split(folders, ':'), has_hashes)) return false;
  const bool loaded = SSL_CTX_load_verify_locations(context, nullptr, folders.c_str()) == 1;
  ERR_clear_error();
  return loaded;
}

}  // namespace

TrustPlaces trust_places() {
  TrustPlaces places{
      .file = variable_or(X509_get_default_cert_file_env(), X509_get_default_cert_file()),
      .folder = variable_or(X509_get_default_cert_dir_env(), X509_get_default_cert_dir())};
  if (!std::getenv(X509_get_default_cert_file_env()) &&
      !std::getenv(X509_get_default_cert_dir_env()))
    places.bundles.assign(std::begin(k_bundles), std::end(k_bundles));
  return places;
}

Status trust_system(ssl_ctx_st* context, const TrustPlaces& places) {
  const bool from_file = load_file(context, places.file);
  if (load_folders(context, places.folder) || from_file) return {};
  for (const std::string& bundle : places.bundles)
    if (load_file(context, bundle)) return {};
  std::vector<std::string> tried = {places.file, places.folder};
  for (const std::string& bundle : places.bundles)
    if (!contains(tried, bundle)) tried.push_back(bundle);
  return Error{.kind = ErrorKind::io,
               .message = fmt::format("no certificates of authorities are in {}; name a file of "
                                      "them with SSL_CERT_FILE or --ca-file",
                                      join(tried, ", "))};
}

}  // namespace orch::system
