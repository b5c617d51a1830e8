#include "run/schedule/journal.hpp"

#include "core/base/text.hpp"

namespace orch::schedule {

namespace {

using system::LogLevel;

std::string words(const AttemptKey& attempt) {
  return fmt::format("{} attempt {}", attempt.stage, attempt.number);
}

std::string reason(const std::string& why) { return why.empty() ? "" : ": " + why; }

struct Describe {
  std::string operator()(const StageMoved& event) const {
    return fmt::format("{} {} -> {}{}", event.stage, to_string(event.from), to_string(event.to),
                       reason(event.why));
  }
  std::string operator()(const AttemptIntended& event) const {
    std::string ports, gpus;
    for (const auto& [name, port] : event.ports) ports += fmt::format(" {} {}", name, port);
    for (const int gpu : event.gpus) gpus += fmt::format(" {}", gpu);
    return fmt::format("{} intended: token {}, process {}{}{}", words(event.attempt), event.token,
                       event.process, ports.empty() ? "" : ", ports" + ports,
                       gpus.empty() ? "" : ", GPUs" + gpus);
  }
  std::string operator()(const AttemptSpawned& event) const {
    return fmt::format("{} spawned: pid {}, guardian {}, containment {}", words(event.attempt),
                       event.handle.tree.leader.pid, event.handle.guardian,
                       to_string(event.handle.tree.containment));
  }
  std::string operator()(const AttemptAdopted& event) const {
    return fmt::format("{} adopted from an earlier run: token {}", words(event.attempt),
                       event.token);
  }
  std::string operator()(const AttemptLost& event) const {
    return fmt::format("attempt {} of an earlier run given up{}", event.token, reason(event.why));
  }
  std::string operator()(const ServiceReady& event) const {
    return fmt::format("{} ready after {:.1f} s", words(event.attempt), event.start_s);
  }
  std::string operator()(const AttemptEnded& event) const {
    const std::string how = event.process.signal ? fmt::format("signal {}", event.process.signal)
                                                 : fmt::format("status {}", event.process.code);
    const std::string failure =
        event.ok ? "" : fmt::format(", {} ({})", event.failure_class, to_string(event.kind));
    return fmt::format("{} ended with {} after {:.1f} s{}{}", words(event.attempt), how,
                       event.process.wall_s, failure, event.ok ? "" : reason(event.message));
  }
  std::string operator()(const ArtifactPublished& event) const {
    return fmt::format("{} published: {}, files: {}{}", words(event.attempt), event.path,
                       event.files.size(),
                       event.not_cacheable.empty() ? "" : "; not reused: " + event.not_cacheable);
  }
  std::string operator()(const MeasurementProduced& event) const {
    return fmt::format("{} measured: {}, number {} of {}", words(event.attempt), event.path,
                       event.order, words(event.session));
  }
  std::string operator()(const OutputRemoved& event) const {
    return fmt::format("{} removed: nothing that is still to run needs it", event.stage);
  }
};

LogLevel level_of(const Event& event) {
  if (const auto* ended = std::get_if<AttemptEnded>(&event))
    return ended->ok ? LogLevel::info : LogLevel::warning;
  if (const auto* moved = std::get_if<StageMoved>(&event))
    return moved->to == State::failed ? LogLevel::warning : LogLevel::info;
  return std::holds_alternative<AttemptLost>(event) ? LogLevel::warning : LogLevel::info;
}

}  // namespace

std::string describe(const Event& event) { return std::visit(Describe{}, event); }

void LoggedJournal::append(const Event& event) {
  if (const LogLevel level = level_of(event); diagnostics_.shows(level))
    diagnostics_.write(level, describe(event));
  if (const auto* intended = std::get_if<AttemptIntended>(&event))
    diagnostics_.log(LogLevel::debug, "{} in {}: {}", words(intended->attempt), intended->work,
                     join(intended->argv, " "));
  PassingJournal::append(event);
}

Status LoggedJournal::commit() {
  Status committed = PassingJournal::commit();
  if (!committed)
    diagnostics_.log(LogLevel::error, "the journal cannot be written: {}",
                     committed.error().message);
  return committed;
}

std::string LoggedJournal::invalid_reasons(const AttemptKey& measurement) {
  std::string reasons = PassingJournal::invalid_reasons(measurement);
  if (!reasons.empty())
    diagnostics_.log(LogLevel::warning, "{} is invalid: {}", words(measurement), reasons);
  return reasons;
}

}  // namespace orch::schedule
