#include "app/cli/bench/record_files.hpp"

#include "app/cli/real_world.hpp"

#include <cerrno>

namespace orch::cli {

namespace {

constexpr std::size_t k_part_bytes = 1 << 20;

}  // namespace

Status write_parts(system::Files& files, const std::string& path, const Produce& produce) {
  if (const auto there = files.stat(path); there && there->is_folder)
    return io_error("write", path, EISDIR);
  const std::string part = path + ".part";
  ORCH_TRY(files.remove_tree(part));
  ORCH_ASSIGN(const auto file, files.open(part));
  std::string waiting;
  ORCH_TRY(produce([&](std::string_view text) -> Status {
    waiting += text;
    return waiting.size() < k_part_bytes ? Status() : file->append(std::exchange(waiting, {}));
  }));
  ORCH_TRY(file->append(waiting));
  ORCH_TRY(file->sync());
  ORCH_TRY(files.remove_tree(path));
  return files.rename(part, path);
}

Status write_json(const BenchCommand& command, const std::string& path, const Produce& produce) {
  secret::JsonRedactor redactor(*command.secrets);
  return write_parts(real_host().files, path, [&](const record::Take& take) -> Status {
    ORCH_TRY(produce([&](std::string_view text) { return take(redactor.feed(text)); }));
    return take(redactor.finish());
  });
}

std::string measurement_json(const BenchCommand& command,
                             std::span<const record::Measurement> measurements) {
  return secret::redacted_json(*command.secrets,
                               record::measurement_json(command.options, measurements));
}

namespace {

// The file PATH, or none where KEPT is false or PRODUCE gives nothing.
Status write_packed(const std::string& path, bool kept, const Produce& produce) {
  system::Files& files = real_host().files;
  if (!kept) return files.remove_tree(path);
  bool any = false;
  ORCH_TRY(write_parts(files, path, [&](const record::Take& take) {
    return produce([&](std::string_view text) {
      any = true;
      return take(text);
    });
  }));
  return any ? Status() : files.remove_tree(path);
}

}  // namespace

Status write_requests(const BenchCommand& command, const std::string& folder,
                      std::span<const record::Measurement> measurements) {
  ORCH_TRY(write_json(command, folder + "/requests.jsonl", [&](const record::Take& take) {
    return record::give_requests(measurements, take);
  }));
  ORCH_TRY(write_packed(folder + "/answers.jsonl.zst", command.options.keep_answers,
                        [&](const record::Take& take) {
                          return record::give_answers(measurements, command.options.answers, take);
                        }));
  return write_packed(folder + "/values.jsonl.zst", command.options.keep_values,
                      [&](const record::Take& take) {
                        return record::give_values(measurements, command.options.answers, take);
                      });
}

}  // namespace orch::cli
