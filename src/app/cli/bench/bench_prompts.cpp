#include "app/cli/bench/bench_prompts.hpp"

#include "app/session/project.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>

namespace orch::cli {

namespace {

constexpr const char* k_script = "runners/common/scripts/make_prompts.py";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string default_cache() {
  const std::string cache = variable("XDG_CACHE_HOME"), home = variable("HOME");
  if (!cache.empty()) return cache + "/orchestrate/prompts";
  return home.empty() ? "" : home + "/.cache/orchestrate/prompts";
}

Status set_helper(prompt::PromptHelper& helper) {
  if (helper.cache_folder.empty()) helper.cache_folder = default_cache();
  if (helper.cache_folder.empty())
    return invalid(
        "prompts need a cache folder, and neither XDG_CACHE_HOME nor HOME is set; give "
        "--prompt-cache DIR");
  if (helper.python.empty()) helper.python = variable("ORCHESTRATE_PYTHON");
  if (helper.python.empty()) helper.python = "python3";
  // The helper runs in another folder.
  if (helper.python.find('/') != std::string::npos)
    helper.python = std::filesystem::absolute(helper.python).string();
  helper.script = session::project_file(k_script);
  if (helper.script.empty())
    return Error{
        ErrorKind::not_found,
        fmt::format(
            "{}, which counts tokens, is missing: it is not in this folder, above it, in "
            "../share/orchestrate beside the binary, above the binary, or in {}, where the binary "
            "was built; change to the project's folder",
            k_script, session::build_project()),
        {}};
  return {};
}

}  // namespace

void add_prompt_options(CLI::App& app, PromptFlags& flags, const std::string& group,
                        const std::string& rare) {
  prompt::PromptOptions& options = flags.options;
  app.add_option("--isl", flags.isl, "Tokens in each prompt, exactly; MEAN:SD draws lengths")
      ->type_name("N[:SD]")
      ->group(group);
  app.add_option("--osl", flags.osl, "Output tokens to request, unless the prompt sets them")
      ->type_name("N[:SD]")
      ->group(group);
  app.add_option("--tokenizer", options.tokenizer,
                 "Folder of tokenizer.json, for --isl or to count --prompts")
      ->type_name("DIR")
      ->group(group);
  app.add_option("--prompts", options.file,
                 "Instead of --isl: JSONL, JSON, perf_analyzer's input, or a trace")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--block", options.block, "Block of the prompt file")
      ->type_name("N")
      ->capture_default_str()
      ->group(rare);
  app.add_option("--shared-prefix", options.shared_prefix,
                 "Share of each synthetic prompt that all prompts have in common, 0 to 1")
      ->type_name("SHARE")
      ->capture_default_str()
      ->group(rare);
  app.add_flag(
         "--ids", options.ids,
         "Send prompts as token ids (openai-completions, Triton models that take ids); always "
         "for a model named tensorrt_llm")
      ->group(rare);
  app.add_option("--python", options.helper.python,
                 "Python that has the package tokenizers, for --tokenizer (default: "
                 "$ORCHESTRATE_PYTHON, else python3)")
      ->type_name("FILE")
      ->group(rare);
  app.add_option("--prompt-cache", options.helper.cache_folder,
                 "Cache of prompts made with --tokenizer (default: ~/.cache/orchestrate/prompts)")
      ->type_name("DIR")
      ->group(rare);
}

Result<prompt::PromptOptions> prompt_options(const PromptFlags& flags) {
  prompt::PromptOptions options = flags.options;
  if (!flags.isl.empty()) {
    ORCH_ASSIGN(options.isl, prompt::parse_length("--isl", flags.isl));
  }
  if (!flags.osl.empty()) {
    ORCH_ASSIGN(options.osl, prompt::parse_length("--osl", flags.osl));
  }
  if (!options.tokenizer.empty()) ORCH_TRY(set_helper(options.helper));
  return options;
}

}  // namespace orch::cli
