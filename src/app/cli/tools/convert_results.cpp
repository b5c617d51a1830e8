// `orchestrate convert-results`: runs another tool as a stage's command, and makes a record from
// the files that it wrote.
#include "app/cli/bench/bench_output.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/cli/tools/tool_files.hpp"
#include "bench/record/record_json.hpp"
#include "core/base/text.hpp"
#include "results/imports/gather.hpp"
#include "results/store/layout.hpp"
#include "run/execute/executor.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace orch::cli {
namespace {

constexpr char k_own_tool[] = "llm-perf";  // its exit statuses are those of `bench`
constexpr std::uint64_t k_most_prompt_bytes = std::uint64_t{256} << 20;

struct ConvertOptions {
  std::string tool, tool_version, out, prompts;
  std::string concurrency, request_rate;
  bool running_server = false;
  ToolFileFlags tool_files;
  std::vector<std::string> argv;
};

// The token count of each prompt as stated in its file, by the prompt's text.
Result<std::map<std::string, std::int64_t>> counted_prompts(const std::string& path) {
  ORCH_ASSIGN(const std::string text, real_host().files.read_text(path, k_most_prompt_bytes));
  std::map<std::string, std::int64_t> counts;
  for (const std::string& line : split(text, '\n')) {
    const auto row = nlohmann::json::parse(line, nullptr, false);
    if (!row.is_object() || !row.contains("text_input") || !row["text_input"].is_string()) continue;
    const auto isl = row.find("isl"), ids = row.find("input_ids");
    if (isl != row.end() && isl->is_number_integer())
      counts.emplace(row["text_input"], isl->get<std::int64_t>());
    else if (ids != row.end() && ids->is_array())
      counts.emplace(row["text_input"], static_cast<std::int64_t>(ids->size()));
  }
  return counts;
}

Status count_prompts(const std::string& path, imports::Reading& reading) {
  if (path.empty()) return {};
  ORCH_ASSIGN(const auto counts, counted_prompts(path));
  imports::KeptRequests& kept = reading.requests;
  for (std::size_t i = 0; i < kept.texts.size(); ++i)
    if (const auto found = counts.find(kept.texts[i].prompt); found != counts.end())
      kept.records[i].isl = found->second;
  kept.counting_isl = "token ids of the prompt, as counted in its prompt file";
  return {};
}

bool is_asked_for(const imports::Reading& reading, const char* name, const std::string& value) {
  const auto found = reading.parameters.find(name);
  return value.empty() || found == reading.parameters.end() ||
         to_real(found->second.text) == to_real(value);
}

// The one measurement in the files at the load of the stage; an error if there is none, or more
// than one.
Result<imports::Gathered> the_measurement(const ConvertOptions& options,
                                          const std::string& folder) {
  Notes notes;
  ORCH_ASSIGN(auto all,
              read_tool_files({folder}, options.tool_files, imports::Together::one_call, notes));
  print_warnings(notes);
  std::erase_if(all, [&](const imports::Gathered& one) {
    return !is_asked_for(one.reading, "concurrency", options.concurrency) ||
           !is_asked_for(one.reading, "request_rate", options.request_rate);
  });
  if (all.empty())
    return invalid(fmt::format("{} wrote no readable result into {}: see its output above",
                               options.tool, folder));
  if (all.size() > 1)
    return invalid(
        fmt::format("{} measured {} loads; a stage measures one: choose it with --concurrency or "
                    "--request-rate, or in the tool's command line",
                    options.tool, all.size()));
  return std::move(all.front());
}

// REFUSED: the tool, such as llm-perf, has declared its measurement invalid.
Status write_record(const ConvertOptions& options, const std::string& folder, bool refused) {
  ORCH_ASSIGN(imports::Gathered one, the_measurement(options, folder));
  one.reading.tool = options.tool;
  if (!options.tool_version.empty()) one.reading.tool_version = options.tool_version;
  ORCH_TRY(count_prompts(options.prompts, one.reading));
  for (imports::FileOrigin& file : one.files)
    file.path = std::filesystem::path(file.path).lexically_relative(options.out).string();
  auto measurements = imports::measurements_of(one);
  if (options.running_server)
    for (record::Measurement& measurement : measurements)
      measurement.verdict.warnings.emplace_back(record::k_running_server_warning);
  if (refused)
    for (record::Measurement& measurement : measurements) {
      measurement.verdict.valid = false;
      measurement.verdict.reasons.push_back(options.tool + " says why in its output");
    }
  system::Files& files = real_host().files;
  ORCH_TRY(write_parts(files, options.out + "/requests.jsonl", [&](const record::Take& take) {
    return record::give_requests(measurements, take);
  }));
  return files.write(options.out + "/measurement.json", record::measurement_json({}, measurements));
}

int convert(ConvertOptions& options) {
  options.out = std::filesystem::absolute(options.out).lexically_normal().string();
  const std::string folder = options.out + "/files";
  Status made = store::check_output(options.out);
  if (made) made = real_host().files.make_folder(folder);
  if (!made) return status_of(fail_command(made.error(), Exit::failed));
  for (std::string& word : options.argv)
    for (auto at = word.find("{files}"); at != std::string::npos; at = word.find("{files}"))
      word.replace(at, std::string_view("{files}").size(), folder);
  const auto status = run_tool(options.argv, folder, folder + "/stdout.txt");
  if (!status) return status_of(fail_command(status.error(), Exit::failed));
  const bool refused = *status == execute::k_not_valid_status && options.tool == k_own_tool;
  if (*status != 0 && !refused) {
    say(stderr, "{} ended with status {}; its files are in {}\n", options.tool, *status, folder);
    return *status;
  }
  const Status written = write_record(options, folder, refused);
  if (!written) print_errors({written.error()});
  return written ? *status : status_of(Exit::failed);
}

}  // namespace

std::optional<int> convert_results_main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "convert-results") return std::nullopt;
  ConvertOptions options;
  CLI::App app(
      "Runs another tool as the command of a measure stage, and writes measurement.json and "
      "requests.jsonl from the files that it wrote. The tool runs in OUT/files, which {files} "
      "stands for in ARGV; its standard output is shown and kept in OUT/files/stdout.txt. If the "
      "tool's exit status is not 0, this command exits with the same.",
      "orchestrate convert-results");
  app.add_option("--tool", options.tool, "Name of the tool, as on rows of results")->required();
  app.add_option("--tool-version", options.tool_version, "Version, where its files state none");
  app.add_option("--out", options.out, "Folder of the record")->required();
  app.add_option("--prompts", options.prompts,
                 "Prompt file that the tool sends: its token counts are used as isl");
  app.add_flag("--running-server", options.running_server,
               "The server was already running and is not under control: a warning says so");
  app.add_option("--concurrency", options.concurrency, "The load to take from files with several");
  app.add_option("--request-rate", options.request_rate, "The load to take, likewise");
  add_tool_file_options(app, options.tool_files);
  app.add_option("ARGV", options.argv, "The tool's command line, after --")->required();
  try {
    app.parse(argc - 1, argv + 1);
  } catch (const CLI::ParseError& error) {
    return status_of(app.exit(error) == 0 ? Exit::done : Exit::refused);
  }
  return convert(options);
}

}  // namespace orch::cli
