// The certificates of authorities that this system has, for TLS without --ca-file.
#pragma once

#include "core/base/result.hpp"

#include <string>
#include <vector>

struct ssl_ctx_st;

namespace orch::system {

struct TrustPlaces {
  std::string file;    // of certificates
  std::string folder;  // of certificates by their hashes; several are separated by ':'
  std::vector<std::string> bundles = {};  // used in this order if both have no certificate
};

// Those of SSL_CERT_FILE and SSL_CERT_DIR. A variable that is not set stands for the place that
// OpenSSL was built for; if neither is, the bundles of the usual distributions follow, because a
// program for all of them knows only one such place.
TrustPlaces trust_places();

// Makes CONTEXT, an SSL_CTX of OpenSSL, trust the certificates of PLACES. The error names them all.
Status trust_system(ssl_ctx_st* context, const TrustPlaces& places = trust_places());

}  // namespace orch::system
