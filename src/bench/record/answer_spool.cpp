#include "bench/record/record_json.hpp"
#include "bench/wire/exchange.hpp"
#include "os/system/process.hpp"

namespace orch::record {

namespace {

constexpr std::size_t k_batch_bytes = 1 << 20;
constexpr std::chrono::milliseconds k_period{100};

}  // namespace

void AnswerFile::append(std::deque<KeptAnswer> answers) {
  // Only this thread changes the status.
  Status written = status_.ok() ? write(answers) : Status();
  const std::scoped_lock lock(mutex_);
  for (KeptAnswer& answer : answers) {
    places_.push_back(
        {.offset = end_, .size = answer.text.size(), .text_ends = std::move(answer.text_ends)});
    end_ += answer.text.size();
  }
  if (status_.ok()) status_ = std::move(written);
}

// Small answers are combined into one call, and large ones are not copied.
Status AnswerFile::write(const std::deque<KeptAnswer>& answers) {
  std::string small;
  for (const KeptAnswer& answer : answers) {
    if (answer.text.size() < k_batch_bytes) small += answer.text;
    if (small.size() < k_batch_bytes && answer.text.size() < k_batch_bytes) continue;
    ORCH_TRY(file_->append(std::exchange(small, {})));
    if (answer.text.size() >= k_batch_bytes) ORCH_TRY(file_->append(answer.text));
  }
  return file_->append(small);
}

Result<KeptAnswer> AnswerFile::read(std::int64_t number) {
  Place place;
  {
    const std::scoped_lock lock(mutex_);
    ORCH_TRY(status_);
    place = places_[static_cast<std::size_t>(number)];
  }
  KeptAnswer answer{.text_ends = std::move(place.text_ends)};
  ORCH_ASSIGN(answer.text, file_->read(place.offset, place.size));
  if (answer.text.size() != place.size)
    return Error{ErrorKind::io, "the file with the answers was truncated"};
  if (redact_) redact_(answer.text, answer.text_ends);
  return answer;
}

Result<std::unique_ptr<AnswerSpool>> AnswerSpool::open(system::Files& files,
                                                       const std::string& folder, Redact redact) {
  const std::string path = folder + "/.answers-" + system::new_token();
  ORCH_ASSIGN(auto file, files.open(path));
  ORCH_TRY(files.remove_tree(path));
  return std::unique_ptr<AnswerSpool>(new AnswerSpool(std::move(file), std::move(redact)));
}

AnswerSpool::AnswerSpool(std::unique_ptr<system::OpenFile> file, Redact redact)
    : file_(std::move(file), std::move(redact)), thread_([this] { run(); }) {}

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
  // Notifying costs a system call, too much for every small answer of a load.
  if (waiting_bytes_ >= k_batch_bytes) changed_.notify_all();
  return count_++;
}

Result<KeptAnswer> AnswerSpool::get(std::int64_t number) {
  {
    std::unique_lock lock(mutex_);
    hurry(lock, [&] { return number < written_; });
  }
  return file_.read(number);
}

AnswerSpool::Cost AnswerSpool::settle() {
  std::unique_lock lock(mutex_);
  hurry(lock, [this] { return written_ == count_; });
  return std::exchange(cost_, {});
}

// Makes the thread write all answers now, and waits until DONE.
void AnswerSpool::hurry(std::unique_lock<std::mutex>& lock, const std::function<bool()>& done) {
  is_urgent_ = true;
  changed_.notify_all();
  changed_.wait(lock, done);
  is_urgent_ = false;
}

void AnswerSpool::run() {
  std::unique_lock lock(mutex_);
  const auto has_work = [this] {
    return stopped_ || waiting_bytes_ >= k_batch_bytes || (is_urgent_ && !waiting_.empty());
  };
  while (true) {
    changed_.wait_for(lock, k_period, has_work);
    if (stopped_) return;
    if (waiting_.empty()) continue;
    std::deque<KeptAnswer> answers = std::exchange(waiting_, {});
    const std::int64_t count = std::ssize(answers);
    const std::size_t bytes = waiting_bytes_;
    lock.unlock();
    const std::int64_t from_ns = wire::thread_cpu_ns();
    file_.append(std::move(answers));
    const std::int64_t cpu_ns = wire::thread_cpu_ns() - from_ns;
    lock.lock();
    written_ += count;
    waiting_bytes_ -= bytes;
    cost_.cpu_ns += cpu_ns;
    changed_.notify_all();
  }
}

Result<KeptAnswer> answer_of(const measure::RequestRecord& record, AnswerSpool* spool) {
  if (spool && record.spooled) return spool->get(*record.spooled);
  return KeptAnswer{.text = record.answer, .text_ends = record.text_ends};
}

Result<std::string> values_of(const measure::RequestRecord& record, AnswerSpool* spool) {
  if (!spool || !record.spooled_values) return record.values;
  ORCH_ASSIGN(KeptAnswer kept, spool->get(*record.spooled_values));
  return std::move(kept.text);
}

}  // namespace orch::record
