#include "app/cli/bench/bench_help.hpp"

#include "app/cli/help.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {
namespace {

class OneScreen final : public CLI::Formatter {
 public:
  explicit OneScreen(bool all) : all_(all) {}

  std::string make_option(const CLI::Option* option, bool positional) const override {
    return help_entry(make_option_name(option, positional) + make_option_opts(option),
                      make_option_desc(option), 34);
  }
  std::string make_group(std::string group, bool,
                         std::vector<const CLI::Option*> options) const override {
    std::string out = group + ":\n";
    if (all_ || group != k_rare)
      for (const CLI::Option* option : options) out += make_option(option, false);
    else out += names_of(options);
    return out;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string out = option->get_type_name().empty() ? "" : " " + option->get_type_name();
    if (option->get_required()) out += " (required)";
    if (!option->get_default_str().empty()) out += " [" + option->get_default_str() + "]";
    return out;
  }
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: orchestrate bench --url URL -m NAME -c 1,8 --requests N --isl N --osl N \\\n"
           "    --tokenizer DIR [OPTIONS]\n\n";
  }

 private:
  static std::string names_of(const std::vector<const CLI::Option*>& options) {
    std::string out, line = " ";
    for (const CLI::Option* option : options) {
      const std::string name = " " + option->get_name(false, true);
      if (line.size() + name.size() > help_columns()) out += std::exchange(line, " ") + "\n";
      line += name;
    }
    return out + line + "\n";
  }

  bool all_;
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> one_screen_help() { return std::make_shared<OneScreen>(false); }

std::shared_ptr<CLI::FormatterBase> full_help() { return std::make_shared<OneScreen>(true); }

}  // namespace orch::cli
