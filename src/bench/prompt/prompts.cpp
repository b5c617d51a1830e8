#include "bench/prompt/prompts.hpp"

#include "bench/prompt/prompt_forms.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"

#include <cmath>
#include <limits>

namespace orch::prompt {

namespace {

constexpr double k_longest = 10'000'000;

std::optional<Length> length_of(const std::vector<std::string>& parts) {
  if (parts.size() > 3) return std::nullopt;
  const auto mean = to_real(parts[0]);
  const auto sd = parts.size() > 1 ? to_real(parts[1]) : std::optional(0.0);
  const auto most =
      parts.size() > 2 ? to_integer(parts[2]) : std::optional(static_cast<std::int64_t>(k_longest));
  if (!mean || !sd || !most) return std::nullopt;
  if (!(*mean >= 1 && *mean <= k_longest && *sd >= 0 && *sd <= k_longest)) return std::nullopt;
  if (*most < 1 || *most > static_cast<std::int64_t>(k_longest)) return std::nullopt;
  if (*sd == 0 && *mean != std::floor(*mean)) return std::nullopt;
  return Length{.mean = *mean, .sd = *sd, .most = *most};
}

// Detects timestamps in milliseconds that look like seconds.
class Milliseconds {
 public:
  void add(double ms) {
    least_ = std::min(least_, ms);
    most_ = std::max(most_, ms);
    fractions_ = fractions_ || ms != std::floor(ms);
    ++count_;
  }
  bool look_like_seconds() const {
    return count_ >= k_few && fractions_ && most_ - least_ < k_one_second;
  }

 private:
  static constexpr std::size_t k_few = 10;
  static constexpr double k_one_second = 1000;

  std::size_t count_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  double most_ = 0;
  bool fractions_ = false;
};

// Collects the rows of one block.
class SetMaker {
 public:
  SetMaker(std::string_view name, int block) : name_(name), block_(block) {}

  void add(PromptRow row, int line) {
    if (row.block != block_) return;
    if (row.timestamp_ms) times_.add(*row.timestamp_ms);
    if (!row.prompt.osl) note_missing_osl(line);
    set_.answered = set_.answered || row.answer.has_value();
    further_turns_ += row.has_further_turns;
    has_models_ |= row.has_model;
    if (row.isl_asked && row.isl_asked != row.prompt.isl) ++inexact_;
    note_unshared(row.unshared.value_or(0));
    (row.warmup ? set_.warmup : set_.measured).push_back(std::move(row.prompt));
  }

  // LEFT_OUT: the number of conversations without a prompt.
  PromptSet take(std::int64_t left_out) {
    const std::size_t all = set_.warmup.size() + set_.measured.size();
    if (times_.look_like_seconds())
      notice(
          "the timestamps of {} are read as milliseconds, and all lie within 1 s; if they are "
          "seconds, name them 'timestamp_s'",
          name_);
    if (left_out > 0)
      notice(
          "conversations that were left out because they have no text from \"human\" or \"user\": "
          "{}",
          left_out);
    if (further_turns_ > 0)
      notice("only the first question of a conversation is sent: {} of {} have more",
             further_turns_, all);
    if (has_models_)
      notice("'model' and 'stream' of the rows of {} are not sent: they are those of the run",
             name_);
    if (inexact_ > 0)
      notice(
          "{} of {} prompts could not be made exactly as long as requested; 'isl' has their real "
          "lengths",
          inexact_, all);
    if (short_prefixes_ > 0)
      notice(
          "{} of {} prompts have a shared prefix up to {} shorter than requested: no words "
          "have exactly that length",
          short_prefixes_, all, plural(most_unshared_, "token"));
    return std::move(set_);
  }

 private:
  template <class... Values> void notice(fmt::format_string<Values...> text, Values&&... values) {
    set_.notices.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  void note_unshared(std::int64_t tokens) {
    if (tokens == 0) return;
    ++short_prefixes_;
    most_unshared_ = std::max(most_unshared_, tokens);
  }

  void note_missing_osl(int line) {
    if (set_.without_osl++ > 0) return;
    set_.first_without_osl = set_.warmup.size() + set_.measured.size() + 1;
    set_.first_without_osl_line = line;
  }

  std::string_view name_;
  int block_;
  std::size_t inexact_ = 0;
  std::size_t further_turns_ = 0;
  bool has_models_ = false;
  std::size_t short_prefixes_ = 0;
  std::int64_t most_unshared_ = 0;
  Milliseconds times_;
  PromptSet set_;
};

}  // namespace

Result<Length> parse_length(std::string_view option, std::string_view text) {
  if (const auto length = length_of(split(text, ':'))) return *length;
  return invalid(fmt::format(
      "{} is {}; write a number of tokens ({} 512), a mean and standard deviation ({} 512:64), or "
      "these and the largest length ({} 512:64:768)",
      option, quoted(text), option, option, option));
}

std::vector<std::int64_t> draw_lengths(const Length& length, std::uint64_t seed,
                                       std::size_t count) {
  Random draw(seed);
  std::vector<std::int64_t> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double drawn = length.sd == 0 ? length.mean : length.mean + length.sd * draw.normal();
    out.push_back(std::clamp<std::int64_t>(std::llround(drawn), 1, length.most));
  }
  return out;
}

Result<PromptSet> parse_prompts(std::string_view text, std::string_view name, int block,
                                std::vector<std::string> fields) {
  SetMaker maker(name, block);
  std::size_t row_number = 0;
  ORCH_ASSIGN(const std::int64_t left_out, read_rows(text, name, [&](PromptRow row, int line) {
                if (const std::size_t at = row_number++; at < fields.size())
                  row.prompt.fields = std::move(fields[at]);
                maker.add(std::move(row), line);
              }));
  return maker.take(left_out);
}

}  // namespace orch::prompt
