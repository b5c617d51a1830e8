#include "base/digest.hpp"

#include <openssl/evp.h>

#include <cassert>

namespace orch {

std::string Digest::hex() const {
  static constexpr char k_digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(64);
  for (std::uint8_t byte : bytes_) {
    text += k_digits[byte >> 4];
    text += k_digits[byte & 15];
  }
  return text;
}

bool Digest::parse(std::string_view text, Digest& out) {
  if (text.size() != 64) return false;
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 0; i < 64; ++i) {
    const char c = text[i];
    int digit = 0;
    if (c >= '0' && c <= '9') digit = c - '0';
    else if (c >= 'a' && c <= 'f') digit = c - 'a' + 10;
    else return false;
    bytes[i / 2] = static_cast<std::uint8_t>(bytes[i / 2] << 4 | digit);
  }
  out = Digest(bytes);
  return true;
}

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  [[maybe_unused]] const int ok = EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr);
  assert(ok == 1);
}

Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) { EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()); }

Digest Sha256::finish() {
  std::array<std::uint8_t, 32> bytes{};
  EVP_DigestFinal_ex(state_->context.get(), bytes.data(), nullptr);
  return Digest(bytes);
}

Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

Digest Components::digest() const {
  Sha256 hash;
  auto feed = [&hash](std::string_view bytes) {
    std::array<char, 8> length{};
    for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(bytes.size() >> (8 * i) & 0xff);
    hash.update({length.data(), length.size()});
    hash.update(bytes);
  };
  for (const Component& component : list_) {
    feed(component.name);
    feed(component.value);
  }
  return hash.finish();
}

}  // namespace orch
