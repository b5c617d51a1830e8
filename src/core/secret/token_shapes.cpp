#include "core/secret/token_shapes.hpp"

#include "core/base/text.hpp"

namespace orch {

namespace {

bool is_token_character(char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; }
bool is_upper_or_digit(char c) { return is_digit(c) || (c >= 'A' && c <= 'Z'); }

// A token: a prefix, then at least `least` characters of one class.
struct Shape {
  std::string_view prefix;
  std::string_view kind;
  std::size_t least;
  bool (*of)(char);
};

constexpr Shape k_shapes[] = {
    {"hf_", "a Hugging Face token", 20, is_letter_or_digit},
    {"nvapi-", "an NVIDIA API key", 20, is_token_character},
    {"ghp_", "a GitHub token", 20, is_letter_or_digit},
    {"gho_", "a GitHub token", 20, is_letter_or_digit},
    {"ghs_", "a GitHub token", 20, is_letter_or_digit},
    {"github_pat_", "a GitHub token", 20, is_token_character},
    {"glpat-", "a GitLab token", 20, is_token_character},
    {"sk-", "an API key", 20, is_token_character},
    {"AKIA", "an AWS access key", 16, is_upper_or_digit},
    {"xoxb-", "a Slack token", 10, is_token_character},
    {"xoxp-", "a Slack token", 10, is_token_character},
};

constexpr std::string_view k_key_begin = "-----BEGIN ";
constexpr std::string_view k_key_end = "PRIVATE KEY";

// The kind of token that begins at TEXT's first character; "" if none does.
std::string_view kind_at(std::string_view text) {
  if (text.starts_with(k_key_begin)) {
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    return line.find(k_key_end) == std::string_view::npos ? std::string_view() : "a private key";
  }
  for (const Shape& shape : k_shapes) {
    if (!text.starts_with(shape.prefix)) continue;
    const auto rest = text.substr(shape.prefix.size());
    const auto end = std::ranges::find_if_not(rest, shape.of);
    if (static_cast<std::size_t>(end - rest.begin()) >= shape.least) return shape.kind;
  }
  return {};
}

}  // namespace

std::optional<FoundSecret> find_secret(std::string_view text) {
  int line = 1;
  int column = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_word = i == 0 || !(is_letter_or_digit(text[i - 1]) || text[i - 1] == '_');
    const auto kind = begins_word ? kind_at(text.substr(i)) : std::string_view();
    if (!kind.empty())
      return FoundSecret{.offset = i, .kind = kind, .line = line, .column = column};
    if (text[i] == '\n') {
      ++line;
      column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) ++column;
  }
  return std::nullopt;
}

}  // namespace orch
