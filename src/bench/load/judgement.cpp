#include "bench/load/judgement.hpp"

#include "bench/measure/goodput.hpp"
#include "core/base/text.hpp"

#include <iterator>
#include <numeric>

namespace orch::load {

namespace {

using Records = std::vector<measure::RequestRecord>;

void add(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Makes times relative to the start of the window.
void rebase(Records& records, std::int64_t start_ns) {
  for (measure::RequestRecord& record : records) {
    record.sent_ns -= start_ns;
    record.end_ns -= start_ns;
    if (record.due_ns) *record.due_ns -= start_ns;
    for (std::int64_t& event_ns : record.event_ns) event_ns -= start_ns;
    if (record.first_reasoning_ns) *record.first_reasoning_ns -= start_ns;
    if (record.first_visible_ns) *record.first_visible_ns -= start_ns;
  }
}

std::vector<record::ServerShare> server_shares(const std::vector<std::string>& urls,
                                               const Records& records) {
  std::vector<record::ServerShare> out;
  for (const std::string& url : urls) out.push_back({.url = url});
  for (const measure::RequestRecord& record : records) {
    record::ServerShare& share = out[static_cast<std::size_t>(record.server)];
    ++share.requests;
    share.failed += !record.ok();
    share.lost += record.lost_server;
  }
  return out;
}

class Judgement {
 public:
  Judgement(const RunContext& context, std::size_t index, RawRun run)
      : context_(context),
        options_(context.options),
        forced_osl_(forces_osl(options_, *context.target.protocol)),
        warmup_(std::move(run.warmup)),
        measured_(std::move(run.measured)),
        warnings_(std::move(run.warnings)) {
    const auto batch = static_cast<std::size_t>(options_.batch);
    const std::size_t per_load = context.supply.measured_per_load();
    out_.load = options_.loads[index];
    out_.prompts = {.first = index * per_load * batch, .requests = per_load};
    out_.ids = context.target.protocol->traits().takes_ids;
    out_.interrupted = measured_.interrupted;
    out_.stopped_early = run.stopped_early;
    out_.wall_start_ns = run.wall_start_ns;
    out_.server = std::move(run.server);
  }

  record::Measurement judge(const std::vector<std::string>& notes) {
    count_tokens();
    warn_of_reused_prompts();
    out_.prefix_cache = is_warm() && !options_.prefix_cache_off ? "warm"
                        : options_.running_server               ? "unknown"
                                                                : "cold";
    if (options_.running_server) warnings_.emplace_back(record::k_running_server_warning);
    rebase(warmup_.records, measured_.start_ns);
    rebase(measured_.records, measured_.start_ns);
    compute_metrics();
    find_reasons();
    add_warnings(notes);
    take_records();
    return std::move(out_);
  }

 private:
  bool is_open() const { return out_.load.kind == record::Load::Kind::open; }

  void count_tokens() {
    if (out_.interrupted) return;
    count_answer_texts(options_, context_.progress, measured_.records, warnings_);
    check_forced_counts(options_, measured_.records, warnings_);
    check_event_counts(options_, forced_osl_, measured_.records, warnings_);
  }

  bool sent_again() const { return measured_.records.size() > context_.supply.measured_per_load(); }

  bool is_warm() const {
    return options_.reuse_prompts || sent_again() || options_.prompts.shared_prefix > 0;
  }

  void warn_of_reused_prompts() {
    const std::size_t prepared = context_.supply.measured_per_load();
    if (sent_again() && !options_.prefix_cache_off)
      warnings_.push_back(
          fmt::format("prompts were sent again after {} requests: a server that reuses prefixes "
                      "answers repeated prompts faster",
                      prepared));
  }

  // Metrics and the verdict of the window; the window's warnings come first in the verdict.
  void compute_metrics() {
    measure::Window window{
        .records = measured_.records, .client = measured_.client, .open_loop = is_open()};
    if (!window.open_loop) window.concurrency = out_.load.concurrency;
    if (out_.server.before && out_.server.after && out_.server.counters_hold)
      window.server = observe::counts_between(*out_.server.before, *out_.server.after);
    window.side = out_.server.side();
    out_.duration_s = measure::duration_s(window.records);
    if (auto warning = measure::settle_first_events(measured_.records, options_.tokens_per_event))
      warnings_.push_back(std::move(*warning));
    compute_goodput(window);
    out_.metrics = measure::metrics_of(window);
    out_.unsupported = measure::unsupported_percentiles(out_.metrics);
    if (options_.until) note_precision(*options_.until);
    out_.client = measured_.client;
    out_.servers = server_shares(options_.urls, measured_.records);
    out_.first_requests = context_.first.sent;
    out_.counting_osl = osl_sources(measured_.records, options_.tokens_per_event);
    out_.counting_isl =
        isl_source(measured_.records, out_.ids, !options_.prompts.tokenizer.empty());
    const bool open_end = options_.duration_s > 0 || out_.stopped_early || out_.interrupted;
    out_.verdict = measure::judge(window,
                                  {.requests = open_end ? 0 : context_.supply.requests_per_load(),
                                   .forced_osl = forced_osl_,
                                   .max = out_.load.kind == record::Load::Kind::max},
                                  options_.limits);
    add(out_.verdict.warnings, warnings_);
  }

  void compute_goodput(measure::Window& window) {
    if (options_.goodput.empty()) return;
    const Result<measure::Goodput> goodput = measure::goodput(options_.goodput, window);
    if (!goodput) return warnings_.push_back(goodput.error().text());
    if (goodput->requests_per_s) window.goodput_rps = *goodput->requests_per_s;
    add(warnings_, goodput->left_out);
  }

  void note_precision(const record::PrecisionTarget& until) {
    out_.known_percent = measure::interval_percent(out_.metrics, until.metric);
    const std::string known =
        out_.known_percent
            ? fmt::format("{} is known to {:.2g} %", until.metric, *out_.known_percent)
            : fmt::format(
                  "{} has no interval: it varies too much for so few requests, or too few requests "
                  "succeeded",
                  until.metric);
    if (!out_.known_percent || *out_.known_percent > until.percent)
      warnings_.push_back(fmt::format("{}, --until asked for {:g} %", known, until.percent));
    else if (out_.stopped_early) out_.stopped = known;
  }

  void find_reasons() {
    if (!measured_.give_up_reason.empty()) out_.verdict.reasons.push_back(measured_.give_up_reason);
    note_unfinished();
    judge_servers();
    out_.verdict.valid = out_.verdict.reasons.empty();
  }

  // Keeps the due times of requests without a record, so that the whole schedule can be
  // reconstructed.
  void note_unfinished() {
    const std::size_t in_flight = measured_.cut_off_due_ns.size();
    if (out_.interrupted)
      out_.verdict.reasons.push_back(
          fmt::format("interrupted after {} requests{}", measured_.records.size(),
                      in_flight > 0 ? fmt::format(", {} in flight", in_flight) : ""));
    if (!is_open()) return;
    if (measured_.unsent > measured_.unsent_due_ns.size())
      out_.verdict.warnings.push_back(
          fmt::format("{} requests of the schedule were not sent; the record holds the due times "
                      "of the first {}",
                      measured_.unsent, measured_.unsent_due_ns.size()));
    out_.unsent_due_ns = std::move(measured_.unsent_due_ns);
    out_.cut_off_due_ns = measured_.cut_off_due_ns;
  }

  // One of several servers may fail although the load as a whole succeeds.
  void judge_servers() {
    if (out_.servers.size() < 2) return;
    for (const record::ServerShare& server : out_.servers) {
      if (server.lost > 0)
        out_.verdict.reasons.push_back(fmt::format("{} was lost: {} of its {} requests broke off",
                                                   server.url, server.lost, server.requests));
      else if (server.requests > 0 && server.failed == server.requests)
        out_.verdict.reasons.push_back(
            fmt::format("all {} requests to {} failed", server.requests, server.url));
      else if (server.requests == 0)
        out_.verdict.warnings.push_back(
            fmt::format("{} received no request: the concurrency is less than the number of "
                        "servers",
                        server.url));
    }
  }

  void add_warnings(const std::vector<std::string>& notes) {
    std::vector<std::string>& warnings = out_.verdict.warnings;
    const std::int64_t sent = std::ssize(measured_.records) + std::ssize(measured_.cut_off_due_ns);
    if (out_.server.models && !options_.stop_by_request)
      if (auto foreign =
              observe::foreign_requests_warning(*out_.server.models, options_.model, sent))
        warnings.push_back(std::move(*foreign));
    add(warnings, notes);
    const std::int64_t succeeded =
        std::ranges::count_if(warmup_.records, &measure::RequestRecord::ok);
    if (succeeded < std::ssize(warmup_.records) || !warmup_.give_up_reason.empty())
      warnings.push_back(
          fmt::format("{} of {} warm-up requests succeeded", succeeded, options_.warmup));
    if (out_.server.after && out_.server.after->left_out > 0)
      warnings.push_back(fmt::format(
          "{} series of the metrics page were left out: the limits are {} series, {} of them of "
          "unknown families, and {} bytes per name",
          out_.server.after->left_out, observe::k_most_series, observe::k_most_unknown_series,
          observe::k_longest_series));
    add(warnings, out_.server.warnings);
  }

  // Warm-up first.
  void take_records() {
    for (measure::RequestRecord& record : warmup_.records) record.warmup = true;
    out_.records = std::move(warmup_.records);
    out_.records.insert(out_.records.end(), std::make_move_iterator(measured_.records.begin()),
                        std::make_move_iterator(measured_.records.end()));
    for (measure::RequestRecord& record : out_.records) record.block = options_.block;
  }

  const RunContext& context_;
  const BenchOptions& options_;
  const bool forced_osl_;
  LoadLoop::Phase warmup_;
  LoadLoop::Phase measured_;
  std::vector<std::string> warnings_;
  record::Measurement out_;
};

// The most bytes of text that are counted at once.
constexpr std::size_t k_most_bytes = std::size_t{64} << 20;
// How many answers suffice to check a count.
constexpr std::size_t k_sample = 50;

bool has_one_answer(const measure::RequestRecord& record) {
  return record.ok() && record.sequences == 1 && (!record.answer.empty() || record.spooled);
}

// The answers of some requests, counted together.
class TextBatch {
 public:
  explicit TextBatch(const BenchOptions& options) : options_(options) {}

  bool is_full() const { return bytes_ >= k_most_bytes; }
  std::size_t size() const { return texts_.size(); }

  Status add(const measure::RequestRecord& record) {
    ORCH_ASSIGN(record::KeptAnswer answer, record::answer_of(record, options_.answers));
    bytes_ += answer.text.size();
    texts_.push_back(std::move(answer.text));
    return {};
  }

  // Clears the texts.
  Result<std::vector<std::int64_t>> count() {
    const std::vector<std::string> texts = std::exchange(texts_, {});
    bytes_ = 0;
    return options_.count_texts(std::vector<std::string_view>(texts.begin(), texts.end()));
  }

 private:
  const BenchOptions& options_;
  std::vector<std::string> texts_;
  std::size_t bytes_ = 0;
};

Status count_together(TextBatch& texts, std::vector<measure::RequestRecord*>& uncounted) {
  if (uncounted.empty()) return {};
  ORCH_ASSIGN(const std::vector<std::int64_t> counted, texts.count());
  for (std::size_t i = 0; i < uncounted.size(); ++i) {
    uncounted[i]->osl_counted = counted[i];
    uncounted[i]->counted_by = measure::CountedBy::text;
  }
  uncounted.clear();
  return {};
}

bool is_uncounted(const measure::RequestRecord& record) {
  return has_one_answer(record) && !record.osl_counted;
}

Status count_all(const BenchOptions& options, std::vector<measure::RequestRecord>& records) {
  TextBatch texts(options);
  std::vector<measure::RequestRecord*> uncounted;
  for (measure::RequestRecord& record : records) {
    if (!is_uncounted(record)) continue;
    ORCH_TRY(texts.add(record));
    uncounted.push_back(&record);
    if (texts.is_full()) ORCH_TRY(count_together(texts, uncounted));
  }
  return count_together(texts, uncounted);
}

// How some answers were counted, and the tokens of their texts.
struct TextSample {
  std::size_t answers = 0;
  std::int64_t events = 0, counted = 0, tokens = 0;
};

// Samples the first of ANSWERS; nullopt if there are none, or if the texts cannot be counted.
std::optional<TextSample> text_sample(const BenchOptions& options,
                                      const std::vector<const measure::RequestRecord*>& answers) {
  TextBatch texts(options);
  TextSample sample;
  for (const measure::RequestRecord* record : answers) {
    if (texts.size() == k_sample || texts.is_full()) break;
    if (!texts.add(*record).ok()) return {};
    sample.events += std::ssize(record->event_ns);
    sample.counted += record->osl_counted.value_or(0);
  }
  sample.answers = texts.size();
  if (sample.answers == 0) return {};
  const auto tokens = texts.count();
  if (!tokens) return {};
  sample.tokens = std::accumulate(tokens->begin(), tokens->end(), std::int64_t{0});
  return sample;
}

}  // namespace

record::Measurement judge_run(const RunContext& context, std::size_t load, RawRun run,
                              const std::vector<std::string>& notes) {
  return Judgement(context, load, std::move(run)).judge(notes);
}

void count_answer_texts(const BenchOptions& options, const Progress& progress,
                        std::vector<measure::RequestRecord>& records,
                        std::vector<std::string>& warnings) {
  if (!options.count_texts || !options.keep_answers) return;
  const auto answers = std::ranges::count_if(records, is_uncounted);
  if (answers == 0) return;
  if (progress.line)
    progress.line(fmt::format("counting the tokens of {}", plural(answers, "answer")));
  if (const Status counted = count_all(options, records); !counted.ok())
    warnings.push_back(fmt::format("the tokens of {} answers are not counted: {}",
                                   std::ranges::count_if(records, is_uncounted),
                                   counted.error().message));
}

namespace {

// Answers with fewer events than the tokens forced on them: either events carry several tokens, or
// the server stopped at its own limit. Their texts distinguish the two.
std::vector<measure::RequestRecord*> forced_in_fewer_events(
    std::vector<measure::RequestRecord>& records) {
  std::vector<measure::RequestRecord*> found;
  for (measure::RequestRecord& record : records) {
    if (!has_one_answer(record) || record.counted_by != measure::CountedBy::forced ||
        !record.streamed)
      continue;
    if (std::ssize(record.event_ns) < record.osl_counted.value_or(0)) found.push_back(&record);
  }
  return found;
}

}  // namespace

void check_forced_counts(const BenchOptions& options, std::vector<measure::RequestRecord>& records,
                         std::vector<std::string>& warnings) {
  if (!options.count_texts || !options.keep_answers) return;
  const auto found = forced_in_fewer_events(records);
  const auto sample = text_sample(options, {found.begin(), found.end()});
  if (!sample) return;
  const auto& [answers, events, forced, by_text] = *sample;
  if (std::abs(by_text - forced) <= std::abs(by_text - events)) return;
  for (measure::RequestRecord* record : found) {
    record->osl_counted = std::ssize(record->event_ns);
    record->counted_by = measure::CountedBy::events;
  }
  warnings.push_back(fmt::format(
      "{} answers say that they reached their length, and the texts of {} have {} tokens where {} "
      "were asked for: the server has a limit of its own, and events are counted",
      found.size(), answers, by_text, forced));
}

void check_event_counts(const BenchOptions& options, bool forced_osl,
                        std::span<const measure::RequestRecord> records,
                        std::vector<std::string>& warnings) {
  if (!options.count_texts || !options.keep_answers || forced_osl) return;
  constexpr double k_tolerance = 1.1;
  std::vector<const measure::RequestRecord*> by_event;
  for (const measure::RequestRecord& record : records)
    if (has_one_answer(record) && record.counted_by == measure::CountedBy::events)
      by_event.push_back(&record);
  const auto sample = text_sample(options, by_event);
  if (!sample) return;
  const auto& [answers, events, by_events, by_text] = *sample;
  if (static_cast<double>(by_text) <= k_tolerance * static_cast<double>(by_events)) return;
  warnings.push_back(fmt::format(
      "{} answers contain {} tokens by event count, {} after retokenisation: an event may carry "
      "several tokens; give their number with --tokens-per-event N, or 0 to count the texts",
      answers, by_events, by_text));
}

std::string osl_sources(std::span<const measure::RequestRecord> records,
                        std::int64_t tokens_per_event) {
  const std::pair<measure::CountedBy, std::string> names[] = {
      {measure::CountedBy::ids, "ids"},
      {measure::CountedBy::usage, "usage"},
      {measure::CountedBy::events, tokens_per_event == 1
                                       ? "events (one token each)"
                                       : fmt::format("events ({} tokens each)", tokens_per_event)},
      {measure::CountedBy::forced, "forced length"},
      {measure::CountedBy::text, "retokenised text (inexact)"},
      {measure::CountedBy::nothing, "not counted"}};
  std::string out;
  for (const auto& [by, name] : names) {
    if (std::ranges::none_of(records, [by = by](const auto& record) {
          return record.ok() && record.has_events() && record.counted_by == by;
        }))
      continue;
    const bool reported = out == "usage" || out == "ids";
    out += out.empty()
               ? name
               : fmt::format("{}, else {}", reported ? " where the server gave it" : "", name);
  }
  return out.empty() ? "not counted" : out;
}

std::string isl_source(std::span<const measure::RequestRecord> records, bool sent_ids,
                       bool has_tokenizer) {
  if (!std::ranges::all_of(records, [](const auto& record) { return record.isl.has_value(); }))
    return "not counted";
  if (sent_ids) return "ids";
  return has_tokenizer ? "tokenizer" : "as the prompts say";
}

}  // namespace orch::load
