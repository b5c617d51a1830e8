// Redacts secrets in texts and text streams, however a stream is split.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::secret {

// The secrets to search for: the given values, Hugging Face tokens ("hf_" and at least 20 letters
// or digits), and "Bearer xxx". A value is found verbatim or encoded (coded_forms()), with any
// characters of either escaped (units_at()), and with gaps between them (gap_at()). Immutable.
class Secrets {
 public:
  explicit Secrets(const std::vector<std::string>& values);

 private:
  friend class Redactor;

  // Which characters extend a redacted stretch. A later enumerator includes the earlier ones.
  enum class Run { none, token, bearer };
  struct Match {
    std::size_t size = 0;
    Run run = Run::none;
    bool undecided = false;  // more text could produce a match, or a longer one
    std::size_t begun = 0;   // bytes of a needle that match at the end of the text
  };
  struct State;
  class Walk;
  // Sorted. A gap is allowed only after at least LEAST_BEFORE_GAP characters of a needle.
  struct Needles {
    std::vector<std::string> all;
    std::size_t least_before_gap = 1;
  };

  void expect(const std::string& text, bool with_gaps);
  bool may_begin(std::string_view text, std::size_t at) const;
  bool may_begin_escaped(std::string_view text, std::size_t at, std::size_t escape) const;
  std::size_t next_candidate(std::string_view text, std::size_t at) const;
  Match match(std::string_view text, std::size_t at) const;
  static bool is_token_character(char c);
  static bool is_bearer_character(char c);
  static void match_pattern(std::string_view text, std::string_view begin, std::size_t least,
                            Run run, Match& match);

  static constexpr std::size_t k_begin = 4;  // bytes that are compared first

  Needles plain_, coded_;
  // Indexed by byte: whether an escape or a gap may begin with it.
  std::array<std::uint8_t, 256> special_ = {};
  // Indexed by number of bytes less one: hashes of the beginnings of needles and patterns, and of
  // the beginnings that a gap may follow.
  std::bitset<1 << 16> begins_[k_begin], begins_before_gap_[k_begin - 1];
  // A fast filter where no escape is near: two bytes, and hashes of k_begin bytes.
  std::bitset<1 << 16> look_at_two_, look_at_all_;
};

// How a text ends: it is whole, or was truncated, perhaps inside a secret.
enum class End { whole, cut };

// Replaces every secret by "[secret]"; overlapping or adjacent matches become one. The output does
// not depend on how the text was split, because text that may begin a secret is held back. Use from
// one thread.
class Redactor {
 public:
  explicit Redactor(std::shared_ptr<const Secrets> secrets) : secrets_(std::move(secrets)) {}
  explicit Redactor(const std::vector<std::string>& values)
      : Redactor(std::make_shared<Secrets>(values)) {}
  // Adds CHUNK, and returns the redacted text up to where it is decided.
  std::string feed(std::string_view chunk);
  // Returns the rest of the text. The next feed() starts another text.
  std::string finish(End end = End::whole);
  // The number of redacted stretches.
  std::size_t found() const { return found_; }

 private:
  friend std::vector<std::pair<std::size_t, std::size_t>> find_secrets(const Secrets&,
                                                                       std::string_view, End);
  template <class Take> std::size_t decide(std::string_view text, bool is_last, End end, Take take);
  std::string decided(bool is_last, End end);

  std::shared_ptr<const Secrets> secrets_;
  std::string text_;        // held back
  std::size_t hidden_ = 0;  // bytes of text_ that are part of a secret
  Secrets::Run run_ = Secrets::Run::none;
  bool hiding_ = false;  // the last decided byte is part of a secret
  std::size_t found_ = 0;
};

// The secret stretches of TEXT: offsets of the first byte and past the last.
std::vector<std::pair<std::size_t, std::size_t>> find_secrets(const Secrets& secrets,
                                                              std::string_view text,
                                                              End end = End::whole);
// TEXT as a Redactor would output it.
std::string redacted(const Secrets& secrets, std::string_view text, End end = End::whole);

// A function that redacts VALUES in one line at a time, independently of other lines.
std::function<std::string(std::string)> line_redactor(const std::vector<std::string>& values);

// Redacts secrets in JSON texts, which remain JSON.

// The secrets to search for inside strings and outside them. Outside, values that could be a number
// are excluded, because a secret of digits would also match times and counts.
struct JsonSecrets {
  explicit JsonSecrets(const std::vector<std::string>& values);

  std::shared_ptr<const Secrets> in_strings, outside;
};

// Redacts a stream of JSON texts: secrets inside its strings, and outside them, where the stream
// may not be JSON. A string ends at a newline, so a damaged line does not affect the next. Use from
// one thread.
class JsonRedactor {
 public:
  explicit JsonRedactor(const JsonSecrets& secrets)
      : inside_(secrets.in_strings), outside_(secrets.outside) {}

  std::string feed(std::string_view chunk);
  std::string finish();
  // The number of redacted stretches.
  std::size_t found() const { return inside_.found() + outside_.found(); }

 private:
  std::size_t end_of_part(std::string_view rest);

  Redactor inside_, outside_;
  bool is_inside_ = false;
  bool is_escaped_ = false;  // the next character is escaped
};

// TEXT must be one or more JSON texts.
std::string redacted_json(const JsonSecrets& secrets, std::string_view text);

}  // namespace orch::secret
