#include "app/cli/reading.hpp"

#include "core/base/text.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "results/store/own_places.hpp"
#include "results/store/store.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

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

Status write_output(const std::string& path, const std::string& text) {
  namespace fs = std::filesystem;
  ORCH_TRY(store::check_output(path));
  std::error_code code;
  const fs::file_status target = fs::status(path, code);
  if (!fs::exists(target) || fs::is_directory(target)) return real_host().files.write(path, text);
  if (fs::is_regular_file(target))
    return real_host().files.write(fs::canonical(path, code).string(), text);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "we"),
                                                             std::fclose);
  if (!file) return io_error("open", path, errno);
  const bool whole = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                     std::fflush(file.get()) == 0;
  return whole ? Status() : Status(io_error("write", path, errno));
}

bool print_out(const std::string& text) {
  const std::string shown = safe_for(stdout, text);
  const bool whole = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size() &&
                     std::fflush(stdout) == 0;
  if (!whole) say(stderr, "the output could not be written: {}\n", std::strerror(errno));
  return whole;
}

}  // namespace orch::cli
