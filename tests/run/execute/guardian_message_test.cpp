#include "run/execute/guardian_message.hpp"

#include <cerrno>

#include <gtest/gtest.h>

namespace orch::execute {
namespace guardian_message_test {

const Handle k_handle{.tree = {.token = "o1",
                               .leader = {12, 34},
                               .boot_id = "b",
                               .containment = system::Containment::session,
                               .cgroup = ""},
                      .guardian = "g1",
                      .guardian_process = {56, 78}};

TEST(GuardianMessage, EveryRequestComesBackUnchanged) {
  Launch launch;
  launch.argv = {"sh", "\xff\x80 \xc3\xa9 \"quoted\"\n"};
  launch.env = {{"NAME", "\xfe"}};
  launch.token = "o1";
  launch.secrets = {"s3cr3t"};
  const std::vector<Request> requests = {
      Hello{.name = "g1", .folder = "/store/guardians", .grace_s = 120},
      Attach{.token = "o1", .grace_s = 60},
      Start{launch, system::Containment::cgroup, system::LogLevel::debug}, Signal{15}, Quit{}};
  for (const Request& request : requests) {
    const std::string line = to_line(request);
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    const auto read = parse_request(line);
    ASSERT_TRUE(read) << line;
    EXPECT_EQ(read->index(), request.index()) << line;
    EXPECT_EQ(to_line(*read), line);
  }
  const auto start = std::get<Start>(*parse_request(to_line(requests[2])));
  EXPECT_EQ(start.launch.argv, launch.argv);
  EXPECT_EQ(start.launch.env, launch.env);
  EXPECT_EQ(start.launch.secrets, launch.secrets);
  EXPECT_EQ(start.containment, system::Containment::cgroup);
}

TEST(GuardianMessage, EveryReplyComesBackUnchanged) {
  const std::vector<Reply> replies = {
      Welcome{},
      Attached{k_handle, 1.5},
      NotHeld{},
      Busy{},
      Started{k_handle},
      Refused{{ErrorKind::io, "no \xff program", {}, EMFILE}},
      Over{{.ended = {.token = "o1", .code = 7, .log_error = ENOSPC, .full_disk = "/store/work"}}}};
  for (const Reply& reply : replies) {
    const std::string line = to_line(reply);
    const auto read = parse_reply(line);
    ASSERT_TRUE(read) << line;
    EXPECT_EQ(read->index(), reply.index()) << line;
    EXPECT_EQ(to_line(*read), line);
  }
  const auto refused = std::get<Refused>(*parse_reply(to_line(replies[5])));
  EXPECT_EQ(refused.error.kind, ErrorKind::io);
  EXPECT_EQ(refused.error.number, EMFILE);
  EXPECT_EQ(refused.error.message, "no \xff program");
}

TEST(GuardianMessage, OtherTextIsNoMessage) {
  for (const char* line : {"", "{}", "[]", "null", "\xff{\"attach\":[[[", R"({"hello":1})"}) {
    EXPECT_FALSE(parse_request(line)) << line;
    EXPECT_FALSE(parse_reply(line)) << line;
  }
}

}  // namespace guardian_message_test
}  // namespace orch::execute
