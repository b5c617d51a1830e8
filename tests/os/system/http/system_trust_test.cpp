// Layouts of certificates as distributions have them, in a temporary folder.
#include "os/system/http/system_trust.hpp"

#include "fakes/temp_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>
#include <openssl/ssl.h>

namespace orch::system {
namespace system_trust_test {

namespace fs = std::filesystem;

class SystemTrust : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) ::unsetenv(name);
    fs::create_directories(folder.path() / "certs");
  }
  void TearDown() override { SetUp(); }

  // Writes the certificate of a new authority.
  void make_certificate(const std::string& name) const {
    const std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 "
        "-nodes -subj /CN=throw-away -days 2 -keyout " +
        folder.file("key") + " -out " + folder.file(name) + " 2>/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  TrustPlaces places(const std::vector<std::string>& bundles = {}) const {
    TrustPlaces all{.file = folder.file("cert.pem"), .folder = folder.file("certs")};
    for (const std::string& name : bundles) all.bundles.push_back(folder.file(name));
    return all;
  }
  // How many certificates are trusted because of a file; -1: an error.
  int trusted(const TrustPlaces& where) const {
    const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_client_method()),
                                                               SSL_CTX_free);
    if (!trust_system(context.get(), where)) return -1;
    return sk_X509_OBJECT_num(X509_STORE_get0_objects(SSL_CTX_get_cert_store(context.get())));
  }

  fakes::TempFolder folder;
};

TEST_F(SystemTrust, IsTheFileThatOpensslKnows) {
  make_certificate("cert.pem");
  make_certificate("bundle.pem");
  EXPECT_EQ(trusted(places({"bundle.pem"})), 1);
}

TEST_F(SystemTrust, IsTheFolderThatOpensslKnows) {
  make_certificate("bundle.pem");
  std::ofstream(folder.path() / "certs" / "0a1b2c3d.0") << "";
  EXPECT_EQ(trusted(places({"bundle.pem"})), 0) << "certificates of a folder are read when needed";
}

// RHEL has a folder of certificates, but not by their hashes.
TEST_F(SystemTrust, IsElseTheFirstBundleWithCertificates) {
  make_certificate("certs/ca-bundle.crt");
  std::ofstream(folder.file("empty.pem")) << "";
  EXPECT_EQ(trusted(places({"missing.pem", "empty.pem", "certs/ca-bundle.crt"})), 1);
  EXPECT_EQ(trusted(places({"missing.pem"})), -1);
}

TEST_F(SystemTrust, NamesEveryPlaceWithoutCertificates) {
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  const Status trusts = trust_system(
      context, {.file = "/n/cert.pem", .folder = "/n/certs", .bundles = {"/n/a", "/n/cert.pem"}});
  SSL_CTX_free(context);
  ASSERT_FALSE(trusts);
  EXPECT_EQ(trusts.error().message,
            "no certificates of authorities are in /n/cert.pem, /n/certs, /n/a; name a file of "
            "them with SSL_CERT_FILE or --ca-file");
}

TEST_F(SystemTrust, OfAVariableIsNoOther) {
  EXPECT_EQ(trust_places().bundles.size(), 5U);
  ::setenv("SSL_CERT_FILE", "/n/own.pem", 1);
  EXPECT_EQ(trust_places().file, "/n/own.pem");
  EXPECT_TRUE(trust_places().bundles.empty());
  ::unsetenv("SSL_CERT_FILE");
  ::setenv("SSL_CERT_DIR", "/n/certs:/n/more", 1);
  EXPECT_EQ(trust_places().folder, "/n/certs:/n/more");
  EXPECT_TRUE(trust_places().bundles.empty());
}

}  // namespace system_trust_test
}  // namespace orch::system
