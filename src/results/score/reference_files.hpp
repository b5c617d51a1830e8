// Which file says what right answers are: the one that the user names, or the dataset that a
// measurement took its prompts from. Scores nothing.
#pragma once

#include "results/score/kept_answers.hpp"
#include "results/score/scoring.hpp"

#include <map>
#include <string>

namespace orch::score {

class ReferenceFiles {
 public:
  // NAMED: the user's file; "": none.
  ReferenceFiles(sql::Database& database, system::Files& files, std::string named)
      : database_(database), files_(files), named_(std::move(named)) {}

  // Valid as long as this. An error, with the remedy, where no file is known: the prompts were
  // synthetic, or their dataset was changed or moved.
  Result<const ReferenceFile*> of(const Target& target);

 private:
  Result<const ReferenceFile*> read(const std::string& path, const std::string& sha256);
  Result<const ReferenceFile*> of_dataset(const Target& target);

  sql::Database& database_;
  system::Files& files_;
  std::string named_;
  std::map<std::string, ReferenceFile> read_;  // by path
};

}  // namespace orch::score
