// What stages get of the environment of the program.
#include "run/attempt/stage_environment.hpp"

#include <gtest/gtest.h>

namespace orch::attempt {
namespace stage_environment_test {

TEST(StageEnvironment, HasTheUsualVariablesThoseNamedAndItsOwn) {
  const Variables inherited = {
      {"PATH", "/bin"}, {"HOME", "/home"}, {"HF_HOME", "/hf"}, {"HFX", "1"}, {"OTHER", "2"}};
  EXPECT_EQ(stage_environment(inherited, {"HF_*"}, {{"HOME", "/own"}}),
            (Variables{{"HF_HOME", "/hf"},
                       {"HOME", "/own"},
                       {"PATH", "/bin"},
                       {"PYTHONDONTWRITEBYTECODE", "1"}}));
}

TEST(StageEnvironment, OfTemporaryFilesIsAnAbsoluteFolder) {
  EXPECT_EQ(temporary_folder({{"TMPDIR", "/fast//"}}), "/fast");
  EXPECT_EQ(temporary_folder({{"TMPDIR", "fast"}}), "/tmp");
  EXPECT_EQ(temporary_folder({}), "/tmp");
}

TEST(StageEnvironment, SecretsAreThoseNamedAndThoseWithSuchAName) {
  EXPECT_EQ(secrets_of({{"DB_PASSWORD", "a"}, {"MINE", "b"}, {"PATH", "/bin"}}, {"MIN*"}),
            (std::vector<std::string>{"a", "b"}));
}

TEST(StageEnvironment, AsksAServerWithItsTokenAndHeaders) {
  plan::RunningService service;
  service.asks = {"http://host/v1/models"};
  service.server.token_env = "KEY";
  const IdentityQuestion question = identity_question(service, {{"KEY", " abc\n"}});
  EXPECT_EQ(question.urls, service.asks);
  EXPECT_EQ(question.authorization, "Bearer abc");
  EXPECT_EQ(identity_question(service, {}).authorization, "");
  EXPECT_TRUE(identity_question(service, {}).headers.empty());
}

}  // namespace stage_environment_test
}  // namespace orch::attempt
