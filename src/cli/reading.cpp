#include "cli/reading.hpp"

#include "base/text.hpp"
#include "cli/real_world.hpp"
#include "cli/say.hpp"
#include "store/store.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace orch::cli {

void add_store_option(CLI::App& command, std::string& folder) {
  command.add_option("--store", folder, "The results folder")->capture_default_str();
}

std::function<std::string(const std::string&)> not_empty(const std::string& option) {
  return [option](const std::string& text) -> std::string {
    if (!text.empty()) return "";
    return fmt::format("it is empty; write an SQL predicate, or leave {} out", option);
  };
}

std::function<std::string(const std::string&)> number_in(double least, double most) {
  return [least, most](const std::string& text) -> std::string {
    const auto value = to_real(text);
    if (value && *value >= least && *value <= most) return "";
    return fmt::format("{} is no number from {} to {}", quoted(text), least, most);
  };
}

int read_store(const std::string& folder, const std::function<Status(store::Store&)>& work) {
  auto store = store::Store::open(real_host(), folder, store::Mode::read);
  Status status = store ? work(*store) : Status(store.error());
  if (store && !status) status = store->corruption_error(status.error());
  if (status) return 0;
  print_errors({status.error()});
  return 2;
}

Result<store::Store> open_existing(const std::string& folder, bool writing) {
  auto store = store::Store::open(real_host(), folder, store::Mode::read);
  if (!store || !writing) return store;
  return store::Store::open(real_host(), folder, store::Mode::write);
}

bool print_out(const std::string& text) {
  const std::string shown = safe_for(stdout, text);
  const bool whole = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size() &&
                     std::fflush(stdout) == 0;
  if (!whole) say(stderr, "the output could not be written: {}\n", std::strerror(errno));
  return whole;
}

}  // namespace orch::cli
