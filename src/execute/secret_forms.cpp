#include "execute/secret_forms.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace orch::execute {

namespace {

constexpr std::string_view k_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

// The base64 characters that depend on SECRET alone when it starts BEFORE bytes into a group of
// three.
std::string base64_core(std::string_view secret, std::size_t before, std::string_view last_two) {
  const std::size_t first = (8 * before + 5) / 6;
  const std::size_t end = 8 * (before + secret.size()) / 6;
  std::string core;
  for (std::size_t digit = first; digit < end; ++digit) {
    unsigned value = 0;
    for (std::size_t bit = 6 * digit; bit < 6 * digit + 6; ++bit)
      value = 2 * value +
              ((static_cast<unsigned char>(secret[bit / 8 - before]) >> (7 - bit % 8)) & 1u);
    core += value < 62 ? k_digits[value] : last_two[value - 62];
  }
  return core;
}

template <class Escape> std::string escaped(std::string_view text, Escape escape) {
  std::string out;
  for (const char c : text) out += escape(c);
  return out;
}

void add_percent(std::string_view secret, std::set<std::string>& forms) {
  for (const std::string_view kept : {"-._~", "-._~/", "-._~!*'()"})
    for (const bool upper : {true, false})
      for (const bool plus : {true, false})
        forms.insert(escaped(secret, [&](char c) -> std::string {
          if (is_letter_or_digit(c) || kept.find(c) != std::string_view::npos)
            return std::string(1, c);
          if (plus && c == ' ') return "+";
          return fmt::format(fmt::runtime(upper ? "%{:02X}" : "%{:02x}"),
                             static_cast<unsigned char>(c));
        }));
}

std::string json_escape(char c, bool slash, bool upper) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '/': return slash ? "\\/" : "/";
    default: break;
  }
  if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) return std::string(1, c);
  return fmt::format(fmt::runtime(upper ? "\\u{:04X}" : "\\u{:04x}"),
                     static_cast<unsigned char>(c));
}

// The first code point of TEXT, which is UTF-8, and its size in bytes.
std::pair<std::uint32_t, std::size_t> first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  std::uint32_t code = byte(0) & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) code = code << 6 | (byte(i) & 0x3f);
  return {code, size};
}

// TEXT as an ASCII-only JSON writer escapes it.
std::string json_ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [code, size] = first_of(text);
    if (code < 0x80) out += json_escape(text[0], false, false);
    else if (code < 0x10000) out += fmt::format("\\u{:04x}", code);
    else
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((code - 0x10000) >> 10),
                         0xdc00 + ((code - 0x10000) & 0x3ff));
    text.remove_prefix(size);
  }
  return out;
}

void add_json(std::string_view secret, std::set<std::string>& forms) {
  for (const bool slash : {false, true})
    for (const bool upper : {false, true})
      forms.insert(escaped(secret, [&](char c) { return json_escape(c, slash, upper); }));
  if (find_not_utf8(secret) == std::string_view::npos) forms.insert(json_ascii(secret));
}

// Inside single quotes with either way to write a quote, and with backslashes before special
// characters, outside and inside double quotes.
void add_shell(std::string_view secret, std::set<std::string>& forms) {
  forms.insert(
      escaped(secret, [](char c) { return c == '\'' ? std::string("'\\''") : std::string(1, c); }));
  forms.insert(escaped(
      secret, [](char c) { return c == '\'' ? std::string("'\"'\"'") : std::string(1, c); }));
  forms.insert(escaped(secret, [](char c) {
    static constexpr std::string_view k_special = " \t!\"#$&'()*,;<>?[\\]^`{|}";
    return k_special.find(c) == std::string_view::npos ? std::string(1, c) : std::string("\\") + c;
  }));
  forms.insert(escaped(secret, [](char c) {
    static constexpr std::string_view k_in_double_quotes = "\"$`\\";
    return k_in_double_quotes.find(c) == std::string_view::npos ? std::string(1, c)
                                                                : std::string("\\") + c;
  }));
}

}  // namespace

std::vector<std::string> secret_forms(const std::string& secret) {
  if (secret.size() < k_shortest_secret) return {};
  std::set<std::string> forms = {secret};
  for (const std::string_view last_two : {"+/", "-_"})
    for (std::size_t before = 0; before < 3; ++before)
      forms.insert(base64_core(secret, before, last_two));
  add_percent(secret, forms);
  add_json(secret, forms);
  add_shell(secret, forms);
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

}  // namespace orch::execute
