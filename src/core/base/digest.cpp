#include "core/base/digest.hpp"

#include <cassert>
#include <cstring>

#include <openssl/evp.h>

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

std::uint64_t Digest::first_bytes() const {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes_.data(), sizeof value);
  return value;
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
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                  &EVP_MD_CTX_free};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  [[maybe_unused]] const int ok = EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr);
  assert(ok == 1);
}

Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size());
}

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

namespace {

void put_number(std::string& bytes, std::size_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}

void put_text(std::string& bytes, std::string_view text) {
  put_number(bytes, text.size());
  bytes += text;
}

// Reads the number at BYTES[at] and moves AT past it.
std::size_t take_number(std::string_view bytes, std::size_t& at) {
  std::size_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(bytes[at++]);
    number |= std::size_t{byte & 0x7fu} << shift;
    if (!(byte & 0x80)) return number;
  }
}

std::string_view take_text(std::string_view bytes, std::size_t& at) {
  const std::size_t size = take_number(bytes, at);
  at += size;
  return bytes.substr(at - size, size);
}

}  // namespace

void Components::add(std::string_view name, std::string_view value) {
  if (base_) unshare();
  put_number(bytes_, 0);
  put_text(bytes_, name);
  put_text(bytes_, value);
}

template <class Visit> void Components::for_each(const Visit& visit) const {
  std::size_t index = 0;
  for (std::size_t at = 0; at < bytes_.size(); ++index) {
    for (std::size_t same = take_number(bytes_, at); same > 0; --same, ++index)
      visit((*base_)[index].name, (*base_)[index].value);
    if (at == bytes_.size()) return;
    const std::string_view name = take_text(bytes_, at);
    visit(name, take_text(bytes_, at));
  }
}

Components::List Components::list() const {
  List list;
  for_each([&list](std::string_view name, std::string_view value) {
    list.push_back({std::string(name), std::string(value)});
  });
  return list;
}

void Components::unshare() {
  const List whole = list();
  *this = Components();
  for (const Component& component : whole) add(component.name, component.value);
}

void Components::share(std::shared_ptr<const List> base) {
  if (base_) unshare();
  std::string bytes;
  std::size_t index = 0, same = 0;
  for_each([&](std::string_view name, std::string_view value) {
    if (index < base->size() && (*base)[index].name == name && (*base)[index].value == value) {
      ++same;
    } else {
      put_number(bytes, same);
      put_text(bytes, name);
      put_text(bytes, value);
      same = 0;
    }
    ++index;
  });
  if (same > 0) put_number(bytes, same);
  bytes.shrink_to_fit();
  bytes_ = std::move(bytes);
  base_ = std::move(base);
}

Digest Components::digest() const {
  std::string encoded;
  encoded.reserve(bytes_.size() * 2);
  auto feed = [&encoded](std::string_view text) {
    for (std::size_t i = 0; i < 8; ++i) encoded += static_cast<char>(text.size() >> (8 * i) & 0xff);
    encoded += text;
  };
  for_each([&feed](std::string_view name, std::string_view value) {
    feed(name);
    feed(value);
  });
  return sha256(encoded);
}

}  // namespace orch
