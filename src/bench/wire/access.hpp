// Credentials for a server, and redaction of the secret in texts. Opens no file and no connection.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/secret/redact.hpp"

namespace orch::wire {

struct Access {
  // Value of the Authorization header; "" for none. A secret: never in errors or records.
  std::string authorization = {};
  // Further headers of each request, "NAME: VALUE". Values may be secrets.
  std::vector<std::string> headers = {};
  std::string ca_file = {};  // trusted certificates; "" for those of the system
  bool verify = true;        // TLS: check the certificate's issuer, dates and host
  // Control pages are given up within a second once it is true. Borrowed; may be null.
  const std::atomic<bool>* stop = nullptr;
  // The token in every form, and other values that no text may repeat; null: the token as it is.
  std::shared_ptr<const secret::Secrets> secrets = nullptr;
};

// Replaces the secrets of ACCESS by *** wherever TEXT repeats them, also where the end of TEXT
// truncates one. For texts that a server influences. ENDS, offsets into TEXT, are adjusted.
void black_out(const Access& access, std::string& text, std::span<std::size_t> ends = {});
std::string blacked_out(const Access& access, std::string text);
// The same for a binary message: its length does not change.
std::string blacked_out_bytes(const Access& access, std::string bytes);

}  // namespace orch::wire
