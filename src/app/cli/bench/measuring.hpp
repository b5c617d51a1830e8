// Shared by the commands that measure an endpoint: prompts, signals, progress on stderr, and the
// exit status.
#pragma once

#include "app/cli/bench/bench_options.hpp"
#include "app/cli/commands.hpp"
#include "bench/prompt/prompts.hpp"
#include "bench/record/measurement.hpp"
#include "core/base/result.hpp"
#include "spec/matrix/parameter.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orch::cli {

// What a command does with its measurements. Receives each as soon as it is complete, so that a
// later failure does not lose any.

class Outcome {
 public:
  // COMMAND is the command's name, for messages; must outlive this.
  explicit Outcome(std::string_view command) : command_(command) {}
  virtual ~Outcome() = default;
  Outcome(const Outcome&) = delete;
  Outcome& operator=(const Outcome&) = delete;

  void add(record::Measurement measurement);
  // False if something could not be written; a message has been printed.
  bool finish();
  bool all_valid() const;

 protected:
  const std::vector<record::Measurement>& measurements() const { return measurements_; }
  // Prints to standard output, which may be closed.
  void print(const std::string& text);
  // Prints why ONE is invalid, and its warnings, on stderr.
  static void print_verdict(const record::Measurement& one);
  void note_failure(const Status& status);
  // The first failure that was noted, as printed; "" if there is none.
  const std::string& first_failure() const { return first_failure_; }

 private:
  // Called for each new measurement, the last of measurements().
  virtual void added() = 0;
  // Called after the last measurement, if there is any.
  virtual void completed() = 0;

  std::string_view command_;
  std::vector<record::Measurement> measurements_;
  std::string first_failure_;
  bool stdout_closed_ = false;
};

struct Measuring {
  std::string_view name;  // of the command
  // Replaces the names of `bench` options in a message by the names that the command has for them;
  // null: no change.
  std::string (*in_its_words)(std::string_view message) = nullptr;
  // Makes the outcome, which PROMPTS outlive.
  std::function<std::unique_ptr<Outcome>(const prompt::PromptSet& prompts)> outcome;
};

// Measures the loads of COMMAND; prints errors. Returns Exit::not_valid if a measurement is not
// valid, and Exit::failed if measuring failed or something could not be written.
Exit measure(BenchCommand& command, const Measuring& how);

// The point of the experiment `bench` for a load, for the store of --db. Depends on the servers,
// the model, the load and the kind of requests, but not on the seed, the block of prompts or the
// number of requests.

struct BenchPoint {
  // "llama_c8_isl512_osl128-3e85b3": a readable part and a prefix of the parameters' digest.
  std::string name;
  std::map<std::string, matrix::Value> parameters;
};

BenchPoint bench_point(const BenchCommand& command, const record::Load& load);

// Messages of `orchestrate bench` in terms of a matrix. A stage runs `bench` with options from its
// runner; the reader of the message can change keys of the matrix, but not options.

// Whether this process is a stage of a run.
bool is_stage_of_run();

// MESSAGE with the keys of a matrix in place of the options of `bench`: num_prompts for --requests.
std::string in_words_of_matrix(std::string_view message);

}  // namespace orch::cli
