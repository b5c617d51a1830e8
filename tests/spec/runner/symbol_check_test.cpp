#include "spec/runner/symbol_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::runner {
namespace columns_read_test {

using testing::ElementsAre;

constexpr const char* k_own = R"(runner: own
parameters:
  engine: {type: text, optional: true, help: path of the engine}
  tp: {type: integer, default: 1, help: ranks}
  ranks: {type: integer, sql: tp * 2, help: all ranks}
rules: [{name: few, when: engine IS NULL, require: ranks < 9, because: too many}]
stages:
  make:
    kind: task
    reads: [engine, ranks]
    argv: [/x, {when: engine IS NOT NULL, then: ["{engine}"]}]
    outputs: [a]
)";

TEST(ColumnsRead, AreThoseOfStagesRulesDefaultsAndQuestionsInThisOrder) {
  Errors errors;
  const Manifest manifest = parse_manifest(k_own, "runner.yaml", errors);
  ASSERT_TRUE(errors.empty()) << errors.front().text();
  std::vector<std::set<std::string>> names;
  for (const ReaderOf& reader : readers_of(manifest)) names.push_back(reader.names);
  const std::set<std::string> engine = {"engine"}, ranks = {"ranks"}, tp = {"tp"},
                              both = {"engine", "ranks"};
  EXPECT_THAT(names, ElementsAre(both, ranks, engine, tp, engine));
  EXPECT_EQ(readers_of(manifest)[3].derives, "ranks");
  EXPECT_EQ(read_by_rule(manifest, 0), both);
}

}  // namespace columns_read_test
}  // namespace orch::runner
