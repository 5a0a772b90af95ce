// Under which id a command is recorded.
#include "tools/luziad/base/command_meta.h"

#include <gtest/gtest.h>

namespace luzia {
namespace {

Caller sandboxed(const std::string& job) {
  Caller caller;
  caller.uid = 1'000;
  caller.admitted = false;
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
  EXPECT_NE(id_of(sandboxed("a"), next_run), next_run);
  EXPECT_NE(id_of(sandboxed("a"), next_run), id_of(sandboxed("b"), next_run));
  EXPECT_EQ(id_of(sandboxed("a"), next_run), id_of(sandboxed("a"), next_run)) << "may be repeated";
  EXPECT_EQ(id_of(sandboxed("a"), ""), "") << "no record is kept";
}

TEST(CommandMeta, WhereTheAccountCountsAnIdIsThatOfTheAccount) {
  Caller agent;
  agent.job = "a";
  EXPECT_EQ(id_of(agent, "nightly-1"), "nightly-1") << "a person may repeat it";
  EXPECT_EQ(id_of(Caller(), "nightly-1"), "nightly-1");
}

}  // namespace
}  // namespace luzia
