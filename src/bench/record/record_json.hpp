// Measurements as files for others to read: measurement.json, requests.jsonl, answers.jsonl.zst,
// values.jsonl.zst. Produces their bytes, in parts if there may be many, but does not write these
// files. Until then, answers are kept in a spool.
#pragma once

#include "bench/measure/request_record.hpp"
#include "bench/record/measurement.hpp"
#include "core/base/result.hpp"
#include "os/system/files.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace orch::record {

struct KeptAnswer {
  std::string text = {};
  std::vector<std::size_t> text_ends = {};  // of its token events, if they were kept
};

// Redacts a text and adjusts offsets into it.
using Redact = std::function<void(std::string& text, std::span<std::size_t> ends)>;

// Answers in a file, numbered from 0. One thread appends; others may read meanwhile.
class AnswerFile {
 public:
  // FILE must be empty and used by nothing else.
  AnswerFile(std::unique_ptr<system::OpenFile> file, Redact redact)
      : file_(std::move(file)), redact_(std::move(redact)) {}

  // After an error nothing more is written, and read() returns that error for every answer.
  void append(std::deque<KeptAnswer> answers);
  // The redacted answer of that number, which must have been appended.
  Result<KeptAnswer> read(std::int64_t number);

 private:
  struct Place {
    std::uint64_t offset = 0;
    std::size_t size = 0;
    std::vector<std::size_t> text_ends;
  };

  Status write(const std::deque<KeptAnswer>& answers);

  const std::unique_ptr<system::OpenFile> file_;
  const Redact redact_;
  std::uint64_t end_ = 0;     // of the file
  std::mutex mutex_;          // guards the members below
  std::deque<Place> places_;  // by number
  Status status_;             // the first error
};

// Keeps answer texts in a file while a benchmark runs, so that memory does not grow with their
// number. A background thread writes them.
class AnswerSpool {
 public:
  // Creates an unlinked file in FOLDER, so that nothing is left when this process dies. FILES must
  // outlive the spool.
  static Result<std::unique_ptr<AnswerSpool>> open(system::Files& files, const std::string& folder,
                                                   Redact redact);
  // Appends to FILE, which must be empty and used by nothing else.
  AnswerSpool(std::unique_ptr<system::OpenFile> file, Redact redact);
  ~AnswerSpool();

  // Takes ANSWER and returns its number. Does not block, unless more than k_most_waiting_bytes wait
  // for the disk. Call from one thread.
  std::int64_t put(KeptAnswer answer);
  // The redacted answer of that number; waits until it is written. The text is redacted only here,
  // because a load is measured during put(). Errors: it could not be written, or read.
  Result<KeptAnswer> get(std::int64_t number);
  // The result of settle(), which waits until all answers so far are written: CPU time of the
  // thread, and the time that put() waited, both since the last call.
  struct Cost {
    std::int64_t cpu_ns = 0;
    std::int64_t waited_ns = 0;
  };
  Cost settle();

  static constexpr std::size_t k_most_waiting_bytes = std::size_t{64} << 20;

 private:
  void run();
  void hurry(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done);

  AnswerFile file_;

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::deque<KeptAnswer> waiting_;
  std::size_t waiting_bytes_ = 0;  // including those being written
  bool is_urgent_ = false;         // a caller waits for the answers in memory
  std::int64_t count_ = 0;
  std::int64_t written_ = 0;  // of these, or dropped after an error
  bool stopped_ = false;
  Cost cost_;

  std::thread thread_;
};

// The answer of RECORD, stored in the record itself or in SPOOL.
Result<KeptAnswer> answer_of(const measure::RequestRecord& record, AnswerSpool* spool);
// The same for the values of RECORD; "" if there are none.
Result<std::string> values_of(const measure::RequestRecord& record, AnswerSpool* spool);

// The version of measurement.json.
inline constexpr int k_record_schema = 1;

std::string measurement_json(const BenchSpec& options, std::span<const Measurement> measurements);

// Takes the next bytes of a file. If it fails, no more bytes are produced.
using Take = std::function<Status(std::string_view)>;

// requests.jsonl: one line per request, warm-up included.
Status give_requests(std::span<const Measurement> measurements, const Take& take);
// answers.jsonl.zst: one packed {"line": N, "answer": TEXT} per request that has an answer, N its
// line in requests.jsonl from 1; nothing if none has. SPOOL holds the answers that the records do
// not; may be null.
Status give_answers(std::span<const Measurement> measurements, AnswerSpool* spool,
                    const Take& take);
// values.jsonl.zst: one packed {"line": N, "events": [{OUTPUT: LIST}]} per request that has log
// probabilities or logits, in the order of its events; nothing if none has.
Status give_values(std::span<const Measurement> measurements, AnswerSpool* spool, const Take& take);

}  // namespace orch::record
