#include "record/answer_spool.hpp"

#include "system/process.hpp"
#include "wire/clock.hpp"

namespace orch::record {

namespace {

constexpr std::size_t k_piece_bytes = 1 << 20;

}  // namespace

Result<std::unique_ptr<AnswerSpool>> AnswerSpool::open(system::Files& files,
                                                       const std::string& folder, Redact redact) {
  const std::string path = folder + "/.answers-" + system::new_token();
  ORCH_ASSIGN(auto file, files.open(path));
  ORCH_TRY(files.remove_tree(path));
  return std::unique_ptr<AnswerSpool>(new AnswerSpool(std::move(file), std::move(redact)));
}

AnswerSpool::AnswerSpool(std::unique_ptr<system::OpenFile> file, Redact redact)
    : file_(std::move(file)), redact_(std::move(redact)), thread_([this] { run(); }) {}

AnswerSpool::~AnswerSpool() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::int64_t AnswerSpool::put(KeptAnswer answer) {
  std::unique_lock lock(mutex_);
  const auto has_room = [this] { return waiting_bytes_ <= k_most_waiting_bytes; };
  if (!has_room()) {
    const std::int64_t from_ns = wire::monotonic_ns();
    changed_.wait(lock, has_room);
    cost_.waited_ns += wire::monotonic_ns() - from_ns;
  }
  waiting_bytes_ += answer.text.size();
  waiting_.push_back(std::move(answer));
  changed_.notify_all();
  return count_++;
}

Result<KeptAnswer> AnswerSpool::get(std::int64_t number) {
  Place place;
  {
    std::unique_lock lock(mutex_);
    const auto at = static_cast<std::size_t>(number);
    changed_.wait(lock, [&] { return at < written_.size() || !status_.ok(); });
    ORCH_TRY(status_);
    place = written_[at];
  }
  KeptAnswer answer{.text = {}, .text_ends = std::move(place.text_ends)};
  ORCH_ASSIGN(answer.text, file_->read(place.offset, place.size));
  if (answer.text.size() != place.size)
    return Error{ErrorKind::io, "the file of the answers was cut", {}};
  if (redact_) redact_(answer.text, answer.text_ends);
  return answer;
}

AnswerSpool::Cost AnswerSpool::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty(); });
  return std::exchange(cost_, {});
}

Status AnswerSpool::write(const std::string& text) {
  for (std::size_t at = 0; at < text.size(); at += k_piece_bytes)
    ORCH_TRY(file_->append(std::string_view(text).substr(at, k_piece_bytes)));
  return {};
}

// Works on the first waiting answer without the lock: nobody else takes it away.
void AnswerSpool::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
    if (stopped_) return;
    KeptAnswer answer = std::move(waiting_.front());
    const std::size_t bytes = answer.text.size();
    const bool failed = !status_.ok();
    lock.unlock();
    const std::int64_t from_ns = wire::thread_cpu_ns();
    Status written;
    if (!failed) written = write(answer.text);
    const std::int64_t cpu_ns = wire::thread_cpu_ns() - from_ns;
    Place place{.offset = 0, .size = answer.text.size(), .text_ends = std::move(answer.text_ends)};
    answer = {};
    lock.lock();
    place.offset = end_;
    end_ += place.size;
    written_.push_back(std::move(place));
    if (status_.ok()) status_ = std::move(written);
    waiting_.pop_front();
    waiting_bytes_ -= bytes;
    cost_.cpu_ns += cpu_ns;
    changed_.notify_all();
  }
}

Result<KeptAnswer> answer_of(const measure::RequestRecord& record, AnswerSpool* spool) {
  if (spool && record.spooled) return spool->get(*record.spooled);
  return KeptAnswer{.text = record.answer, .text_ends = record.text_ends};
}

}  // namespace orch::record
