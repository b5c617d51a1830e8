#include "plan/graph/explanation/explain.hpp"

#include "plan/graph/toy.hpp"

#include <random>

namespace orch::plan {
namespace explain_test {

using namespace toy;

Ancestors ancestors_of(const Plan& plan, bool made = true, std::int64_t run = 1) {
  Ancestors ancestors;
  for (const Stage& stage : plan.stages)
    ancestors[stage.spec.name].push_back(
        {.run = run, .components = stage.components, .made = made});
  return ancestors;
}

PlanBuilder one_point_builder() {
  PlanBuilder builder(k_runner, {four_points()[0]});
  builder.facts = good_facts();
  return builder;
}

std::string id(const Plan& plan, const std::string& stage) { return stage_named(plan, stage).id; }

TEST(Compare, ListsChangedAddedAndRemovedComponents) {
  Components before, now;
  for (const char* output : {"a", "b"}) before.add("output", output);
  before.add("env.OLD", "1");
  for (const char* output : {"a", "c", "d"}) now.add("output", output);
  const auto changes = compare(before, now);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].before, "b");
  EXPECT_EQ(changes[0].now, "c");
  EXPECT_EQ(changes[1].before, std::nullopt);
  EXPECT_EQ(changes[1].now, "d");
  EXPECT_EQ(changes[2].component, "env.OLD");
  EXPECT_EQ(changes[2].now, std::nullopt);
  EXPECT_TRUE(compare(before, before).empty());
}

TEST(Nearest, PrefersFewChangesThenAnExistingOutputThenTheNewestRun) {
  PlanBuilder builder = one_point_builder();
  const Plan plan = builder.plan();
  const Stage& build = stage_named(plan, "build");
  auto with = [&](std::initializer_list<const char*> more) {
    Components list = build.components;
    for (const char* name : more) list.add(name, "x");
    return list;
  };
  const std::vector<Ancestor> ancestors = {{1, with({"env.A"}), false},
                                           {2, with({"env.A"}), true},
                                           {3, with({"env.B"}), true},
                                           {4, with({"env.B"}), false},
                                           {5, with({"env.A", "env.B"}), true}};
  EXPECT_EQ(Ancestry(ancestors).nearest(build)->run, 3);
  EXPECT_EQ(Ancestry(std::span(ancestors).first(1)).nearest(build)->run, 1);
  EXPECT_EQ(Ancestry({}).nearest(build), nullptr);
}

// The contract of Ancestry, implemented as a comparison with every ancestor.
const Ancestor* brute_force_nearest(const Stage& stage, const std::vector<Ancestor>& ancestors) {
  const Ancestor* best = nullptr;
  std::size_t fewest = 0;
  for (const Ancestor& one : ancestors) {
    const std::size_t changes = compare(one.components, stage.components).size();
    if (best && (changes > fewest || (changes == fewest && one.made < best->made))) continue;
    best = &one;
    fewest = changes;
  }
  return best;
}

TEST(Nearest, AgreesWithABruteForceSearch) {
  std::minstd_rand random(7);
  // Lists of several lengths, with repeated names, common values and rare values.
  auto list = [&] {
    Components components;
    components.add("schema", "1");
    for (std::size_t i = random() % 7; i-- > 0;)
      components.add(fmt::format("name{}", random() % 5),
                     fmt::format("{}", random() % 2 ? random() % 2 : random() % 100));
    return components;
  };
  for (const std::size_t count : {1u, 63u, 64u, 65u, 300u}) {
    std::vector<Ancestor> ancestors;
    for (std::size_t i = 0; i < count; ++i)
      ancestors.push_back(
          {.run = static_cast<std::int64_t>(i), .components = list(), .made = random() % 2 == 0});
    const Ancestry ancestry(ancestors);
    for (int i = 0; i < 100; ++i) {
      Stage stage;
      stage.components = list();
      EXPECT_EQ(ancestry.nearest(stage)->run, brute_force_nearest(stage, ancestors)->run)
          << count << " ancestors, list " << i;
    }
  }
}

TEST(Explain, ComparesWithAnEarlierStageOfTheSamePointFirst) {
  PlanBuilder builder = one_point_builder();
  const Plan plan = builder.plan();
  const Stage& serve = stage_named(plan, "serve");
  // Another point's server differs in one component, its own of an earlier run in two.
  Components others, own;
  for (const Component& component : serve.components.list()) {
    others.add(component.name, component.name == "argv[0]" ? "/bin/others" : component.value);
    own.add(component.name, component.name == "argv[0]" ? "/bin/own"
                            : component.name == "kind"  ? "x"
                                                        : component.value);
  }
  const Ancestors ancestors = {
      {"serve",
       {{.run = 1, .components = own, .made = true, .points = {plan.points[0].point.name}},
        {.run = 2, .components = others, .made = true, .points = {"another-point"}}}}};
  const std::string text = explain_text(plan, ancestors);
  EXPECT_NE(text.find("argv[0]: /bin/own -> /bin/server"), std::string::npos) << text;
  EXPECT_EQ(text.find("/bin/others"), std::string::npos);
}

TEST(Explain, NamesTheChangedValueAndTheNeedsDownstream) {
  PlanBuilder before = one_point_builder(), after = one_point_builder();
  after.expansion.points[0].parameters.set("precision", {matrix::Type::text, "q8"});
  const Plan was = before.plan(), plan = after.plan();
  after.make_all(was);
  const Plan now = after.plan();
  EXPECT_EQ(
      explain_text(now, ancestors_of(was)),
      fmt::format("{1} (precision=q8): run\n"
                  "  parameter.precision: f16 -> q8\n"
                  "  argv[2]: --precision=f16 -> --precision=q8\n"
                  "{3} (batch_size=4): run\n"
                  "  render.m/config.pbtxt: {8} -> {9} (content changed)\n"
                  "  needs.build: {0} -> {1}\n"
                  "{5}: run\n"
                  "  needs.repository: {2} -> {3}\n"
                  "{7} (isl=32): run\n"
                  "  needs.serve: {4} -> {5}\n",
                  id(was, "build"), id(now, "build"), id(was, "repository"), id(now, "repository"),
                  id(was, "serve"), id(now, "serve"), id(was, "bench"), id(now, "bench"),
                  sha256(stage_named(was, "repository").rendered.at("m/config.pbtxt")).prefix(12),
                  sha256(stage_named(now, "repository").rendered.at("m/config.pbtxt")).prefix(12)));
}

TEST(Explain, ShortensDigestsAndReportsChangedContent) {
  PlanBuilder before = one_point_builder(), after = one_point_builder();
  after.facts.runner_files["make.py"] = "print(1)";
  after.facts.executables["/usr/bin/python3"] = "/usr/bin/python3 sha256:" + std::string(64, 'a');
  before.facts.executables["/usr/bin/python3"] = "/usr/bin/python3 sha256:" + std::string(64, 'b');
  const Plan now = after.plan();
  const std::string text = explain_text(now, ancestors_of(before.plan()));
  EXPECT_EQ(text.substr(0, text.find("download")),
            id(now, "environment") + ": run\n  file.make.py: " + sha256("print()").prefix(12) +
                " -> " + sha256("print(1)").prefix(12) +
                " (content changed)\n  executable./usr/bin/python3: /usr/bin/python3 "
                "sha256:bbbbbbbbbbbb -> /usr/bin/python3 sha256:aaaaaaaaaaaa (content changed)\n");
}

TEST(Explain, CutsLongValuesAroundTheDifference) {
  Components was = {}, is = {};
  const std::string before(100, 'x'), after(100, 'y');
  PlanBuilder builder = one_point_builder();
  Plan plan = builder.plan();
  std::erase_if(plan.stages, [](const Stage& stage) { return stage.spec.name != "build"; });
  was.add("argv[1]", before + "--isl=128" + after);
  is.add("argv[1]", before + "--isl=96" + after);
  plan.stages[0].components = is;
  EXPECT_EQ(explain_text(plan, {{"build", {{.run = 1, .components = was, .made = true}}}}),
            plan.stages[0].id +
                " (precision=f16): run\n  argv[1]: ...xxxxxx--isl=128yyyyyyyyyyyy... -> "
                "...xxxxxx--isl=96yyyyyyyyyyyy...\n");
}

TEST(Explain, ReportsThatNothingChanged) {
  PlanBuilder builder = one_point_builder();
  const Plan plan = builder.plan();
  const std::string text = explain_text(plan, ancestors_of(plan, false, 7));
  EXPECT_EQ(text.substr(0, text.find("download")),
            id(plan, "environment") +
                ": run\n  nothing changed: run 7 planned it, but its output is not in the store\n");
  EXPECT_NE(
      text.find(id(plan, "serve") +
                ": run\n  nothing changed: it is started for the measurements that need it\n"),
      std::string::npos);
  const std::string first = explain_text(plan, {});
  EXPECT_EQ(first.substr(0, first.find("download")),
            id(plan, "environment") + ": run\n  never planned before\n");
}

TEST(Explain, ReportsWhyAMeasurementIsRefreshed) {
  PlanBuilder builder = one_point_builder();
  builder.done.provenance = {{"kernel", "6.1"}};
  builder.make_all(builder.plan(), 3);
  builder.done.provenance = {{"kernel", "6.2"}};
  builder.options.refresh = {"kernel"};
  const Plan plan = builder.plan();
  EXPECT_EQ(explain_text(plan, ancestors_of(plan)),
            id(plan, "serve") +
                ": run\n  nothing changed: it is started for the measurements that need it\n" +
                id(plan, "bench") +
                " (isl=32): run\n  nothing changed: kernel changed 6.1 -> 6.2 since run 3 made it; "
                "--refresh repeats it\n");
}

TEST(Explain, LeavesOutStagesThatDoNotRun) {
  PlanBuilder builder = one_point_builder();
  builder.make_all(builder.plan());
  EXPECT_EQ(explain_text(builder.plan(), {}), "");
}

}  // namespace explain_test
}  // namespace orch::plan
