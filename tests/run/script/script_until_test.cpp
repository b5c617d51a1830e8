// `plan --script --until`: a script of the selected stages only.
#include "fakes/plans.hpp"
#include "run/script/script.hpp"

#include <gtest/gtest.h>

namespace orch::script {
namespace script_until_test {

constexpr const char* k_runner = R"(
runner: toy
parameters:
  flavour: {type: text}
stages:
  make: {kind: task, reads: [flavour], argv: [/bin/make, "{flavour}", "{out}"], outputs: [model]}
  prompts: {kind: task, argv: [/bin/prompts, "{out}"], outputs: [prompts]}
  repository: {kind: task, needs: [make], argv: [/bin/copy, "{stage:make}", "{out}"], outputs: [repository]}
  serve:
    kind: service
    needs: [repository]
    ports: [http]
    argv: [/bin/serve, "{stage:repository}", "{port:http}"]
    ready: {port: http, get: [/]}
  bench: {kind: measure, needs: [serve, prompts], argv: ["{orchestrate}", "{port:serve.http}"], outputs: [measurement.json]}
)";

// The programs that the script of a plan up to UNTIL starts, and those in its comments.
std::vector<std::string> programs(fakes::PlanBuilder& builder, const std::string& until) {
  builder.options.until = until;
  const std::string text = to_script(
      builder.plan(), {.store = "/s", .project = "/p", .runner = "/p/r", .orchestrate = "/bin/o"});
  std::vector<std::string> found;
  for (const char* program :
       {"/bin/make", "/bin/prompts", "/bin/copy", "/bin/serve", "\"$ORCHESTRATE\" \"$port"})
    if (text.find(program) != std::string::npos) found.emplace_back(program);
  return found;
}

using Words = std::vector<std::string>;

TEST(ScriptUntil, HasOnlyTheSelectedStages) {
  fakes::PlanBuilder builder(k_runner, {{{"flavour", "plain"}}});
  EXPECT_EQ(programs(builder, "make"), Words{"/bin/make"});
  EXPECT_EQ(programs(builder, "prompts"), (Words{"/bin/make", "/bin/prompts"}));
  EXPECT_EQ(programs(builder, "serve"), (Words{"/bin/make", "/bin/prompts", "/bin/copy"}));
  EXPECT_EQ(programs(builder, "bench").size(), 5u);
}

TEST(ScriptUntil, DoesNotDependOnTheStore) {
  fakes::PlanBuilder builder(k_runner, {{{"flavour", "plain"}}});
  builder.make_all(builder.plan());
  EXPECT_EQ(programs(builder, "prompts"), (Words{"/bin/make", "/bin/prompts"}));
}

TEST(ScriptUntil, ItsCommentsHaveNoLaterCommandOfARejectedPoint) {
  fakes::PlanBuilder builder(k_runner, {{{"flavour", "plain"}}});
  builder.expansion.points[0].rejections = {{"taste", "too plain"}};
  EXPECT_EQ(programs(builder, "make"), Words{"/bin/make"});
}

}  // namespace script_until_test
}  // namespace orch::script
