// Why a TLS certificate was refused, in words. Does not verify.
#pragma once

#include <string>

namespace orch::system {

// VERDICT is an X509_V_ERR_... of OpenSSL; HOST the name that the certificate must have.
std::string certificate_refusal(long verdict, const std::string& host);

}  // namespace orch::system
