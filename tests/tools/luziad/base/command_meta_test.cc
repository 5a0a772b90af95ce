// Under which id a command is recorded.
#include "tools/luziad/base/command_meta.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

Caller attempt_of(const std::string& job) {
  Caller caller;
  caller.uid = 1'000;
  caller.job = job;
  return caller;
}

std::string id_of(const Caller& caller, const std::string& given) {
  wire::PublishT publish;
  publish.command_id = given;
  return meta_of(caller, publish, schema::ActorKind::agent).command_id;
}

TEST(CommandMeta, AnAttemptUsesUpNoIdOfItsAccount) {
  const std::string next_run = "schedule/nightly/7";
  EXPECT_EQ(id_of(attempt_of({}), next_run), next_run);
  EXPECT_NE(id_of(attempt_of("a"), next_run), next_run);
  EXPECT_NE(id_of(attempt_of("a"), next_run), id_of(attempt_of("b"), next_run));
  EXPECT_EQ(id_of(attempt_of("a"), next_run), id_of(attempt_of("a"), next_run)) << "may be repeated";
}

TEST(CommandMeta, WithoutAnIdNothingIsRecorded) {
  EXPECT_EQ(id_of(attempt_of("a"), ""), "");
  EXPECT_EQ(id_of(attempt_of({}), ""), "");
}

}  // namespace
}  // namespace luzia
