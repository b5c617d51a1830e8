#include "app/cli/bench/bench_point.hpp"

#include <filesystem>

#include "core/base/digest.hpp"
#include "core/base/text.hpp"

namespace orch::cli {

namespace {

constexpr std::size_t k_digest_characters = 6;

class Parameters {
 public:
  void text(const std::string& name, const std::string& value) {
    if (!value.empty()) all_.emplace(name, matrix::Value{matrix::Type::text, value});
  }
  void integer(const std::string& name, std::int64_t value) {
    all_.emplace(name, matrix::Value{matrix::Type::integer, std::to_string(value)});
  }
  void real(const std::string& name, double value) {
    all_.emplace(name, matrix::Value{matrix::Type::real, fmt::format("{:.17g}", value)});
  }
  // TYPED is a number or MEAN:SD ("512:64").
  void length(const std::string& name, const std::string& typed) {
    if (const auto number = to_integer(typed)) integer(name, *number);
    else text(name, typed);
  }

  std::map<std::string, matrix::Value> take() { return std::move(all_); }

 private:
  std::map<std::string, matrix::Value> all_;
};

void add_load(const record::Load& load, Parameters& to) {
  if (load.kind == record::Load::Kind::closed) return to.integer("concurrency", load.concurrency);
  if (load.kind == record::Load::Kind::max) return to.integer("max_in_flight", load.concurrency);
  to.text("arrival", std::string(record::name_of(load.arrival)));
  if (load.arrival != record::Arrival::trace) to.real("request_rate", load.request_rate);
  if (load.arrival == record::Arrival::gamma) to.real("burstiness", load.burstiness);
  if (load.concurrency > 0) to.integer("max_in_flight", load.concurrency);
}

void add_sampling(const protocol::Sampling& sampling, Parameters& to) {
  if (sampling.temperature) to.real("temperature", *sampling.temperature);
  if (sampling.top_k) to.integer("top_k", *sampling.top_k);
  if (sampling.top_p) to.real("top_p", *sampling.top_p);
  if (sampling.repetition_penalty) to.real("repetition_penalty", *sampling.repetition_penalty);
  if (sampling.seed) to.text("random_seed", std::to_string(*sampling.seed));
  if (sampling.beam_width) to.integer("beam_width", *sampling.beam_width);
  if (sampling.lora_task_id) to.text("lora_task_id", std::to_string(*sampling.lora_task_id));
  to.text("lora_weights_sha256", sampling.lora_weights_sha256);
  to.text("stop_words", join(sampling.stop_words, " "));
  to.text("bad_words", join(sampling.bad_words, " "));
  std::vector<std::string> returned;
  if (sampling.log_probs) returned.emplace_back("log_probs");
  if (sampling.context_logits) returned.emplace_back("context_logits");
  if (sampling.generation_logits) returned.emplace_back("generation_logits");
  to.text("returned", join(returned, " "));
}

void add_requests(const BenchCommand& command, Parameters& to) {
  const load::BenchOptions& options = command.options;
  to.length("isl", command.prompts.isl);
  if (!command.prompts.options.file.empty())
    to.text("prompts",
            std::filesystem::absolute(command.prompts.options.file).lexically_normal().string());
  if (command.prompts.options.shared_prefix > 0)
    to.real("shared_prefix", command.prompts.options.shared_prefix);
  if (command.prompts.osl.empty()) to.integer("osl", options.osl);
  else to.length("osl", command.prompts.osl);
  if (options.batch > 1) to.integer("batch", options.batch);
  if (options.eos) to.text("eos", "true");
  if (options.send_ids) to.text("ids", "true");
  if (options.tokens_per_event != 1) to.integer("tokens_per_event", options.tokens_per_event);
  if (options.stop_after_ms > 0) to.real("stop_after_ms", options.stop_after_ms);
  if (options.stop_by_request) to.text("stop_by", "request");
  add_sampling(options.sampling, to);
  std::vector<std::string> inputs;
  for (const auto& [name, value] : options.inputs) inputs.push_back(name + "=" + value);
  to.text("inputs", join(inputs, " "));
}

std::string name_of(const BenchCommand& command, const record::Load& load) {
  const std::string of =
      load.kind == record::Load::Kind::closed ? fmt::format("c{}", load.concurrency)
      : load.kind == record::Load::Kind::max  ? fmt::format("max{}", load.concurrency)
      : load.arrival == record::Arrival::trace
          ? "trace"
          : fmt::format("{:g}rps-{}", load.request_rate, record::name_of(load.arrival));
  std::string name = fmt::format(
      "{}_{}{}_osl{}", command.options.model, of,
      command.prompts.isl.empty() ? "" : "_isl" + command.prompts.isl,
      command.prompts.osl.empty() ? std::to_string(command.options.osl) : command.prompts.osl);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  return name;
}

}  // namespace

BenchPoint bench_point(const BenchCommand& command, const record::Load& load) {
  const load::BenchOptions& options = command.options;
  Parameters parameters;
  parameters.text("model", options.model);
  parameters.text("protocol", options.protocol);
  parameters.text("stream", options.stream ? "true" : "false");
  parameters.text("url", join(options.urls, " "));
  add_load(load, parameters);
  add_requests(command, parameters);
  BenchPoint point{.name = name_of(command, load), .parameters = parameters.take()};
  Components all;
  for (const auto& [name, value] : point.parameters) all.add(name, std::string_view(value.text));
  point.name += "-" + all.digest().prefix(k_digest_characters);
  return point;
}

}  // namespace orch::cli
