// Redacts secrets in a stream of text, however the stream is split. Knows no file and no process.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orch::execute {

// Replaces every secret in every form of secret_forms(), every Hugging Face token ("hf_" and 20
// letters or digits) and every "Bearer xxx" by "[secret]"; matches that overlap or touch become
// one. The output does not depend on how the text was split, because text that may be the beginning
// of a secret is held back. Used from one thread.
class Redactor {
 public:
  explicit Redactor(const std::vector<std::string>& secrets);
  // The text that can be decided with CHUNK.
  std::string feed(std::string_view chunk);
  // The rest of the text. The next feed() begins another text.
  std::string finish();

 private:
  // Which characters extend a redacted stretch; a later value includes the earlier ones.
  enum class Run { none, token, bearer };
  struct Match {
    std::size_t size = 0;
    Run run = Run::none;
    bool undecided = false;  // more text could make a match, or a longer one
  };

  std::string decide(bool is_last);
  bool may_begin(std::size_t at) const;
  std::size_t next_candidate(std::size_t at) const;
  Match match(std::size_t at) const;
  void match_needle(std::string_view text, const std::string& needle, Match& match) const;
  void match_pattern(std::string_view text, std::string_view begin, std::size_t least, Run run,
                     Match& match) const;

  std::vector<std::string> needles_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>>
      by_begin_;                 // first four bytes -> needles
  std::bitset<1 << 16> begins_;  // hashes of first four bytes
  std::bitset<256> first_bytes_;
  std::string text_;        // held back
  std::size_t hidden_ = 0;  // bytes of text_ that are part of a secret
  Run run_ = Run::none;
  bool hiding_ = false;  // the last decided byte is part of a secret
};

// Redacts lines, each by itself.
std::function<std::string(std::string)> line_redactor(const std::vector<std::string>& secrets);

}  // namespace orch::execute
