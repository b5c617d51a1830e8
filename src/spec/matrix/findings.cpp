#include "spec/matrix/findings.hpp"

namespace orch::matrix {

void Findings::add(const std::string& cause, Error error, std::size_t row) {
  const std::size_t order = findings_.size();
  const auto [finding, fresh] = findings_.try_emplace(
      cause, Finding{.error = std::move(error), .row = row, .more = 0, .order = order});
  if (!fresh) ++finding->second.more;
}

void Findings::report(Errors& errors,
                      const std::function<std::string(std::size_t row)>& label) const {
  std::vector<const Finding*> ordered(findings_.size());
  for (const auto& [cause, finding] : findings_) ordered[finding.order] = &finding;
  for (const Finding* finding : ordered) {
    Error error = finding->error;
    error.message += fmt::format(" (point {}{})", label(finding->row),
                                 finding->more ? fmt::format(" and {} more", finding->more) : "");
    errors.push_back(std::move(error));
  }
}

}  // namespace orch::matrix
