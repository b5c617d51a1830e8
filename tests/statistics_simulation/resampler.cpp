#include "resampler.hpp"

#include "core/base/random.hpp"

#include <array>
#include <charconv>
#include <optional>

#include <fmt/core.h>

namespace orch::statistics {
namespace {

constexpr std::array k_sides = {1, 2, 3, 5, 10};
constexpr std::size_t k_lenders_least = 6, k_lenders_most = 10;
constexpr std::string_view k_header = "session,point,metric,value";

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return fields;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// Scores and shares may be zero; then differences are not relative.
Scale scale_of(const Sessions& sessions) {
  for (const Session& session : sessions)
    for (const Observation& one : session)
      if (one.value <= 0) return Scale::additive;
  return Scale::ratio;
}

void shuffle(std::vector<std::size_t>& order, Random& random) {
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
}

class Deck {
 public:
  Deck(const Sessions& sessions, const std::vector<std::size_t>& order)
      : sessions_(sessions), order_(order) {}
  Sessions take(std::size_t count) {
    Sessions out;
    for (; count > 0 && next_ < order_.size(); --count) out.push_back(sessions_[order_[next_++]]);
    return out;
  }

 private:
  const Sessions& sessions_;
  const std::vector<std::size_t>& order_;
  std::size_t next_ = 0;
};

}  // namespace

Result<SessionsOfMetrics> read_sessions(std::string_view csv) {
  if (take_line(csv) != k_header) return invalid(fmt::format("the first line is not {}", k_header));
  SessionsOfMetrics out;
  std::map<std::pair<std::string, std::string>, std::size_t> places;  // by metric and session
  for (int line = 2; !csv.empty(); ++line) {
    const std::vector<std::string_view> fields = fields_of(take_line(csv));
    const auto value = fields.size() == 4 ? number(fields[3]) : std::nullopt;
    if (!value) return invalid(fmt::format("line {} has not four fields and a number", line));
    Sessions& sessions = out[std::string(fields[2])];
    const auto [place, is_new] =
        places.try_emplace({std::string(fields[2]), std::string(fields[0])}, sessions.size());
    if (is_new) sessions.emplace_back();
    sessions[place->second].push_back({std::string(fields[1]), *value});
  }
  return out;
}

std::vector<Resampled> resample(const Sessions& sessions, int sweeps, std::uint64_t seed) {
  Random random(seed);
  const Scale scale = scale_of(sessions);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sessions.size(); ++i) order.push_back(i);
  std::vector<Resampled> out;
  for (const bool lends : {false, true}) {
    for (const int side : k_sides) {
      const auto count = static_cast<std::size_t>(side);
      if (side == 1 && !lends) continue;
      if (sessions.size() < 2 * count + (lends ? k_lenders_least : 0)) continue;
      Resampled& seen = out.emplace_back(Resampled{.sessions = side, .lent = lends});
      for (int i = 0; i < sweeps; ++i) {
        shuffle(order, random);
        Deck deck(sessions, order);
        const Sessions a = deck.take(count), b = deck.take(count);
        DifferenceOptions options{.scale = scale};
        if (lends)
          options.lent = lent_spread(std::vector<Sessions>{deck.take(k_lenders_most)}, scale);
        const SessionDifference difference = session_difference(a, b, options);
        if (difference.inference && difference.inference->p < 0.05) seen.alarms += 100.0 / sweeps;
      }
    }
  }
  return out;
}

}  // namespace orch::statistics
