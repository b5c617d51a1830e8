#include "core/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace orch {

namespace {

struct Synonym {
  std::string_view ours;
  std::string_view others;  // synonyms, separated by one space; a word may be in several rows
};

constexpr Synonym k_synonyms[] = {
    {"tp", "tensor_parallel tensor_parallel_size tensor_parallelism tp_size tensor_para_size"},
    {"pp", "pipeline_parallel pipeline_parallel_size pipeline_parallelism pp_size nodes num_nodes"},
    {"cp", "context_parallel context_parallel_size cp_size"},
    {"moe_ep", "expert_parallel expert_parallel_size ep ep_size moe_expert_parallel_size"},
    {"moe_tp", "moe_tensor_parallel_size"},
    {"isl",
     "input_len input_length input_tokens prompt_len prompt_length prompt_tokens context_len"},
    {"osl", "output_len output_length output_tokens max_new_tokens max_tokens request_output_len"},
    {"batch_size", "batch batches bs max_batch max_num_seqs max_num_sequences"},
    {"concurrency", "users clients connections parallel concurrent num_concurrent"},
    {"request_rate", "rate qps rps requests_per_second"},
    {"num_prompts", "requests num_requests request_count prompts"},
    {"precision", "dtype quantization quant quantize weight_dtype qformat"},
    {"trtllm_version", "version release trt_llm_version tensorrt_llm_version"},
    {"instances", "replicas dp data_parallel data_parallel_size instance_count"},
    {"gpus", "gpu gpu_count num_gpus devices"},
    {"gpu_memory_gib", "gpu_memory vram memory_gib"},
    {"warmup", "warm_up warmup_requests warmup_request_count"},
    {"repeats", "repeat repetitions trials runs iterations"},
    {"exclude", "skip filter"},
    {"model", "models"},
    {"models", "model"},
    {"steady", "settled steady_state stable"},
    {"reasons", "reason why_invalid"},
};

// The request itself sets these headers.
constexpr std::string_view k_reserved[] = {
    "host", "content-length",    "content-type", "connection",
    "te",   "transfer-encoding", "user-agent"};

bool is_name(std::string_view name) {
  constexpr std::string_view k_marks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return is_letter_or_digit(c) || k_marks.find(c) != std::string_view::npos;
  });
}

bool is_value(std::string_view value) {
  return std::ranges::all_of(value, [](unsigned char c) { return c >= ' ' && c != 127; });
}

bool is_of_variable(char c) { return is_letter_or_digit(c) || c == '_'; }

// Calls TAKE(text, is_variable) for each stretch of VALUE. False: a '$' is followed by neither a
// name nor another '$'.
template <class Take> bool walk(std::string_view value, Take take) {
  while (!value.empty()) {
    const std::size_t from = std::min(value.find('$'), value.size());
    if (from > 0) take(value.substr(0, from), false);
    value.remove_prefix(from);
    if (value.empty()) break;
    value.remove_prefix(1);
    if (value.starts_with('$')) {
      take(value.substr(0, 1), false);
      value.remove_prefix(1);
      continue;
    }
    const auto end = std::ranges::find_if_not(value, is_of_variable);
    const std::string_view name = value.substr(0, static_cast<std::size_t>(end - value.begin()));
    if (name.empty() || is_digit(name[0])) return false;
    take(name, true);
    value.remove_prefix(name.size());
  }
  return true;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

namespace {

// The number of bytes of the UTF-8 character that begins at AT; 0 if none does.
std::size_t character_size(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) {
    return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0u;
  };
  const unsigned first = byte(0);
  const std::size_t size = first < 0x80                    ? 1
                           : first >= 0xc2 && first < 0xe0 ? 2
                           : first >= 0xe0 && first < 0xf0 ? 3
                           : first >= 0xf0 && first < 0xf5 ? 4
                                                           : 0;
  for (std::size_t k = 1; k < size; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  // Overlong forms, surrogates and code points above U+10FFFF.
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
    return 0;
  return size;
}

// TEXT, one character, as \uNNNN if it is a bidirectional control character, which makes a terminal
// reorder the following text: U+202A to U+202E and U+2066 to U+2069. Otherwise "".
std::string direction_mark(std::string_view text) {
  if (text.size() != 3 || text[0] != '\xe2') return "";
  const int code = 0x2000 | (text[1] & 0x3f) << 6 | (text[2] & 0x3f);
  const bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return turns ? fmt::format("\\u{:04x}", code) : "";
}

// TEXT with \xNN in place of each control character that is not in KEPT, and of each byte of
// invalid UTF-8, which an 8-bit terminal would take for a control character. U+0080 to U+009F are
// control characters, too; bidirectional ones become \uNNNN.
std::string without_controls(std::string_view text, std::string_view kept) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = character_size(text, i);
    const auto first = static_cast<unsigned char>(text[i]);
    const bool high = first == 0xc2 && size == 2 && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    const bool low =
        (first < 0x20 || first == 0x7f) && kept.find(text[i]) == std::string_view::npos;
    const std::size_t end = i + std::max<std::size_t>(size, 1);
    if (size == 0 || low || high)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[end - 1]));
    else if (const std::string mark = direction_mark(text.substr(i, size)); !mark.empty())
      out += mark;
    else out += text.substr(i, size);
    i = end;
  }
  return out;
}

}  // namespace

std::string utf8(std::uint32_t code_point) {
  if (code_point < 0x80) return std::string(1, static_cast<char>(code_point));
  const int shift = code_point < 0x800 ? 6 : code_point < 0x10000 ? 12 : 18;
  const std::uint32_t mark = shift == 6 ? 0xc0 : shift == 12 ? 0xe0 : 0xf0;
  std::string out(1, static_cast<char>(mark | code_point >> shift));
  for (int rest = shift - 6; rest >= 0; rest -= 6)
    out += static_cast<char>(0x80 | (code_point >> rest & 0x3f));
  return out;
}

std::size_t find_not_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    std::uint64_t eight = 0;
    if (i + sizeof eight <= text.size() &&
        (std::memcpy(&eight, text.data() + i, sizeof eight), (eight & 0x8080808080808080) == 0)) {
      i += sizeof eight;
      continue;
    }
    const std::size_t size = character_size(text, i);
    if (size == 0) return i;
    i += size;
  }
  return std::string_view::npos;
}

std::string_view trim(std::string_view text) {
  static constexpr std::string_view k_space = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(k_space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(k_space) - first + 1);
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::optional<std::int64_t> to_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> to_real(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() ||
      !std::isfinite(value))
    return std::nullopt;
  return value;
}

namespace {

// Removes the leading digits, or the leading characters up to a digit, from TEXT and returns them.
std::string_view take_run(std::string_view& text) {
  std::size_t size = 1;
  while (size < text.size() && is_digit(text[size]) == is_digit(text[0])) ++size;
  const std::string_view run = text.substr(0, size);
  text.remove_prefix(size);
  return run;
}

int compare_digits(std::string_view a, std::string_view b) {
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

}  // namespace

int compare_versions(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const std::string_view left = take_run(a);
    const std::string_view right = take_run(b);
    const bool numbers = is_digit(left[0]) && is_digit(right[0]);
    if (const int order = numbers ? compare_digits(left, right) : left.compare(right)) return order;
  }
  return static_cast<int>(!a.empty()) - static_cast<int>(!b.empty());
}

namespace {

// The number of edits (insert, delete, replace, swap of neighbours) between two short words.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

bool is_plain_word(std::string_view text) {
  static constexpr std::string_view k_safe = "_@%+=:,./-";
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_letter_or_digit(c) || k_safe.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known) {
  std::optional<std::string> best;
  if (word.size() > 64) return best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (candidate.size() > 64 || longer - std::min(word.size(), candidate.size()) >= best_distance)
      continue;
    const std::size_t distance = edit_distance(lower(word), lower(candidate));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known,
                         std::string_view otherwise) {
  const auto meant = synonym(word, known);
  const auto near = meant ? meant : nearest(word, known);
  return near ? fmt::format("; did you mean '{}'?", *near) : std::string(otherwise);
}

std::vector<std::string> most_similar(std::string_view word, std::span<const std::string> known,
                                      std::size_t count) {
  std::vector<std::string> found;
  const auto add = [&](const std::string& one) {
    if (found.size() < count && !contains(found, one)) found.push_back(one);
  };
  if (const auto meant = synonym(word, known)) add(*meant);
  std::vector<std::string> rest(known.begin(), known.end());
  while (found.size() < count) {
    const auto near = nearest(word, rest);
    if (!near) break;
    add(*near);
    std::erase(rest, *near);
  }
  const std::string part = lower(word);
  for (const std::string& one : rest)
    if (part.size() > 2 && lower(one).find(part) != std::string::npos) add(one);
  return found;
}

std::string one_of(std::span<const std::string> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    out += fmt::format("{}'{}'", i == 0 ? "" : i + 1 < words.size() ? ", " : " or ", words[i]);
  return out;
}

std::string quoted(std::string_view text) {
  static constexpr std::size_t k_shown = 60;  // characters, or invalid bytes
  std::size_t end = 0;
  for (std::size_t shown = 0; shown < k_shown && end < text.size(); ++shown)
    end += std::max<std::size_t>(1, character_size(text, end));
  return "'" + without_controls(text.substr(0, end), "") + (end < text.size() ? "...'" : "'");
}

std::string printable(std::string_view text) { return without_controls(text, "\n\t"); }

std::string printable_line(std::string_view text) {
  std::string out = without_controls(text, "\n\r\t");
  for (const auto& [mark, words] :
       {std::pair{'\n', "\\n"}, std::pair{'\r', "\\r"}, std::pair{'\t', "\\t"}})
    for (std::size_t at = out.find(mark); at != std::string::npos; at = out.find(mark, at + 2))
      out.replace(at, 1, words);
  return out;
}

std::string shell_quote(std::string_view text) {
  if (is_plain_word(text)) return std::string(text);
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'') quoted += "'\\''";
    else quoted += c;
  }
  return quoted + "'";
}

std::string shell_quote(std::span<const std::string> argv) {
  std::vector<std::string> words;
  for (const std::string& word : argv) words.push_back(shell_quote(word));
  return join(words, " ");
}

bool lists(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string human_duration(double seconds) {
  // From these bounds on, rounding would print 1000 ms and 60.0 s.
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string human_bytes(std::uint64_t bytes) {
  static constexpr const char* k_units[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (value /= 1024; value >= 1024 && unit < 3; ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, k_units[unit]);
}

bool is_column_name(std::string_view name) {
  static constexpr std::size_t k_longest_column = 64;
  return !name.empty() && name.size() <= k_longest_column && is_lower(name[0]) &&
         std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && !is_digit(name[0]) && std::ranges::all_of(name, is_of_variable);
}

std::string escaped_markdown(std::string_view text) {
  // Also ':', and '.' in "www.": otherwise an address becomes a link.
  static constexpr std::string_view k_special = "\\`*_{}[]<>()#!|~@&:";
  std::string out;
  for (const char c : printable_line(text)) {
    if (k_special.find(c) != std::string_view::npos || (c == '.' && out.ends_with("www")))
      out += '\\';
    out += c;
  }
  return out;
}

std::optional<std::string> synonym(std::string_view word, std::span<const std::string> known) {
  std::string plain = lower(word);
  std::replace(plain.begin(), plain.end(), '-', '_');
  for (const Synonym& row : k_synonyms)
    if (lists(row.others, plain) && contains(known, row.ours)) return std::string(row.ours);
  return std::nullopt;
}

Result<std::vector<std::string>> header_variables(std::string_view name, std::string_view value) {
  const auto wrong = [&](std::string_view what) {
    return invalid(fmt::format("header '{}' {}", printable(name), what));
  };
  if (!is_name(name)) return wrong("is not a header name; write NAME: VALUE");
  const std::string plain = lower(name);
  if (plain == "authorization")
    return wrong("carries a token; use --token-file or --token-env, or token_env in a matrix");
  if (contains(k_reserved, plain)) return wrong("is set by the request itself; leave it out");
  if (value.empty() || !is_value(value))
    return wrong("has no value, or a value with a control character; write the value on one line");
  std::vector<std::string> names;
  if (!walk(value, [&](std::string_view text, bool variable) {
        if (variable) names.emplace_back(text);
      }))
    return wrong("has a '$' without a variable name; write $NAME, or $$ for a literal '$'");
  return names;
}

Result<std::string> header_line(std::string_view name, std::string_view value,
                                const std::map<std::string, std::string>& environment) {
  ORCH_ASSIGN(const std::vector<std::string> names, header_variables(name, value));
  for (const std::string& variable : names)
    if (!environment.contains(variable))
      return invalid(fmt::format("header '{}' names the variable {}, which is not set; export it",
                                 name, variable));
  std::string line = fmt::format("{}: ", name);
  walk(value, [&](std::string_view text, bool variable) {
    line += variable ? environment.at(std::string(text)) : std::string(text);
  });
  line = std::string(trim(line));
  if (!is_value(line))
    return invalid(fmt::format(
        "header '{}': a variable has a control character in its value; export a single line",
        name));
  return line;
}

std::string header_names(const std::vector<std::string>& lines) {
  std::vector<std::string> names;
  for (const std::string& line : lines) names.push_back(line.substr(0, line.find(':')));
  return join(names, " or ");
}

}  // namespace orch
