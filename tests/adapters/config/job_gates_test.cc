// Gates of one job: their names in a task, and that they only make the project's rules stricter.
#include "adapters/config/job_gates.h"

#include "tests/matchers.h"

namespace luzia {
namespace {

using Word = GatePolicy::Word;

TEST(JobGates, TasksNameGatesInLinesOfTheirOwn) {
  EXPECT_THAT(gates_in_task("Migrate it.\n gate: database_migration\r\n- Gate: Bash(git push*)\n"
                            "GATE: database_migration\nthe gate: deploy"),
              ElementsAre("database_migration", "Bash(git push*)"));
}

TEST(JobGates, SentencesAboutGatesNameNone) {
  EXPECT_THAT(gates_in_task("Gate: all of this must be approved first\ngate:\ngate: (x)\ngate: " +
                            std::string(kMaxGateName + 1, 'x')),
              IsEmpty());
}

TEST(JobGates, TaskWithTooManyGatesCanBeRefused) {
  std::string task;
  for (int i = 0; i < 30; ++i) task += "gate: g" + std::to_string(i) + "\n";
  EXPECT_EQ(gates_in_task(task).size(), kMaxJobGates + 1) << "no gate is left out unseen";
}

TEST(JobGates, NamesAreText) {
  EXPECT_TRUE(is_gate_name("d\xc3\xa9ploiement"));
  for (const char* name : {"\xff", "de\xc3", "a\x1b[2J", "a\tb", "a\x7f"}) {
    EXPECT_FALSE(is_gate_name(name)) << name;
  }
}

TEST(JobGates, JobsGateAsksWhatTheProjectAllows) {
  const std::map<std::string, GatePolicy> allows = {{"deploy", {Word::always}}, {"rm*", {Word::never}}};
  EXPECT_EQ(judge_job_gate(allows, {}, {"deploy"}).policy.word, Word::always);
  EXPECT_EQ(judge_job_gate(allows, {"dep*"}, {"deploy"}).policy.word, Word::ask);
  EXPECT_EQ(judge_job_gate(allows, {"dep*"}, {"deploy"}).key, "dep*");
  EXPECT_EQ(judge_job_gate(allows, {"rm*"}, {"rm_all"}).policy.word, Word::never);
  EXPECT_EQ(judge_job_gate(allows, {"other"}, {"deploy"}).policy.word, Word::always);
}

TEST(JobGates, ToolCallsMatchPatterns) {
  const GateRequest push{"Bash", "Bash", R"({"command":"git push origin"})"};
  EXPECT_EQ(judge_job_gate({}, {"Bash(git push*)"}, push).key, "Bash(git push*)");
  EXPECT_TRUE(judge_job_gate({}, {"Bash(npm publish*)"}, push).key.empty());
}

}  // namespace
}  // namespace luzia
