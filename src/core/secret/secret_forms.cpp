#include "core/secret/secret_forms.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace orch::secret {

namespace {

constexpr std::string_view k_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t k_coded_begin = 4;  // characters
constexpr std::size_t k_least_rest = 8;

// The base64 characters that depend on SECRET alone when it starts BEFORE bytes into a group of
// three.
std::string base64_core(std::string_view secret, std::size_t before, std::string_view last_two) {
  const std::size_t first = (8 * before + 5) / 6;
  const std::size_t end = 8 * (before + secret.size()) / 6;
  std::string core;
  for (std::size_t digit = first; digit < end; ++digit) {
    const std::size_t bit = 6 * digit - 8 * before;  // of the secret
    const auto byte = [&](std::size_t i) {
      return i < secret.size() ? static_cast<unsigned char>(secret[i]) : 0u;
    };
    const unsigned value = (byte(bit / 8) << 8 | byte(bit / 8 + 1)) >> (10 - bit % 8) & 63u;
    core += value < 62 ? k_digits[value] : last_two[value - 62];
  }
  return core;
}

using Forms = std::set<std::string>;

void add_base64(std::string_view text, Forms& forms) {
  for (const std::string_view last_two : {"+/", "-_"})
    for (std::size_t before = 0; before < 3; ++before)
      forms.insert(base64_core(text, before, last_two));
}

std::string hex(std::string_view text, std::string_view prefix, std::string_view separator,
                bool upper) {
  const std::string_view digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    if (!out.empty()) out += separator;
    out += prefix;
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

void add_hex(std::string_view text, Forms& forms) {
  for (const bool upper : {false, true})
    for (const std::string_view prefix : {"", "0x"})
      for (const std::string_view separator : {"", " ", ":", "-", ",", ", "})
        forms.insert(hex(text, prefix, separator, upper));
}

template <class Escape> std::string escaped(std::string_view text, Escape escape) {
  std::string out;
  for (const char c : text) out += escape(c);
  return out;
}

std::string percent_encoded(std::string_view text, std::string_view kept) {
  return escaped(text, [&](char c) -> std::string {
    if (is_letter_or_digit(c) || kept.find(c) != std::string_view::npos) return std::string(1, c);
    return fmt::format("%{:02X}", static_cast<unsigned char>(c));
  });
}

// What is coded as a whole: the secret, and the secret escaped.
Forms texts_of(const std::string& secret) {
  const std::string quoted = json_quote(secret);
  return {secret, percent_encoded(secret, "-._~"), percent_encoded(secret, "-._~/"),
          quoted.substr(1, quoted.size() - 2)};
}

// A line may be wrapped inside the first characters of a form, where a text of few characters
// says nothing yet.
void add_rests(Forms& forms) {
  Forms rests;
  for (const std::string& form : forms)
    if (form.size() >= k_coded_begin + k_least_rest) rests.insert(form.substr(k_coded_begin));
  forms.merge(rests);
}

}  // namespace

std::vector<std::string> coded_forms(const std::string& secret) {
  if (secret.size() < k_shortest_secret) return {};
  Forms once, forms;
  add_base64(secret, once);
  for (const bool upper : {false, true}) once.insert(hex(secret, "", "", upper));
  for (const std::string& form : once) {
    add_base64(form, forms);
    for (const bool upper : {false, true}) forms.insert(hex(form, "", "", upper));
  }
  for (const std::string& text : texts_of(secret)) add_base64(text, forms);
  add_hex(secret, forms);
  add_rests(forms);
  std::erase_if(forms, [](const std::string& form) { return form.size() < k_shortest_secret; });
  return {forms.begin(), forms.end()};
}

bool names_a_secret(std::string_view variable) {
  std::string name = lower(variable);
  for (const std::string_view word :
       {"secret", "passwd", "password", "api_key", "apikey", "credential"})
    if (name.find(word) != std::string::npos) return true;
  static constexpr std::string_view k_token = "token";
  for (std::size_t at = name.find(k_token); at != std::string::npos;
       at = name.find(k_token, at + 1))
    if (at + k_token.size() == name.size() || !is_letter(name[at + k_token.size()])) return true;
  return false;
}

}  // namespace orch::secret
