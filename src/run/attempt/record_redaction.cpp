#include "run/attempt/record_redaction.hpp"

#include "core/sql/packed.hpp"

#include <functional>
#include <memory>

namespace orch::attempt {

namespace {

constexpr std::size_t k_block_bytes = 1 << 20;
constexpr std::size_t k_most_unpacked_bytes = std::size_t{1} << 40;

// Returns the next part of a text, "" at its end.
using Source = std::function<Result<std::string>()>;
// Accepts the next part of a text, "" at its end.
using Sink = std::function<Status(std::string_view)>;

Status pump(const Source& source, const Sink& sink) {
  while (true) {
    ORCH_ASSIGN(const std::string part, source());
    ORCH_TRY(sink(part));
    if (part.empty()) return {};
  }
}

Source plain_source(system::Files& files, const std::string& path) {
  return [&files, path, at = std::uint64_t{0}]() mutable -> Result<std::string> {
    ORCH_ASSIGN(std::string block, files.read_block(path, at, k_block_bytes));
    at += block.size();
    return block;
  };
}

Source packed_source(system::Files& files, const std::string& path) {
  const auto blocks = std::make_shared<Unpacking>(  // shared: the function is copied
      [&files, path](std::uint64_t offset, std::size_t most) {
        return files.read_block(path, offset, most);
      },
      k_most_unpacked_bytes);
  return [blocks]() -> Result<std::string> {
    ORCH_ASSIGN(const std::string_view block, blocks->next());
    return std::string(block);
  };
}

// One file of a record, plain or compressed.
class RecordFile {
 public:
  RecordFile(system::Files& files, std::string path, const secret::JsonSecrets& secrets)
      : files_(files),
        path_(std::move(path)),
        redacted_(path_ + ".redacted"),
        is_packed_(path_.ends_with(".zst")),
        secrets_(secrets) {}

  Status redact() {
    ORCH_TRY(finish_interrupted());
    const auto facts = files_.stat(path_);
    if (!facts || !facts->is_regular) return {};
    ORCH_ASSIGN(const bool found, holds_a_secret());
    if (!found) return {};
    ORCH_TRY(write_redacted());
    ORCH_TRY(files_.remove_tree(path_));
    return files_.rename(redacted_, path_);
  }

 private:
  // If the original is gone, the redacted file is complete.
  Status finish_interrupted() {
    if (!files_.exists(redacted_)) return {};
    return files_.exists(path_) ? files_.remove_tree(redacted_) : files_.rename(redacted_, path_);
  }

  Source source() const {
    return is_packed_ ? packed_source(files_, path_) : plain_source(files_, path_);
  }

  // False also if the file cannot be unpacked.
  Result<bool> holds_a_secret() const {
    secret::JsonRedactor redactor(secrets_);
    const Status read = pump(source(), [&](std::string_view part) -> Status {
      (void)(part.empty() ? redactor.finish() : redactor.feed(part));
      return {};
    });
    if (!read.ok() && read.error().kind == ErrorKind::io) return read.error();
    return read.ok() && redactor.found() > 0;
  }

  Status write_redacted() const {
    ORCH_ASSIGN(const auto file, files_.open(redacted_));
    secret::JsonRedactor redactor(secrets_);
    Packing packing;
    const Sink write = [&](std::string_view part) -> Status {
      const std::string text = part.empty() ? redactor.finish() : redactor.feed(part);
      if (!is_packed_) return file->append(text);
      ORCH_TRY(file->append(packing.add(text)));
      return part.empty() ? file->append(packing.finish()) : Status();
    };
    ORCH_TRY(pump(source(), write));
    return file->sync();
  }

  system::Files& files_;
  const std::string path_, redacted_;
  const bool is_packed_;
  const secret::JsonSecrets& secrets_;
};

}  // namespace

Status redact_record(system::Files& files, const std::string& folder,
                     const secret::JsonSecrets& secrets) {
  for (const char* name : {"measurement.json", "requests.jsonl", "answers.jsonl.zst"})
    ORCH_TRY(RecordFile(files, folder + "/" + name, secrets).redact());
  return {};
}

}  // namespace orch::attempt
