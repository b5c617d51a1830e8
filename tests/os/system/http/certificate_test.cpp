// Words for the verdicts of OpenSSL about certificates.
#include "os/system/http/http.hpp"

#include <gtest/gtest.h>
#include <openssl/x509_vfy.h>

namespace orch::system {
namespace certificate_test {

TEST(CertificateRefusal, NamesTheCauseAndWhatToDo) {
  EXPECT_EQ(certificate_refusal(X509_V_ERR_CERT_HAS_EXPIRED, "h"), "its certificate has expired");
  EXPECT_EQ(certificate_refusal(X509_V_ERR_CERT_NOT_YET_VALID, "h"),
            "its certificate is not valid yet; is the clock of this machine right?");
  EXPECT_EQ(certificate_refusal(X509_V_ERR_IP_ADDRESS_MISMATCH, "h"),
            "its certificate is not for 'h'; use the name that it was issued for");
  EXPECT_EQ(certificate_refusal(X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, "h"),
            "no authority trusted here issued its certificate; name the issuer's certificate with "
            "--ca-file");
}

TEST(CertificateRefusal, HasOpensslsWordsForOtherVerdicts) {
  EXPECT_EQ(certificate_refusal(X509_V_ERR_CERT_REVOKED, "h"),
            "its certificate was refused: certificate revoked");
}

}  // namespace certificate_test
}  // namespace orch::system
