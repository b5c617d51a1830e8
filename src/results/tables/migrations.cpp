// The schema versions of results.db.
#include "results/tables/results.hpp"
#include "results/tables/schema.hpp"
#include "results/tables/scores.hpp"
#include "results/tables/views.hpp"

namespace orch::tables {

namespace {

// JSON columns are never searched; searched values have separate columns. Unique constraints are
// the idempotency keys: writing a fact twice changes nothing.
constexpr std::string_view k_version_1 = "\n"
#include <embedded/01_tables.sql.inc>
    ;

// For recovery after a dead run, and for run records.
constexpr std::string_view k_version_2 = "\n"
#include <embedded/02_recovery.sql.inc>
    ;

// Series of metrics pages by family and model, and the range of gauges.
constexpr std::string_view k_version_3 = "\n"
#include <embedded/03_metrics_pages.sql.inc>
    ;

// The server's side of a window, goodput, and compressed answers. A blob has a few hundred answers
// of one measurement, because a single answer is too short to compress. Only packed_text() can read
// it, so other programs cannot query the view `answers`; the same texts are in answers.jsonl.zst of
// the record.
constexpr std::string_view k_version_4 = "\n"
#include <embedded/04_answers.sql.inc>
    ;

// Fields that records already had.
constexpr std::string_view k_version_5 = "\n"
#include <embedded/05_steady.sql.inc>
    ;

constexpr std::string_view k_version_6 = "\n"
#include <embedded/06_probes.sql.inc>
    ;

// Copies of the run records. A piece is the packed text of one line, or of many once a run is over.
// Also the evidence for a failure's class, so that a later table of classes can classify the
// failure again.
constexpr std::string_view k_version_7 = "\n"
#include <embedded/07_record_copies.sql.inc>
    ;

// Figures of other tools, and the effect of a prefix cache. All earlier rows are from our own load
// generator.
constexpr std::string_view k_version_8 = "\n"
#include <embedded/08_other_tools.sql.inc>
    ;

// The owner that may write to a shared store's database: see results/store/core.hpp.
constexpr std::string_view k_version_13 = "\n"
#include <embedded/13_lease.sql.inc>
    ;

// Columns for answers with reasoning.
constexpr std::string_view k_version_14 = "\n"
#include <embedded/14_reasoning.sql.inc>
    ;

// The manifests of a run's runners, from which `compare` infers what follows from a parameter.
// Also counts `serve_repeats` again, and derives points with several imported files again, because
// these files count as repeats.
constexpr std::string_view k_version_15 = "\n"
#include <embedded/15_manifests.sql.inc>
    ;

}  // namespace

std::span<const Migration> migrations() {
  static const Migration k_steps[] = {
      {1, k_version_1},         {2, k_version_2},          {3, k_version_3},
      {4, k_version_4},         {5, k_version_5},          {6, k_version_6},
      {7, k_version_7},         {8, k_version_8},          {9, derived_tables_migration()},
      {10, scores_migration()}, {11, sharing_migration()}, {12, node_migration()},
      {13, k_version_13},       {14, k_version_14},        {15, k_version_15},
  };
  return k_steps;
}

}  // namespace orch::tables
