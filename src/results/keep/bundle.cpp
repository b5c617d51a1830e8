#include "results/keep/bundle.hpp"

#include "bench/record/record_reader.hpp"
#include "core/base/digest.hpp"
#include "core/base/fields_json.hpp"
#include "core/base/text.hpp"
#include "os/system/work/long_work.hpp"

namespace orch::keep {

namespace {

constexpr std::uint64_t k_list_bytes = 256 << 20;
constexpr std::size_t k_uid_digits = 32, k_sha256_digits = 64;

std::string list_path(const std::string& folder) { return folder + "/export.json"; }

bool is_hexadecimal(const std::string& text, std::size_t digits) {
  return text.size() == digits &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

Error bad(const std::string& why) { return invalid(fmt::format("export.json: {}", why)); }

Status check_run(const BundledRun& run) {
  if (!is_hexadecimal(run.uid, k_uid_digits))
    return bad(fmt::format("{} is not a run's uid", quoted(run.uid)));
  if (!is_hexadecimal(run.facts, k_sha256_digits))
    return bad(fmt::format("{} is not a sha256", quoted(run.facts)));
  for (const BundledRecord& record : run.records)
    for (const auto& [name, sha256] : record.files) {
      if (std::ranges::find(k_record_files, name) == std::end(k_record_files))
        return bad(fmt::format("{} is not a record file", quoted(name)));
      if (!is_hexadecimal(sha256, k_sha256_digits))
        return bad(fmt::format("{} is not a sha256", quoted(sha256)));
    }
  return {};
}

// An object must be a regular file: a link could lead anywhere.
Status check_object(system::Files& files, const std::string& folder, const std::string& sha256) {
  const std::string path = object_path(folder, sha256);
  const auto facts = files.stat(path);
  if (facts && facts->is_regular && !files.is_link(path)) return {};
  return invalid(fmt::format("{} {}: the export is not complete", path,
                             facts ? "is not a regular file" : "is missing"));
}

Status check_objects(system::Files& files, const std::string& folder, const Bundle& bundle) {
  if (files.is_link(folder + "/objects")) return invalid(folder + "/objects is a link");
  for (const BundledRun& run : bundle.runs) {
    ORCH_TRY(check_object(files, folder, run.facts));
    for (const BundledRecord& record : run.records)
      for (const auto& [name, sha256] : record.files) ORCH_TRY(check_object(files, folder, sha256));
  }
  return {};
}

constexpr std::uint64_t k_facts_bytes = std::uint64_t{1} << 30;
constexpr std::size_t k_longest_name = 255;

// Whether TEXT is a valid name of a point, stage, attempt or experiment, which becomes part of
// paths and commands.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= k_longest_name && is_letter_or_digit(text.front()) &&
         std::ranges::all_of(text, [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

Status require_name(std::string_view text, std::string_view what) {
  if (is_name(text)) return {};
  return invalid(fmt::format("{} cannot name {}", quoted(text), what));
}

// Whether DIGEST is computed over COMPONENTS, a JSON list. If it were not, planning could reuse a
// measurement for the wrong stage.
bool has_digest(const std::string& components, const std::string& digest) {
  const auto read = parse_value(components);
  std::vector<Component> pairs;
  if (!read || !assign(pairs, *read)) return false;
  Components list;
  for (const Component& pair : pairs) list.add(pair.name, pair.value);
  return list.digest().hex() == digest;
}

template <class T> bool is_json(const std::string& text) {
  const auto read = parse_value(text);
  return read && std::holds_alternative<T>(*read);
}

Status check_plan(const store::PlanFact& plan) {
  static constexpr std::string_view k_kinds[] = {"task", "service", "measure"};
  for (std::size_t i = 0; i < plan.plan.stages.size(); ++i) {
    ORCH_TRY(require_name(plan.plan.stages[i].id, "a stage"));
    ORCH_ASSIGN(const store::StageContent content, plan.plan.content(i));
    ORCH_TRY(require_name(content.name, "a stage"));
    if (std::ranges::find(k_kinds, content.kind) == std::end(k_kinds))
      return invalid(fmt::format("{} is not a kind of stage", quoted(content.kind)));
    for (const std::string* object : {&content.parameters, &content.env, &content.rendered})
      if (!is_json<Object>(*object))
        return invalid("part of a stage's description is not a JSON object");
    for (const std::string* list : {&content.components, &content.argv})
      if (!is_json<List>(*list)) return invalid("part of a stage's description is not a JSON list");
    const auto& digest = plan.plan.stages[i].digest;
    if (digest && !has_digest(content.components, *digest))
      return invalid(
          fmt::format("the digest of {} is not that of its components", plan.plan.stages[i].id));
  }
  for (const store::PointRecord& point : plan.plan.points) {
    ORCH_TRY(require_name(point.name, "a point"));
    if (!is_json<Object>(point.parameters))
      return invalid(fmt::format("the parameters of {} are not a JSON object", point.name));
  }
  return {};
}

Result<store::Finished> read_end(const Value& fact) {
  static constexpr std::string_view k_outcomes[] = {"done", "failed", "interrupted", "error",
                                                    "died"};
  ORCH_ASSIGN(store::Finished end, store::parse_fact<store::Finished>(fact));
  if (std::ranges::find(k_outcomes, end.outcome) == std::end(k_outcomes))
    return invalid(fmt::format("{} is not an outcome of a run", quoted(end.outcome)));
  return end;
}

bool has_record(const BundledRun& run, const std::string& path) {
  return std::ranges::any_of(run.records,
                             [&](const BundledRecord& record) { return record.path == path; });
}

// EVENT without what is meaningful only on the machine of its run; nullopt if nothing is left.
Result<std::optional<schedule::Event>> stripped(schedule::Event event, const BundledRun& run) {
  using Stripped = std::optional<schedule::Event>;
  if (auto* intended = std::get_if<schedule::AttemptIntended>(&event)) {
    ORCH_TRY(require_name(intended->token, "an attempt"));
    intended->process = intended->token;
    intended->work.clear();
    intended->log.clear();
    intended->ports.clear();
    intended->probe.clear();
  }
  if (auto* spawned = std::get_if<schedule::AttemptSpawned>(&event)) spawned->handle = {};
  if (const auto* measured = std::get_if<schedule::MeasurementProduced>(&event);
      measured && !has_record(run, measured->path))
    return invalid(fmt::format("the record {} is missing", quoted(measured->path)));
  // The output of a measurement is its record, which the bundle has separately.
  if (auto* published = std::get_if<schedule::ArtifactPublished>(&event)) {
    if (has_record(run, published->path + "/out")) return Stripped();
    published->not_cacheable.clear();
  }
  return Stripped(std::move(event));
}

Status read_fact(const std::string& line, ForeignRun& run) {
  ORCH_ASSIGN(const Value fact, parse_value(line));
  const auto* object = std::get_if<Object>(&fact);
  if (!object || object->size() != 1) return invalid("not a fact of a run record");
  const std::string& kind = object->front().first;
  if (kind == "run" || kind == "resolved" || kind == "removed" || kind == "forgotten")
    return invalid(fmt::format("a run cannot contain a fact of kind '{}'", kind));
  if (kind == "planned" || kind == "amended") {
    ORCH_ASSIGN(store::PlanFact plan, store::parse_plan(fact));
    ORCH_TRY(check_plan(plan));
    run.facts.emplace_back(std::move(plan));
    return {};
  }
  if (kind == "finished") {
    ORCH_ASSIGN(store::Finished end, read_end(fact));
    run.facts.emplace_back(std::move(end));
    return {};
  }
  if (kind == "scored") {
    ORCH_ASSIGN(tables::Scored scored, tables::parse_scored(fact));
    run.facts.emplace_back(std::move(scored));
    return {};
  }
  ORCH_ASSIGN(schedule::Event event, store::parse_event(fact));
  ORCH_ASSIGN(auto kept, stripped(std::move(event), run.bundled));
  if (kept) run.facts.emplace_back(std::move(*kept));
  return {};
}

// Checks that each record belongs to a measurement: the facts may have been truncated after a
// complete line.
Status check_records(const ForeignRun& run) {
  std::set<std::string> measured;
  for (const ForeignFact& fact : run.facts)
    if (const auto* event = std::get_if<schedule::Event>(&fact))
      if (const auto* one = std::get_if<schedule::MeasurementProduced>(event))
        measured.insert(one->path);
  for (const BundledRecord& record : run.bundled.records)
    if (!measured.contains(record.path))
      return invalid(
          fmt::format("its facts lack the measurement of the record {}; the export is "
                      "incomplete, make it again",
                      quoted(record.path)));
  return {};
}

Status read_facts(const std::vector<std::string>& lines, ForeignRun& run) {
  if (lines.empty()) return invalid("it has no facts");
  ORCH_ASSIGN(const Value first, parse_value(lines.front()));
  ORCH_ASSIGN(run.record, store::parse_run(first));
  if (run.record.uid != run.bundled.uid) return invalid("its facts are those of another run");
  ORCH_TRY(require_name(run.record.experiment, "an experiment"));
  if (!run.record.runner.empty()) ORCH_TRY(require_name(run.record.runner, "a runner"));
  run.record.id = 0;
  run.record.pid = 0;
  run.record.info.folder.clear();
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (!lines[i].empty())
      if (const Status read = read_fact(lines[i], run); !read)
        return read.error().within(fmt::format("fact {}", i + 1));
  return check_records(run);
}

}  // namespace

std::string object_path(const std::string& folder, const std::string& sha256) {
  return folder + "/objects/" + sha256;
}

Result<std::string> put_object(system::Files& files, const std::string& folder,
                               const std::string& text) {
  const std::string name = sha256(text).hex();
  const std::string path = object_path(folder, name);
  const auto there = files.stat(path);
  if (!there || there->bytes != text.size()) ORCH_TRY(files.write(path, text));
  return name;
}

Result<std::string> put_object_of(system::Files& files, const std::string& folder,
                                  const std::string& path) {
  system::LongWork work;
  ORCH_ASSIGN(const Digest digest, files.sha256(path, work));
  const std::string object = object_path(folder, digest.hex());
  const auto there = files.stat(object), here = files.stat(path);
  if (there && here && there->bytes == here->bytes) return digest.hex();
  const std::string aside = object + ".part";
  ORCH_TRY(files.copy(path, aside, work));
  ORCH_TRY(files.sync(aside));
  ORCH_TRY(files.remove_tree(object));
  ORCH_TRY(files.rename(aside, object));
  return digest.hex();
}

Status write_bundle(system::Files& files, const std::string& folder, const Bundle& bundle) {
  // Indented for human readers.
  return files.write(list_path(folder), json_text(value_of(bundle), Texting::utf8, 1) + "\n");
}

Result<Bundle> read_bundle(system::Files& files, const std::string& folder) {
  if (!files.stat(list_path(folder)))
    return not_found(fmt::format(
        "{} has no export.json; name a folder that `orchestrate export` has written", folder));
  ORCH_ASSIGN(const std::string text, files.read_own(list_path(folder), k_list_bytes));
  auto read = from_json_text<Bundle>(text);
  if (!read) return bad(read.error().message);
  Bundle bundle = *std::move(read);
  if (bundle.format != Bundle().format) return bad("not a list of exported runs");
  if (bundle.version != Bundle().version)
    return bad(
        fmt::format("its version is {}; this program reads {}", bundle.version, Bundle().version));
  std::set<std::string> uids;
  for (const BundledRun& run : bundle.runs) {
    ORCH_TRY(check_run(run));
    if (!uids.insert(run.uid).second) return bad(fmt::format("it lists run {} twice", run.uid));
  }
  ORCH_TRY(check_objects(files, folder, bundle));
  return bundle;
}

std::string ForeignRun::place_of(const std::string& path) const {
  for (std::size_t i = 0; i < bundled.records.size(); ++i)
    if (bundled.records[i].path == path) return fmt::format("artifacts/{}/{}", record.uid, i + 1);
  return "";
}

Result<ForeignRun> read_foreign_run(system::Files& files, const std::string& folder,
                                    const BundledRun& run) {
  const std::string what = fmt::format("run {} of {}", run.uid, folder);
  ForeignRun out{.bundled = run};
  ORCH_ASSIGN(const std::string text,
              files.read_own(object_path(folder, run.facts), k_facts_bytes));
  if (sha256(text).hex() != run.facts)
    return invalid(fmt::format("{}: its facts are damaged (their sha256 differs)", what));
  if (const Status read = read_facts(split(text, '\n'), out); !read)
    return read.error().within(what);
  return out;
}

Status copy_records(system::Files& files, const std::string& folder, const ForeignRun& run,
                    const std::string& to) {
  system::LongWork work;
  ORCH_TRY(files.remove_tree(to));
  for (std::size_t i = 0; i < run.bundled.records.size(); ++i) {
    const std::string place = fmt::format("{}/{}", to, i + 1);
    ORCH_TRY(files.make_folder(place));
    for (const auto& [name, digest] : run.bundled.records[i].files) {
      ORCH_TRY(files.copy(object_path(folder, digest), place + "/" + name, work));
      ORCH_ASSIGN(const Digest copied, files.sha256(place + "/" + name, work));
      if (copied.hex() != digest)
        return invalid(
            fmt::format("{} is damaged (its sha256 differs)", object_path(folder, digest)));
    }
    const auto record = record::read_record(files, place);
    if (!record) return record.error().within(fmt::format("run {}", run.record.uid));
  }
  return run.bundled.records.empty() ? Status() : files.sync_tree(to);
}

}  // namespace orch::keep
