// Findings about points of a plan: equal ones are one finding with all of their points.
#pragma once

#include "app/doctor/finding.hpp"
#include "app/preflight/needs.hpp"

namespace orch::preflight {

using doctor::Level;

class Findings {
 public:
  // PLAN must outlive this.
  Findings(const plan::Plan& plan, std::string heading)
      : plan_(plan), section_{.heading = std::move(heading), .is_asked_for = true} {}

  void add(Level level, const Points& points, const std::string& what,
           const std::string& remedy = "");
  // ERROR names its remedy behind the last semicolon.
  void add(Level level, const Points& points, const Error& error);

  const doctor::Section& section() const { return section_; }

 private:
  const plan::Plan& plan_;
  doctor::Section section_;
};

}  // namespace orch::preflight
