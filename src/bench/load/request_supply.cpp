#include "bench/load/request_supply.hpp"

#include "bench/wire/exchange.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"

#include <cmath>

namespace orch::load {

namespace {

PreparedRequest prepare(std::span<const prompt::Prompt> prompts,
                        const protocol::Protocol& protocol) {
  PreparedRequest out{.bytes = protocol.request(prompts), .isl = 0, .osl = protocol.osl(prompts)};
  if (const protocol::Stopper* stopper = protocol.stopper()) out.id_at = stopper->id_at(out.bytes);
  for (const prompt::Prompt& prompt : prompts) {
    if (out.isl && prompt.isl && protocol.traits().sends_prompts) *out.isl += *prompt.isl;
    else out.isl.reset();
  }
  return out;
}

// A protocol that sends ids needs the ids of every prompt; any other needs its text or messages.
Status check_ids(const BenchOptions& options, const std::vector<prompt::Prompt>& prompts,
                 const protocol::Protocol& protocol) {
  const bool takes_ids = protocol.traits().takes_ids;
  const bool sends_messages = protocol.traits().sends_messages;
  const auto cannot_be_sent = [&](const prompt::Prompt& prompt) {
    if (takes_ids) return prompt.ids.empty();
    return prompt.text_input.empty() && !prompt.ids.empty() &&
           (!sends_messages || prompt.messages.empty());
  };
  if (std::ranges::none_of(prompts, cannot_be_sent)) return {};
  if (!takes_ids)
    return invalid(
        fmt::format("prompts go to {} as text, but some in {} have only ids; give them text_input",
                    options.model, options.prompts_name));
  return invalid(
      fmt::format("prompts go to {} as token ids, but some in {} have no ids; give them input_ids, "
                  "or add --tokenizer DIR --ids",
                  options.model, options.prompts_name));
}

// Fields of OpenAI's API have no meaning for a Triton model.
Status check_fields(const BenchOptions& options, const std::vector<prompt::Prompt>& prompts,
                    const protocol::Protocol& protocol) {
  const auto first =
      std::ranges::find_if(prompts, [](const auto& prompt) { return !prompt.fields.empty(); });
  if (protocol.traits().takes_fields || first == prompts.end()) return {};
  const std::string name = first->fields.substr(0, first->fields.find(':'));
  return invalid(
      fmt::format("rows of {} have the field {}, which only OpenAI protocols send; remove it, or "
                  "set an option for all requests",
                  options.prompts_name, name));
}

// Different from all PROMPTS, and shorter than the blocks in which servers cache prefixes.
prompt::Prompt first_prompt(const BenchOptions& options, const prompt::PromptSet& prompts,
                            const protocol::Protocol& protocol) {
  constexpr std::int64_t k_osl = 2;
  constexpr std::size_t k_ids = 4;
  // A server refuses an output length below the minimum that an input such as min_tokens sets.
  const bool has_least = std::ranges::any_of(options.inputs, [](const auto& input) {
    return lower(input.first).find("min") != std::string::npos;
  });
  prompt::Prompt out{.text_input = "Is anyone there?",
                     .osl = has_least ? options.osl : std::min(options.osl, k_osl)};
  if (protocol.traits().takes_ids) {
    out.text_input.clear();
    out.ids.assign(k_ids, prompts.measured.front().ids.back());  // in the model's vocabulary
  }
  const auto is_first = [&](const prompt::Prompt& prompt) {
    return out.ids.empty() ? prompt.text_input == out.text_input : prompt.ids == out.ids;
  };
  while (std::ranges::any_of(prompts.measured, is_first) ||
         std::ranges::any_of(prompts.warmup, is_first)) {
    if (out.ids.empty()) out.text_input += "?";
    else out.ids.push_back(out.ids.back());
  }
  return out;
}

}  // namespace

std::vector<std::int64_t> draw_arrivals(const record::Load& load, std::uint64_t seed,
                                        std::size_t count) {
  Random draw(seed);
  const double mean_gap_ns = 1e9 / load.request_rate;
  std::vector<std::int64_t> out;
  out.reserve(count);
  double at_ns = 0;  // a real number, so that rounding errors do not accumulate
  for (std::size_t i = 0; i < count; ++i) {
    switch (load.arrival) {
      case record::Arrival::constant: at_ns = static_cast<double>(i) * mean_gap_ns; break;
      case record::Arrival::poisson: at_ns += draw.exponential() * mean_gap_ns; break;
      case record::Arrival::gamma:
        at_ns += draw.gamma(load.burstiness) / load.burstiness * mean_gap_ns;
        break;
      case record::Arrival::trace: break;
    }
    out.push_back(std::llround(at_ns));
  }
  return out;
}

std::vector<std::int64_t> RequestSupply::Part::trace_of_load(std::size_t load) const {
  std::vector<std::int64_t> out(
      trace_ns.begin() + static_cast<std::ptrdiff_t>(load * per_load),
      trace_ns.begin() + static_cast<std::ptrdiff_t>((load + 1) * per_load));
  for (std::size_t i = out.size(); i-- > 0;) out[i] -= out[0];
  return out;
}

Result<RequestSupply> RequestSupply::make(const BenchOptions& options,
                                          const prompt::PromptSet& prompts,
                                          const protocol::Protocol& protocol,
                                          const protocol::Protocol& of_first) {
  RequestSupply out(options);
  ORCH_ASSIGN(out.measured_,
              out.make_part(prompts.measured, "measured", options.requests, protocol));
  ORCH_ASSIGN(out.warmup_,
              out.make_part(out.warmup_prompts(prompts), "warm-up", options.warmup, protocol));
  ORCH_TRY(out.check_trace());
  const std::vector<prompt::Prompt> first(static_cast<std::size_t>(options.batch),
                                          first_prompt(options, prompts, protocol));
  out.first_ = prepare(first, of_first);
  if (out.first_.id_at > 0)
    out.first_.bytes.replace(out.first_.id_at, protocol::k_id_digits,
                             protocol::text_of_id(static_cast<std::uint64_t>(wire::wall_ns())));
  return out;
}

// With --reuse-prompts, measured prompts complete a warm-up that has too few prompts.
std::vector<prompt::Prompt> RequestSupply::warmup_prompts(const prompt::PromptSet& prompts) {
  const auto wanted = static_cast<std::size_t>(options_->warmup) * options_->loads.size() *
                      static_cast<std::size_t>(options_->batch);
  std::vector<prompt::Prompt> out = prompts.warmup;
  if (!options_->reuse_prompts || prompts.measured.empty() || out.size() >= wanted) return out;
  notes_.emplace_back(
      "warm-up sent prompts that were measured after it: a server that reuses prefixes answers "
      "repeated prompts faster");
  for (std::size_t i = 0; out.size() < wanted; ++i)
    out.push_back(prompts.measured[i % prompts.measured.size()]);
  return out;
}

Result<RequestSupply::Part> RequestSupply::make_part(const std::vector<prompt::Prompt>& prompts,
                                                     std::string_view kind, std::int64_t requested,
                                                     const protocol::Protocol& protocol) const {
  ORCH_ASSIGN(const std::int64_t share, share_per_load(*options_, kind, requested, prompts.size()));
  ORCH_TRY(check_ids(*options_, prompts, protocol));
  ORCH_TRY(check_fields(*options_, prompts, protocol));
  Part out{.per_load = static_cast<std::size_t>(share)};
  const auto batch = static_cast<std::size_t>(options_->batch);
  for (std::size_t i = 0; i < out.per_load * options_->loads.size(); ++i) {
    const std::span<const prompt::Prompt> of_one(prompts.data() + i * batch, batch);
    out.requests.push_back(prepare(of_one, protocol));
    out.trace_ns.push_back(std::llround(of_one.front().timestamp_s.value_or(-1) * 1e9));
  }
  return out;
}

Status RequestSupply::check_trace() const {
  if (std::ranges::none_of(options_->loads, &record::Load::is_trace)) return {};
  for (std::size_t i = 0; i < measured_.trace_ns.size(); ++i) {
    if (measured_.trace_ns[i] < 0)
      return invalid(fmt::format(
          "--arrival trace needs a timestamp in every prompt, but prompt {} of {} has none", i + 1,
          options_->prompts_name));
    if (i > 0 && measured_.trace_ns[i] < measured_.trace_ns[i - 1])
      return invalid(
          fmt::format("the timestamps of {} decrease at prompt {}; sort its lines by timestamp",
                      options_->prompts_name, i + 1));
  }
  return {};
}

// One schedule per load, phase and block of prompts, all drawn from one seed: each repeat has
// separate prompts and a separate schedule.
std::uint64_t RequestSupply::seed_of(std::size_t load, PhaseKind phase) const {
  constexpr std::uint64_t k_odd = 0x9E3779B97F4A7C15;
  return (options_->seed * k_odd + static_cast<std::uint64_t>(options_->block)) * k_odd + load * 2 +
         static_cast<std::uint64_t>(phase) + 1;
}

std::vector<std::int64_t> RequestSupply::draw_due_times(std::size_t load, PhaseKind phase,
                                                        std::size_t count,
                                                        double duration_s) const {
  const record::Load& of = options_->loads[load];
  // A bound on the number due within the duration: the mean plus far more than chance adds.
  const double mean = of.request_rate * duration_s;
  const double most = mean + 20 * std::sqrt(mean / std::min(1.0, of.burstiness)) + 100;
  if (duration_s > 0 && (count == 0 || static_cast<double>(count) > most))
    count = static_cast<std::size_t>(most);
  return draw_arrivals(of, seed_of(load, phase), count);
}

RequestSupply::DueTimes RequestSupply::warmup_due(std::size_t load) const {
  const record::Load& of = options_->loads[load];
  if (of.kind != record::Load::Kind::open || of.is_trace()) return {};
  return draw_due_times(load, PhaseKind::warmup, warmup_.per_load, 0);
}

RequestSupply::DueTimes RequestSupply::measured_due(std::size_t load) const {
  const record::Load& of = options_->loads[load];
  if (of.kind != record::Load::Kind::open) return {};
  if (of.is_trace()) return measured_.trace_of_load(load);
  return draw_due_times(load, PhaseKind::measured, static_cast<std::size_t>(options_->requests),
                        options_->duration_s);
}

std::int64_t RequestSupply::requests_per_load() const {
  return options_->requests > 0 ? options_->requests
                                : static_cast<std::int64_t>(measured_.per_load);
}

}  // namespace orch::load
