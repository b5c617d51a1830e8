#include "app/cli/help.hpp"

#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/say.hpp"
#include "core/base/text.hpp"

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace orch::cli {

namespace {

struct Example {
  std::string_view command, line;
};

constexpr Example k_examples[] = {
    {"init", "orchestrate init my-sweep --runner llama-cpp"},
    {"runners", "orchestrate runners vllm --parameters"},
    {"doctor", "orchestrate doctor matrix.yaml"},
    {"check", "orchestrate check matrix.yaml"},
    {"plan", "orchestrate plan matrix.yaml --where \"tp = 2\" --explain"},
    {"run", "orchestrate run matrix.yaml"},
    {"run", "orchestrate run matrix.yaml --where \"isl = 128\" --until build"},
    {"resume", "orchestrate resume"},
    {"status", "orchestrate status"},
    {"logs", "orchestrate logs serve-5a6f0c -f"},
    {"show", "orchestrate show qwen2-7b_fp8_tp1"},
    {"shell", "orchestrate shell serve-5a6f0c"},
    {"query", "orchestrate query results"},
    {"query", "orchestrate query \"SELECT point, output_tps FROM results\" --format csv"},
    {"report", "orchestrate report --output report.html"},
    {"score", "orchestrate score --scorer exact"},
    {"compare", "orchestrate compare \"precision = 'f16'\" \"precision = 'q8_0'\""},
    {"best", "orchestrate best --maximize output_tps --subject-to \"ttft_ms_p99 < 500\""},
    {"explain", "orchestrate explain ttft_ms_p99"},
    {"facts", "orchestrate facts models/qwen2-7b/config.json"},
    {"bench",
     "orchestrate bench --url http://localhost:8000 --protocol openai-chat -m qwen \\\n"
     "    -c 1,8 --requests 100 --isl 512 --osl 128 --tokenizer models/qwen"},
    {"llm-perf",
     "orchestrate llm-perf -m ensemble --concurrency 1,8 \\\n"
     "    --tokenizer-path models/qwen --input-data prompts.jsonl"},
    {"import", "orchestrate import profile_export_aiperf.json --experiment aiperf"},
    {"fill-template", "orchestrate fill-template config.pbtxt triton_max_batch_size:8"},
    {"schema", "orchestrate schema matrix > matrix.schema.json"},
    {"verify", "orchestrate verify"},
    {"reproduce", "orchestrate reproduce qwen2-7b_fp8_tp1"},
    {"export", "orchestrate export folder"},
    {"merge", "orchestrate merge folder --store results"},
    {"forget", "orchestrate forget quickstart"},
    {"gc", "orchestrate gc"},
    {"completion", "source <(orchestrate completion bash)"},
    {"manual", "orchestrate manual | man -l -"},
    {"help", "orchestrate help run"},
};

constexpr std::size_t k_option_width = 26;  // width of the column with the names of options
constexpr std::size_t k_widest = 100;       // columns; longer lines are hard to read

struct OtherOption {
  std::string_view there, here;
};

constexpr OtherOption k_other_options[] = {
    {"-b", "--batch N"},
    {"-i", "--protocol, such as triton-grpc"},
    {"-m", "--model NAME"},
    {"-u", "--url URL"},
    {"--backend", "--protocol, such as openai-chat"},
    {"--base-url", "--url URL"},
    {"--concurrency-range", "--concurrency 1,2,4"},
    {"--dataset-path", "--prompts FILE"},
    {"--endpoint", "--url and --protocol, such as openai-chat"},
    {"--endpoint-type", "--protocol, such as openai-chat"},
    {"--input-data", "--prompts FILE"},
    {"--input-file", "--prompts FILE"},
    {"--max-concurrency", "--concurrency N"},
    {"--measurement-interval", "--duration S"},
    {"--num-prompts", "--requests N"},
    {"--output-tokens-mean", "--osl N"},
    {"--output-tokens-stddev", "--osl N:SD"},
    {"--profile-export-file", "--export genai-perf"},
    {"--random-input-len", "--isl N"},
    {"--random-output-len", "--osl N"},
    {"--request-count", "--requests N"},
    {"--request-rate-range", "--request-rate 10,20"},
    {"--server-metrics-url", "--metrics-url URL"},
    {"--service-kind", "--protocol, such as openai-chat or triton-grpc"},
    {"--stability-percentage", "--until METRIC:PERCENT"},
    {"--synthetic-input-tokens-mean", "--isl N"},
    {"--synthetic-input-tokens-stddev", "--isl N:SD"},
    {"--token", "--token-file FILE or --token-env NAME"},
    {"--warmup-request-count", "--warmup N"},
};

}  // namespace

std::size_t help_columns() {
  const std::size_t columns = terminal_columns(STDOUT_FILENO);
  return std::min(columns, ::isatty(STDOUT_FILENO) == 1 ? k_widest : 80);
}

std::string help_entry(const std::string& name, const std::string& text, std::size_t width) {
  const std::string margin(width, ' ');
  const std::string lines = wrapped(text, help_columns() - width, 0);
  std::string out = "  " + name, beside;
  for (const std::string& line : split(lines, '\n'))
    beside += (beside.empty() ? "" : "\n" + margin) + line;
  if (name.size() + 3 > width) {
    if (text.empty()) return wrapped(out, help_columns(), 4) + "\n";
    return wrapped(out, help_columns(), 4) + "\n" + margin + beside + "\n";
  }
  out.resize(width, ' ');
  return out.substr(0, std::max(out.find_last_not_of(' ') + 1, text.empty() ? 0 : width)) + beside +
         "\n";
}

namespace {

class Layout final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool positional) const override {
    std::string values = make_option_opts(option);  // "{a,b}" may be longer than a line
    for (std::size_t at = values.find('{'); (at = values.find(',', at)) != std::string::npos; ++at)
      values.insert(++at, " ");
    return help_entry(make_option_name(option, positional) + values, make_option_desc(option),
                      k_option_width);
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return help_entry(command->get_display_name(true), command->get_description(), k_command_width);
  }
  std::string make_description(const CLI::App* app) const override {
    const std::string text = app->get_description();
    return text.empty() ? "" : wrapped(text, help_columns(), 0) + "\n";
  }
  std::string make_usage(const CLI::App* app, std::string) const override {
    std::string usage = "Usage: orchestrate";
    if (!app->get_name().empty()) usage += " " + app->get_name();
    usage += " [OPTIONS]";
    for (const CLI::Option* word : app->get_options())
      if (word->get_positional()) usage += " " + make_option_usage(word);
    if (app->get_name().empty()) usage += " COMMAND";
    return wrapped(usage, help_columns(), 4) + "\n";
  }

  std::string make_footer(const CLI::App* app) const override {
    const std::string text = app->get_footer();
    return text.empty() ? "" : wrapped(text, help_columns(), 2) + "\n";
  }

 private:
  static constexpr std::size_t k_command_width = 16;
};

}  // namespace

std::vector<std::string> examples_of(const std::string& command) {
  std::vector<std::string> lines;
  for (const Example& example : k_examples)
    if (example.command == command) lines.emplace_back(example.line);
  return lines;
}

void lay_out_help(CLI::App& app) {
  const auto layout = std::make_shared<Layout>();
  app.formatter(layout);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() != "bench") command->formatter(layout);  // bench has its own
    const auto examples = examples_of(command->get_name());
    if (examples.empty()) continue;
    std::string footer = command->get_footer();
    if (!footer.empty() && !footer.ends_with('\n')) footer += "\n\n";
    footer += examples.size() > 1 ? "Examples:\n" : "Example:\n";
    for (const std::string& example : examples) footer += "  " + example + "\n";
    footer.pop_back();
    command->footer(footer);
  }
}

void add_help(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("help", "Print the help of a command, or the commands");
  auto name = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "A command (default: the list of commands)");
  command->callback([&app, &exit_code, name] {
    std::vector<std::string> names;
    const CLI::App* of = name->empty() ? &app : nullptr;
    for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(one->get_name());
      if (names.back() == *name) of = one;
    }
    if (of) {
      // Not App::help(), which prints the help of the command on the command line.
      const std::string text = of->get_formatter()->make_help(of, "", CLI::AppFormatMode::Normal);
      return void(exit_code = status_of(print_out(text) ? Exit::done : Exit::failed));
    }
    const std::string near = did_you_mean(*name, names);
    print_errors(
        {invalid(fmt::format("unknown command {}{}", quoted(*name),
                             near.empty() ? "; the commands are: " + join(names, ", ") : near))});
    exit_code = status_of(Exit::refused);
  });
}

std::string_view option_here(std::string_view option) {
  for (const OtherOption& row : k_other_options)
    if (row.there == option) return row.here;
  return "";
}

}  // namespace orch::cli
