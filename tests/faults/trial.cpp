#include "faults/trial.hpp"

#include "crash/by_hand.hpp"
#include "crash/reference.hpp"
#include "faults/shared_state.hpp"
#include "run/attempt/failure.hpp"

#include <sstream>

namespace orch::faults {

using namespace crash;

namespace {

constexpr std::size_t k_bench = 2;  // in k_programs
constexpr double k_grace_s = 5;

void append(std::string& text, const char* word, const std::vector<std::string>& items) {
  for (const std::string& item : items) text += fmt::format("  {}: {}\n", word, item);
}

// Failures of the system under test: the fake stack has none.
std::vector<std::string> final_verdicts(const World& world) {
  std::vector<std::string> found;
  for (const std::string& line :
       ask_store(world.store(), world.folder(),
                 "SELECT a.failure_class || ' ' || s.name || ': ' || a.message AS line FROM "
                 "attempt a JOIN stage s ON s.id = a.stage_id WHERE a.ok = 0")) {
    const auto known = parse_name<attempt::FailureClass>(line.substr(0, line.find(' ')));
    if (!known || attempt::traits_of(*known).kind == attempt::FailureKind::system)
      found.push_back(line);
  }
  return found;
}

void note_end(Outcome& outcome, const Ended& disturbed) {
  if (disturbed.late)
    outcome.other.push_back(
        fmt::format("the disturbed command did not end in {} s", k_disturbed_s));
  else if (disturbed.signal)
    outcome.other.push_back(fmt::format("signal {} ended the disturbed command", disturbed.signal));
}

void note_verify(Outcome& outcome, World& world) {
  std::string said;
  const Ended ended = world.orchestrate({"verify"}, &said);
  if (ended.code != 0) outcome.verify.push_back(said + world.last_stderr());
}

Outcome try_on_run(const Fault& fault, int lane) {
  World world({.lane = lane, .grace_s = k_grace_s});
  world.write_matrix(k_one_point);
  Referee referee(world, undisturbed());
  const SharedState state(world, "run");
  World::Run run = world.start(state.variables(fault));
  const Ended disturbed = end_of(world, run);
  std::string story = state.log() + world.read(run.err);
  Outcome outcome = judge(world, referee, disturbed);
  outcome.fired = state.failed() > 0;
  outcome.story = std::move(story);
  return outcome;
}

// As many lines of requests as the measurements of `bench` say that they have.
constexpr const char* k_requests_missing =
    "SELECT m.id || ' has ' || count(q.line) || ' requests' AS line FROM measurement m LEFT JOIN "
    "request q ON q.measurement_id = m.id GROUP BY m.id HAVING count(q.line) <> 4";

Outcome try_on_bench(const Fault& fault, int lane) {
  World world({.lane = lane, .grace_s = k_grace_s});
  std::filesystem::create_directories(world.store());
  ByHand by_hand(world);
  const SharedState state(world, "bench");
  Outcome outcome;
  World::Run first = by_hand.start(state.variables(fault));
  const Ended disturbed = end_of(world, first);
  note_end(outcome, disturbed);
  outcome.fired = state.failed() > 0;
  outcome.story = state.log() + world.read(first.err);
  const Ended again = by_hand.run({});
  by_hand.end();
  if (again.code != 0)
    outcome.other.push_back(fmt::format("the second command ended with exit status {}: {}",
                                        again.code, world.last_stderr()));
  const std::string taken =
      ask_store(world.store(), world.folder(), "SELECT count(*) FROM measurement").front();
  if (taken == "0" || (taken == "1" && disturbed.code == 0))
    outcome.lost.push_back("a measurement of bench: there are " + taken);
  else if (taken != "1" && taken != "2")
    outcome.doubled.push_back(taken + " measurements of bench");
  for (const std::string& line : ask_store(world.store(), world.folder(), k_requests_missing))
    outcome.lost.push_back("requests: measurement " + line);
  outcome.left = left_behind(world, read_store(world.store(), world.folder()).folders, 5);
  note_verify(outcome, world);
  return outcome;
}

}  // namespace

Ended end_of(World& world, World::Run& run) {
  if (const auto ended = run.wait(k_disturbed_s)) return *ended;
  run.kill();
  Ended ended = world.finish(run);
  ended.late = true;
  return ended;
}

bool Outcome::clean() const {
  return lost.empty() && doubled.empty() && final.empty() && left.empty() && verify.empty() &&
         other.empty();
}

std::string Outcome::text() const {
  std::string text;
  append(text, "lost", lost);
  append(text, "doubled", doubled);
  append(text, "final verdict", final);
  append(text, "left", left);
  append(text, "verify", verify);
  append(text, "other", other);
  return text;
}

const Snapshot& undisturbed() {
  static const Reference made = make_reference(k_one_point, k_one_point_outputs);
  if (!made.complaint.empty()) throw std::runtime_error(made.complaint);
  return made.store;
}

Counts count_calls(std::size_t program) {
  World world({.lane = 0, .grace_s = k_grace_s});
  world.write_matrix(k_one_point);
  const SharedState state(world, "count");
  Ended ended;
  if (program == k_bench) {
    std::filesystem::create_directories(world.store());
    ByHand by_hand(world);
    ended = by_hand.run(state.variables({}));
  } else {
    ended = world.run(state.variables({}));
  }
  if (ended.code != 0) throw std::runtime_error("a counted run failed: " + world.last_stderr());
  return state.counts(program);
}

Outcome judge(World& world, Referee& referee, const Ended& disturbed,
              const World::Variables& variables) {
  Outcome outcome;
  note_end(outcome, disturbed);
  referee.note_record();
  const Ended last = world.run(variables);
  Verdict verdict = referee.judge(last, world.last_stderr());
  outcome.lost = std::move(verdict.lost);
  outcome.doubled = std::move(verdict.duplicated);
  outcome.doubled.insert(outcome.doubled.end(), verdict.overlapping.begin(),
                         verdict.overlapping.end());
  outcome.left = std::move(verdict.orphaned);
  outcome.other.insert(outcome.other.end(), verdict.wrong.begin(), verdict.wrong.end());
  outcome.final = final_verdicts(world);
  note_verify(outcome, world);
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(world.store() + "/attempts", none)) {
    (void)entry;
    ++outcome.kept;
  }
  return outcome;
}

Outcome try_fault(const Fault& fault, int lane) {
  const auto begun = Clock::now();
  Outcome outcome = fault.program == k_bench ? try_on_bench(fault, lane) : try_on_run(fault, lane);
  outcome.wall_s = seconds_since(begun);
  return outcome;
}

void Table::add(const std::string& name, const Outcome& outcome) {
  Row& row = rows_[name];
  ++row.cases;
  row.fired += outcome.fired;
  row.lost += !outcome.lost.empty();
  row.doubled += !outcome.doubled.empty();
  row.final += !outcome.final.empty();
  row.left += !outcome.left.empty();
  row.verify += !outcome.verify.empty();
  row.other += !outcome.other.empty();
  row.kept += outcome.kept;
  row.longest_s = std::max(row.longest_s, outcome.wall_s);
}

std::string Table::text() const {
  std::string text = fmt::format(
      "\n{:<40} {:>6} {:>6} {:>5} {:>8} {:>6} {:>5} {:>7} {:>6} {:>6} {:>9}\n", title_, "cases",
      "fired", "lost", "doubled", "final", "left", "verify", "other", "kept", "longest s");
  Row sum;
  const auto line = [&text](const std::string& name, const Row& row) {
    text += fmt::format("{:<40} {:>6} {:>6} {:>5} {:>8} {:>6} {:>5} {:>7} {:>6} {:>6} {:>9.1f}\n",
                        name, row.cases, row.fired, row.lost, row.doubled, row.final, row.left,
                        row.verify, row.other, row.kept, row.longest_s);
  };
  for (const auto& [name, row] : rows_) {
    line(name, row);
    sum.cases += row.cases, sum.fired += row.fired, sum.lost += row.lost;
    sum.doubled += row.doubled, sum.final += row.final, sum.left += row.left;
    sum.verify += row.verify, sum.other += row.other, sum.kept += row.kept;
    sum.longest_s = std::max(sum.longest_s, row.longest_s);
  }
  line("all", sum);
  return text;
}

}  // namespace orch::faults
