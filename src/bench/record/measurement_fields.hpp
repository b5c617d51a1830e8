// The fields of a measurement, of its server's models and of its GPUs, in measurement.json and in
// the tables `measurement`, `model_time` and `gpu_window` of results.db. A new field needs a member
// of its struct, a row here and, if it is stored, a column in a migration.
#pragma once

#include "bench/record/measurement.hpp"
#include "core/base/fields.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace orch::record {

// In the order of the keys in measurement.json. record_json.cpp produces objects and sections.
inline constexpr auto k_measurement_fields = [] {
  using M = Measurement;
  using V = measure::Verdict;
  using enum FieldType;
  constexpr Group window = {.key = "window"};
  const auto object_of = [](std::string_view key) { return Field<M>{key, key, object}; };
  const auto section_of = [](std::string_view key) { return Field<M>{key, "", section}; };
  return std::array{
      field<&M::by, &MeasuredBy::tool>("tool"),
      field<&M::by, &MeasuredBy::version>("tool_version"),
      field<&M::by, &MeasuredBy::definition>("definition"),
      field<&M::by, &MeasuredBy::origin>("origin"),
      field<&M::by, &MeasuredBy::origin_sha256>("origin_sha256"),
      Field<M>{"missing", "missing", words, field<&M::by, &MeasuredBy::missing>("").get},
      object_of("load"),
      field<&M::verdict, &V::valid>("valid"),
      field<&M::verdict, &V::reasons>("reasons"),
      field<&M::verdict, &V::warnings>("warnings"),
      Field<M>{"unsupported", "unsupported", words, field<&M::unsupported>("").get},
      field<&M::verdict, &V::steady>("steady"),
      field<&M::wall_start_ns>("start_wall_ns", "window_start_ns", window),
      field<&M::duration_s>("duration_s", "window_s", window),
      Field<M>{"requests", "", integer,
               [](const M& one) { return Value(static_cast<std::int64_t>(one.records.size())); }},
      field<&M::prefix_cache>("prefix_cache"),
      object_of("counting"),
      section_of("metrics"),
      section_of("intervals"),
      object_of("client"),
      section_of("servers"),
      section_of("first_requests"),
      section_of("server_before"),
      section_of("server_after"),
      section_of("server_during"),
      section_of("server_kinds"),
      section_of("models"),
      section_of("processes"),
      section_of("host"),
      section_of("gpus"),
      field<&M::server, &observe::ServerReport::notes>("notes"),
  };
}();

inline constexpr auto k_model_fields = [] {
  using M = observe::ModelTimes;
  return std::array{
      field<&M::model>("model"),
      field<&M::version>("version"),
      field<&M::requests>("requests"),
      field<&M::failed>("failed"),
      field<&M::inferences>("inferences"),
      field<&M::executions>("executions"),
      field<&M::cache_hits>("cache_hits"),
      field<&M::cache_misses>("cache_misses"),
      field<&M::request_ms>("request_ms"),
      field<&M::queue_ms>("queue_ms"),
      field<&M::compute_input_ms>("compute_input_ms"),
      field<&M::compute_infer_ms>("compute_infer_ms"),
      field<&M::compute_output_ms>("compute_output_ms"),
      field<&M::restarted>("restarted"),
  };
}();

inline constexpr auto k_gpu_fields = [] {
  using G = observe::GpuWindow;
  using enum FieldType;
  constexpr Group sm_clock_mhz = {.key = "sm_clock_mhz"};
  return std::array{
      field<&G::index>("index", "gpu"),
      field<&G::uuid>("uuid"),
      field<&G::model>("model"),
      field<&G::memory_gib>("memory_gib"),
      field<&G::used_gib_peak>("used_gib_peak"),
      field<&G::power_w>("power_w"),
      field<&G::energy_j>("energy_j"),
      Field<G>{"energy_from", "", text,
               [](const G& gpu) {
                 return gpu.energy_j ? Value(gpu.energy_counted ? "counter" : "power") : Value();
               }},
      field<&G::sm_clock_mhz_min>("min", "sm_clock_mhz_min", sm_clock_mhz),
      field<&G::sm_clock_mhz_mean>("mean", "sm_clock_mhz_mean", sm_clock_mhz),
      field<&G::sm_clock_mhz_max>("max", "sm_clock_mhz_max", sm_clock_mhz),
      field<&G::temperature_c_max>("temperature_c_max"),
      field<&G::busy_share>("busy_share"),
      Field<G>{"throttled", "throttled", object,
               [](const G& gpu) { return Value(Shares(gpu.throttled)); }},
      field<&G::looks>("looks", ""),
  };
}();

using MeasurementValues = std::array<Value, k_measurement_fields.size()>;
using ModelValues = std::array<Value, k_model_fields.size()>;
using GpuValues = std::array<Value, k_gpu_fields.size()>;

}  // namespace orch::record
