// Blacks out secrets in a stream of text, wherever the stream is cut. Knows no file and no process.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orch::execute {

// Every secret in every form that secret_forms() knows, every Hugging Face token ("hf_" and 20
// letters or digits) and every "Bearer xxx" becomes "[secret]"; what overlaps or touches becomes
// one. What comes out does not depend on how the text was cut: only that is held back which may be
// the begin of a secret.
class Redactor {
 public:
  explicit Redactor(const std::vector<std::string>& secrets);
  // What is decided by now.
  std::string feed(std::string_view chunk);
  // The rest. The text is over; the next feed() begins another.
  std::string finish();

 private:
  enum class Run {
    none,
    token,
    bearer
  };  // what a hidden stretch goes on with; a later one takes in all of an earlier
  struct Match {
    std::size_t size = 0;
    Run run = Run::none;
    bool undecided = false;  // more text could make it longer, or make one
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
  std::string text_;        // not decided yet
  std::size_t hidden_ = 0;  // bytes of text_ that are part of a secret
  Run run_ = Run::none;
  bool hiding_ = false;  // what was decided last is part of a secret
};

}  // namespace orch::execute
