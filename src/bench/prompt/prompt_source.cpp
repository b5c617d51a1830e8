#include "bench/prompt/prompt_source.hpp"

#include "bench/prompt/prompt_forms.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "os/system/files.hpp"
#include "os/system/process.hpp"

#include <nlohmann/json.hpp>

namespace orch::prompt {
namespace {

constexpr std::int64_t k_default_count = 1000;  // synthetic prompts if the number is unknown
constexpr std::int64_t k_most_made = 10'000'000;

// Streams of one seed differ, so that the lengths of prompts and answers are independent.
enum class Stream : std::uint64_t { warmup_isl = 1, measured_isl, warmup_osl, measured_osl };

std::uint64_t seed_of(std::uint64_t seed, Stream stream) {
  constexpr std::uint64_t k_golden_ratio = 0x9E3779B97F4A7C15;
  return seed ^ (k_golden_ratio * static_cast<std::uint64_t>(stream));
}

Status check(const PromptOptions& options) {
  if (options.file.empty() && !options.isl)
    return invalid("prompts have no source; give --prompts FILE, or --isl N with --tokenizer DIR");
  if (!options.file.empty() && options.isl)
    return invalid(
        "--isl makes synthetic prompts and --prompts reads them from a file; give one of the two");
  if (options.isl && options.tokenizer.empty())
    return invalid(
        "--isl counts tokens and needs a tokenizer; add --tokenizer DIR, the model's folder with "
        "tokenizer.json");
  if (!(options.shared_prefix >= 0 && options.shared_prefix <= 1))
    return invalid(fmt::format("--shared-prefix is {}; it must be a share from 0 to 1",
                               options.shared_prefix));
  if (options.isl && !options.osl)
    return invalid("the length of the answers is not given; add --osl N");
  if (options.shared_prefix > 0 && !options.isl)
    return invalid(
        "--shared-prefix applies to synthetic prompts only; give --isl instead of --prompts");
  return {};
}

// PATH is a tokenizer.json or the folder that contains it.
Result<std::string> tokenizer_file(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::is_directory(path, code)) {
    if (std::filesystem::exists(path, code)) return path;
    return Error{
        ErrorKind::not_found,
        fmt::format("--tokenizer {} does not exist; name the model's folder, or its tokenizer.json",
                    path)};
  }
  const std::string file = path + "/tokenizer.json";
  if (std::filesystem::exists(file, code)) return file;
  return Error{
      ErrorKind::not_found,
      fmt::format("--tokenizer {} has no tokenizer.json; name the folder of the downloaded model",
                  path)};
}

Result<PromptJob> job_of(const PromptOptions& options) {
  ORCH_ASSIGN(std::string tokenizer, tokenizer_file(options.tokenizer));
  PromptJob job{.tokenizer = std::move(tokenizer),
                .file = options.file,
                .seed = options.seed,
                .shared_prefix = options.shared_prefix,
                .ids = options.ids,
                .special_tokens = options.special_tokens};
  if (!options.isl) return job;
  const std::int64_t measured = options.measured > 0 ? options.measured : k_default_count;
  if (options.warmup + measured > k_most_made)
    return invalid(
        fmt::format("cannot make {} prompts: the limit is {}; give fewer --requests and "
                    "--reuse-prompts, or --duration",
                    options.warmup + measured, k_most_made));
  job.warmup = draw_lengths(*options.isl, seed_of(options.seed, Stream::warmup_isl),
                            static_cast<std::size_t>(options.warmup));
  job.measured = draw_lengths(*options.isl, seed_of(options.seed, Stream::measured_isl),
                              static_cast<std::size_t>(measured));
  return job;
}

// FIELDS: the rows' request fields, which the token-counting helper drops.
Result<std::string> text_of(const PromptOptions& options, const PromptContext& context,
                            std::vector<std::string>& fields) {
  const auto read = [&] {
    return context.host.files.read_text(options.file, k_largest_prompt_file);
  };
  if (options.tokenizer.empty()) return read();
  ORCH_ASSIGN(PromptJob job, job_of(options));
  if (!options.file.empty()) {
    ORCH_ASSIGN(const std::string text, read());
    ORCH_ASSIGN(job.rows,
                plain_rows(text, options.file,
                           options.as_recorded ? Answers::kept : Answers::left_out, &fields));
  }
  return cached_prompts(options.helper, job, context);
}

// If a file marks no warm-up prompts, takes its last ones, so that a trace keeps its beginning.
void take_warmup(const PromptOptions& options, PromptSet& set) {
  const auto wanted = static_cast<std::size_t>(options.warmup);
  if (options.reuse || !set.warmup.empty() || wanted == 0 || set.measured.size() <= wanted) return;
  const auto begin = set.measured.end() - static_cast<std::ptrdiff_t>(wanted);
  set.warmup.assign(std::make_move_iterator(begin), std::make_move_iterator(set.measured.end()));
  set.measured.erase(begin, set.measured.end());
}

Status refuse_missing_texts(const PromptOptions& options, const std::vector<Prompt>& prompts) {
  const bool has_no_text = std::ranges::any_of(prompts, [](const Prompt& prompt) {
    return prompt.text_input.empty() && prompt.ids.empty();
  });
  return has_no_text ? Status(invalid(fmt::format("{} has lengths but no texts; add --tokenizer "
                                                  "DIR to make prompts of these lengths",
                                                  options.file)))
                     : Status();
}

Status refuse_missing_osl(const PromptOptions& options, const PromptSet& set) {
  if (options.osl || set.without_osl == 0) return {};
  const bool countable = set.answered && options.tokenizer.empty();
  const std::string count =
      countable ? ", or --tokenizer DIR to count the tokens of the recorded answers" : "";
  if (set.without_osl == set.warmup.size() + set.measured.size())
    return invalid(fmt::format(
        "the length of the answers is not given; add --osl N{} 'osl' to each prompt of {}{}",
        countable ? "," : ", or", options.file, count));
  // Tokenised rows have their own line numbers, not those of the file.
  const std::string line =
      options.tokenizer.empty() ? fmt::format(", line {},", set.first_without_osl_line) : "";
  return invalid(fmt::format(
      "prompt {} of {}{} is the first of {} without an answer length; add --osl N, which applies "
      "only to prompts without one{} 'osl' to each of them{}",
      set.first_without_osl, options.file, line, set.without_osl, countable ? "," : ", or", count));
}

// Adds a notice if rows specify an answer length that differs from the common one.
void note_own_osl(const PromptOptions& options, PromptSet& set) {
  if (options.file.empty() || !options.osl) return;
  const auto own = std::ranges::count_if(set.measured, [&](const Prompt& one) {
    return one.osl && (options.osl->sd > 0 || static_cast<double>(*one.osl) != options.osl->mean);
  });
  if (own > 0)
    set.notices.push_back(fmt::format(
        "{} of {} prompts of {} have an answer length of their own, which osl does not change", own,
        set.measured.size(), options.file));
}

void set_osl(const PromptOptions& options, Stream stream, std::vector<Prompt>& prompts) {
  if (!options.osl || !(options.osl->sd > 0)) return;
  const std::vector<std::int64_t> drawn =
      draw_lengths(*options.osl, seed_of(options.seed, stream), prompts.size());
  for (std::size_t i = 0; i < prompts.size(); ++i)
    if (!prompts[i].osl) prompts[i].osl = drawn[i];
}

// Uses FOLDER for temporary files.
Result<std::vector<std::int64_t>> count_in(const std::string& folder, PromptHelper helper,
                                           const std::string& tokenizer,
                                           std::span<const std::string_view> texts,
                                           const PromptContext& context) {
  helper.cache_folder = folder;
  std::string lines;
  for (const std::string_view text : texts)
    lines += dump(nlohmann::json{{"text_input", text}}) + "\n";
  system::Files& files = context.host.files;
  ORCH_TRY(files.make_folder(folder));
  PromptJob job;
  job.tokenizer = tokenizer;
  job.rows = std::move(lines);
  job.special_tokens = false;
  ORCH_ASSIGN(const std::string made,
              cached_prompts(helper, job, {.host = context.host, .stopped = context.stopped}));
  ORCH_ASSIGN(const PromptSet set, parse_prompts(made, "the counted texts", 0));
  if (set.measured.size() != texts.size())
    return invalid(fmt::format("the helper returned {} texts instead of {}", set.measured.size(),
                               texts.size()));
  std::vector<std::int64_t> out;
  for (const Prompt& prompt : set.measured) out.push_back(prompt.isl.value_or(0));
  return out;
}

}  // namespace

Result<PromptSet> find_prompts(const PromptOptions& options, const PromptContext& context) {
  ORCH_TRY(check(options));
  std::vector<std::string> fields;
  ORCH_ASSIGN(const std::string text, text_of(options, context, fields));
  ORCH_ASSIGN(PromptSet set,
              parse_prompts(text, options.file.empty() ? "the synthetic prompts" : options.file,
                            options.reuse ? 0 : options.block, std::move(fields)));
  for (const std::vector<Prompt>* prompts : {&set.warmup, &set.measured})
    ORCH_TRY(refuse_missing_texts(options, *prompts));
  ORCH_TRY(refuse_missing_osl(options, set));
  note_own_osl(options, set);
  if (!options.file.empty()) take_warmup(options, set);
  set.isl_requested = options.isl;
  set_osl(options, Stream::warmup_osl, set.warmup);
  set_osl(options, Stream::measured_osl, set.measured);
  return set;
}

Result<std::vector<std::int64_t>> count_texts(const PromptOptions& options,
                                              std::span<const std::string_view> texts,
                                              const PromptContext& context) {
  if (texts.empty()) return std::vector<std::int64_t>();
  ORCH_ASSIGN(const std::string tokenizer, tokenizer_file(options.tokenizer));
  // If this process dies, a later one removes the folder with other abandoned ones.
  const std::string folder = std::filesystem::absolute(options.helper.cache_folder).string() +
                             "/texts." + system::new_token();
  const auto counted = count_in(folder, options.helper, tokenizer, texts, context);
  static_cast<void>(context.host.files.remove_tree(folder));
  return counted;
}

}  // namespace orch::prompt
