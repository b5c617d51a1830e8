#include "core/base/text.hpp"
#include "plan/graph/stage_draft.hpp"

#include <nlohmann/json.hpp>

namespace orch::plan {

namespace {

// Stages whose output a matrix provides: their identity, and whether their description agrees with
// the point.

const nlohmann::json* value_at(const nlohmann::json& json, const std::string& dotted) {
  const nlohmann::json* value = &json;
  for (const std::string& part : split(dotted, '.')) {
    if (!value->is_object() || !value->contains(part)) return nullptr;
    value = &value->at(part);
  }
  return value;
}

std::string text_of(const nlohmann::json& value) {
  // Lists and maps may be nested without limit, so their text is not shown.
  if (value.is_structured()) return value.is_array() ? "a list" : "a map";
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// "0.14.0.dev2024100800" and "0.14.0.post1" are builds of release "0.14.0".
bool is_build_of(const std::string& release, const std::string& version) {
  return version.starts_with(release) &&
         (version.size() == release.size() || !is_digit(version[release.size()]));
}

// Compares numbers by value: a file may write 8.0.
bool agree(const nlohmann::json& theirs, const matrix::Value& ours) {
  const std::string text = text_of(theirs);
  if (text == ours.text) return true;
  if (ours.type == matrix::Type::version) return theirs.is_string() && is_build_of(ours.text, text);
  const bool number = ours.type == matrix::Type::integer || ours.type == matrix::Type::real;
  const auto a = to_real(text), b = to_real(ours.text);
  return number && a && b && *a == *b;
}

bool is_enough(const nlohmann::json& theirs, const matrix::Value& ours) {
  const auto a = to_real(text_of(theirs)), b = to_real(ours.text);
  return a && b && *a >= *b;
}

void compare_with_point(RunnerContext& context, const Instance& from) {
  const runner::Agree& agreed = *from.kind.agree;
  const matrix::Provision& provided = *from.provided;
  const std::string file = provided.path + "/" + agreed.file;
  auto refuse = [&](const std::string& cause, std::string message) {
    context.complaints.add(
        fmt::format("agree {} {}", file, cause),
        invalid(fmt::format("provide: stage '{}': {}", from.kind.name, message), provided.where));
  };
  const auto text = context.answers.text(
      "provided " + file, [&] { return context.facts.provided_text(provided.path, agreed.file); });
  if (!text)
    return refuse(
        "",
        fmt::format("{}; this file describes the provided output, so provide a folder that has it",
                    text.error().message));
  const nlohmann::json json = nlohmann::json::parse(**text, nullptr, false);
  if (json.is_discarded())
    return refuse("", fmt::format("{} is not JSON; provide the folder as its tool wrote it", file));
  auto compare = [&](const std::string& parameter, const std::string& path, bool at_least) {
    const matrix::Value* ours = from.point.parameters.find(parameter);
    if (!ours || is_unknown(from.point, parameter)) return;  // compared when planned again
    const nlohmann::json* theirs = value_at(json, path);
    if (theirs && theirs->is_null()) theirs = nullptr;
    if (theirs && (at_least ? is_enough(*theirs, *ours) : agree(*theirs, *ours))) return;
    if (!theirs && contains(agreed.may_lack, parameter)) return;
    if (!theirs)
      return refuse(path, fmt::format("{} has no '{}', which states its {}; provide another folder",
                                      file, path, parameter));
    const std::string found = fmt::format("'{}' in {} is {}", path, file, text_of(*theirs));
    const std::string remedy =
        "provide another folder, or write `when:` so that it is used for other points only";
    refuse(path + "=" + ours->text,
           at_least ? fmt::format("{}, but point {} needs {} of at least {}; {}", found,
                                  from.point.name, parameter, ours->text, remedy)
                    : fmt::format("{}, but {} of point {} is {}; {}", found, parameter,
                                  from.point.name, ours->text, remedy));
  };
  for (const auto& [parameter, path] : agreed.values) compare(parameter, path, false);
  for (const auto& [parameter, path] : agreed.at_least) compare(parameter, path, true);
}

}  // namespace

Stage make_provided(RunnerContext& context, const Instance& from) {
  const runner::StageKind& kind = from.kind;
  const matrix::Provision& provided = *from.provided;
  Stage stage;
  stage.spec.name = kind.name;
  stage.spec.runner = context.manifest.name;
  stage.spec.kind = kind.kind;
  stage.spec.outputs = kind.outputs;
  stage.provided = provided.path;
  stage.inputs = {provided.path};
  if (kind.kind != runner::Kind::task)
    context.complaints.add(
        "provide " + kind.name,
        invalid(fmt::format("provide: stage '{}' is a {}; only the output of a task can be "
                            "provided, so remove this entry",
                            kind.name, to_string(kind.kind)),
                provided.where));
  const auto identity = context.answers.identity(
      "provided:" + provided.path, [&]() -> Result<std::optional<std::string>> {
        auto digest = context.facts.provided(provided.path);
        if (!digest)
          return Error{digest.error().kind,
                       fmt::format("provide: stage '{}': {}", kind.name, digest.error().message),
                       provided.where};
        return std::optional(digest->hex());
      });
  stage.components.add("schema", k_schema);
  stage.components.add("kind", "provided");
  stage.components.add("stage", kind.name);
  stage.components.add("identity", identity.value_or(""));
  take_key(stage);
  if (kind.agree) compare_with_point(context, from);
  return stage;
}

}  // namespace orch::plan
