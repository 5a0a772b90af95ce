#include "tools/luziad/inputs/prompt_commands.h"

#include "adapters/config/gate_policy.h"
#include "tests/adapters/config/parsed_config.h"
#include "tests/matchers.h"

namespace luzia {
namespace {

constexpr TimeUs kNow = 1'800'000'000 * kSecondUs;

RequestApproval gate(const Config& config, const wire::RequestApprovalT& request) {
  IdSource ids(1, "");
  auto order = make_approval(config, ids, {"web"}, request, kNow);
  EXPECT_TRUE(order.has_value()) << order.error().message;
  return order ? *std::move(order) : RequestApproval{};
}

wire::RequestApprovalT request_of(const std::string& name) {
  wire::RequestApprovalT request;
  request.gate = name;
  return request;
}

TEST(PromptCommands, RemindersAreFractionsOfTheDeadline) {
  const auto times = input_times(config_of("[questions]\nremind_at = [0.5, 0.75]\n"), 1'000, kNow);
  ASSERT_TRUE(times.has_value());
  EXPECT_EQ(times->deadline, kNow + kSecondUs);
  EXPECT_THAT(times->remind, ElementsAre(kNow + 500'000, kNow + 750'000));
}

TEST(PromptCommands, PeopleMeanToAnswerInTheTimeOfProjectAndPriority) {
  const Config config = config_of(
      "[questions]\nanswer_within = \"15m\"\nurgent_within = \"5m\"\nremind_at = [0.5]\n"
      "[projects.web]\npath = \"/srv/web\"\nanswer_within = \"1h\"\n");
  const auto minutes = [&](const AskingJob& asking) {
    return (input_times(config, 0, kNow, asking)->answer_by - kNow) / (60 * kSecondUs);
  };
  EXPECT_EQ(minutes({"other", {}, 5}), 15);
  EXPECT_EQ(minutes({"other", {}, 8}), 5);
  EXPECT_EQ(minutes({"web", {}, 5}), 60);
  EXPECT_EQ(minutes({"web", {}, 9}), 60) << "the project's own time wins";
  const auto times = input_times(config, 0, kNow, {"other"});
  EXPECT_EQ(times->deadline, 0);
  EXPECT_THAT(times->remind, ElementsAre(kNow + 450 * kSecondUs));
  EXPECT_THAT(input_times(config, 60'000, kNow, {"other"})->remind, ElementsAre(kNow + 30 * kSecondUs))
      << "the deadline comes first";
}

TEST(PromptCommands, WithoutADeadlineThereAreNoReminders) {
  const auto times = input_times(config_of(""), 0, kNow);
  ASSERT_TRUE(times.has_value());
  EXPECT_EQ(times->deadline, 0);
  EXPECT_THAT(times->remind, IsEmpty());
}

TEST(PromptCommands, ConfiguredDeadlineIsTheDefault) {
  const Config config = config_of("[questions]\ndefault_timeout = \"1h\"\n");
  EXPECT_EQ(input_times(config, 0, kNow)->deadline, kNow + kHourUs);
  EXPECT_EQ(input_times(config, 1'000, kNow)->deadline, kNow + kSecondUs);
  EXPECT_EQ(gate(config, request_of("deploy")).deadline, kNow + kHourUs);
  wire::RequestApprovalT later = request_of("deploy");
  later.auto_after_ms = 2 * 3'600'000;
  EXPECT_EQ(gate(config, later).deadline, 0) << "it would be denied before it is approved";
}

TEST(PromptCommands, ExcessiveTimeIsRefused) {
  EXPECT_EQ(input_times(config_of(""), ~std::uint64_t{0}, kNow).error().code, "bad_timeout");
  IdSource ids(1, "");
  wire::RequestApprovalT request = request_of("deploy");
  request.auto_after_ms = ~std::uint64_t{0};
  EXPECT_EQ(make_approval(config_of(""), ids, {"web"}, request, kNow).error().code, "bad_timeout");
}

TEST(PromptCommands, ProjectRulesApply) {
  const Config config =
      config_of("[projects.web.gates]\nopen = \"always\"\nshut = \"never\"\nslow = \"auto-after 10m\"\n");
  const RequestApproval open = gate(config, request_of("open"));
  EXPECT_EQ(open.policy_decision, schema::Decision::approved);
  EXPECT_EQ(open.policy, "\"open\" = \"always\"");
  EXPECT_EQ(open.rule, "gate open");
  EXPECT_EQ(open.wider_rule, "open");
  EXPECT_EQ(gate(config, request_of("shut")).policy_decision, schema::Decision::denied);
  const RequestApproval slow = gate(config, request_of("slow"));
  EXPECT_EQ(slow.policy_decision, schema::Decision::none);
  EXPECT_EQ(slow.auto_after, kNow + 10 * kMinuteUs);
  const RequestApproval other = gate(config, request_of("other"));
  EXPECT_EQ(other.policy_decision, schema::Decision::none);
  EXPECT_EQ(other.rule, "gate other");
  EXPECT_EQ(gate(config_of(""), request_of("other")).wider_rule, "other") << "also of no project";
  EXPECT_EQ(other.policy, "");
  EXPECT_EQ(other.auto_after, 0);
}

TEST(PromptCommands, ProjectOutranksTheAgentsTime) {
  const Config config = config_of("[projects.web.gates]\nslow = \"auto-after 10m\"\ndeploy = \"ask\"\n");
  for (const std::uint64_t ms : {std::uint64_t{1}, std::uint64_t{3'600'000}}) {
    wire::RequestApprovalT request = request_of("slow");
    request.auto_after_ms = ms;
    EXPECT_EQ(gate(config, request).auto_after, kNow + 10 * kMinuteUs);
    request.gate = "deploy";
    EXPECT_EQ(gate(config, request).auto_after, 0);
    request.gate = "other";
    EXPECT_EQ(gate(config, request).auto_after, kNow + static_cast<TimeUs>(ms) * kMillisecondUs);
  }
}

wire::RequestApprovalT call_of(const std::string& tool, const std::string& input) {
  wire::RequestApprovalT request = request_of(tool);
  request.tool = tool;
  request.tool_input = input;
  return request;
}

/// If a person always approves what `first` asks for, `second` must not pass.
TEST(PromptCommands, JobApprovalDoesNotOverrideALongerAskRule) {
  const Config config = config_of(
      "[projects.web.gates]\n\"Bash(git commit*)\" = \"ask\"\n\"Bash(git commit --amend*)\" = \"ask\"\n"
      "\"Bash(git commit -n*)\" = \"auto-after 10m\"\nWrite = \"ask\"\n\"Write(/etc/*)\" = \"ask\"\n"
      "\"Edit(*)\" = \"ask\"\n\"*\" = \"ask\"\n");
  const auto bash = [&](const std::string& line) {
    return gate(config, call_of("Bash", R"({"command":")" + line + "\"}"));
  };
  EXPECT_EQ(bash("git commit -m x").rule, "Bash(git commit*)");
  for (const char* line : {"git commit --amend", "(git commit --amend)", "git commit -n -m x"}) {
    EXPECT_THAT(bash(line).rule, HasSubstr("#")) << line;
    EXPECT_EQ(bash(line).wider_rule, "Bash(git commit*)") << "a denial of all commits covers these";
  }
  EXPECT_THAT(bash("git commit --amend").rule, StartsWith("Bash(git commit ... #"));
  EXPECT_EQ(bash("git commit --amend").rule, bash("git commit --amend").rule);
  EXPECT_NE(bash("git commit --amend").rule, bash("git commit --amend -m x").rule);
  EXPECT_EQ(bash("git status x").rule, "Bash(git status*)");
  const auto file = [&](const std::string& tool, const std::string& path, const std::string& content) {
    return gate(config, call_of(tool, R"({"file_path":")" + path + R"(","content":")" + content + "\"}"))
        .rule;
  };
  EXPECT_EQ(file("Write", "/srv/a", "x"), "Write(/srv/*)");
  EXPECT_THAT(file("Write", "/etc/a", "x"), StartsWith("Write(/etc/a #"));
  EXPECT_EQ(file("Write", "/etc/a", "x"), file("Write", "/etc/a", "y")) << "the same file";
  EXPECT_NE(file("Write", "/etc/a", "x"), file("Write", "/etc/b", "x"));
  EXPECT_EQ(file("Edit", "/srv/a", "x"), "Edit(/srv/*)") << "\"Edit(*)\" says no more than the tool";
}

TEST(PromptCommands, GatesAndToolsOfOneNameAreSeparate) {
  const auto gated = [](const JobState& job, const wire::RequestApprovalT& request) {
    return is_gated(config_of(""), "web", &job, request);
  };
  JobState job;
  job.spec = std::make_unique<schema::JobSpecT>();
  job.allowed = {"gate Write"};
  EXPECT_TRUE(gated(job, request_of("Write")));
  EXPECT_FALSE(gated(job, call_of("Write", "{}")));
  job.allowed = {"Write"};
  EXPECT_FALSE(gated(job, request_of("Write"))) << "rules remembered by an older version: asked once more";
  EXPECT_TRUE(gated(job, call_of("Write", "{}")));
  job.allowed.clear();
  job.refused = {"Write"};
  EXPECT_TRUE(gated(job, request_of("Write"))) << "refused before an earlier program";
}

wire::RequestApprovalT cut_call(const std::string& tool) {
  wire::RequestApprovalT request = request_of(tool);
  request.tool = tool;
  request.tool_input = R"({"command":"echo aaa","file_path":"/srv/a",")" + std::string(kCutMark) + "\":true}";
  return request;
}

TEST(PromptCommands, TruncatedCallIsAlwaysDenied) {
  for (const char* rules : {"", "[projects.web.gates]\nBash = \"always\"\n",
                            "[projects.web.gates]\n\"Bash(echo *)\" = \"auto-after 10m\"\n",
                            "[projects.web.gates]\nBash = \"ask\"\n"}) {
    const RequestApproval order = gate(config_of(rules), cut_call("Bash"));
    EXPECT_EQ(order.policy_decision, schema::Decision::denied) << rules;
    EXPECT_THAT(order.policy, HasSubstr("too long to be judged"));
    EXPECT_EQ(order.rule, "") << "no rule can be remembered for it";
    EXPECT_EQ(order.auto_after, 0);
  }
}

TEST(PromptCommands, TruncatedCallMatchesAnyGateOfItsTool) {
  const auto gated = [](const std::string& rule, const JobState* job = nullptr) {
    const Config config =
        config_of(rule.empty() ? "" : "[projects.web.gates]\n\"" + rule + "\" = \"never\"\n");
    return is_gated(config, "web", job, cut_call("Bash"));
  };
  for (const char* rule : {"Bash", "Bash(rm *)", "Ba*", "*", "*rm*", "Bash(rm x)"}) {
    EXPECT_TRUE(gated(rule)) << rule;
  }
  for (const char* rule : {"Write", "Write(*)", "deploy", "Bashful", "Bas", ""})
    EXPECT_FALSE(gated(rule)) << rule;
  JobState job;
  job.spec = std::make_unique<schema::JobSpecT>();
  job.refused = {"Bash(rm*)"};
  EXPECT_TRUE(gated("", &job));
  job.refused = {"Write"};
  EXPECT_FALSE(gated("", &job));
}

TEST(PromptCommands, OnlyTheDaemonAsksFromFiles) {
  IdSource ids(1, "");
  wire::AskQuestionT question;
  question.question = "Where?";
  for (const char* source : {"file", "monitor", "x"}) {
    question.source = source;
    EXPECT_EQ(make_question(config_of(""), ids, question, kNow).error().code, "bad_source");
  }
  for (const char* source : {"cli", "mcp", "hook", ""}) {
    question.source = source;
    const auto order = make_question(config_of(""), ids, question, kNow);
    ASSERT_TRUE(order.has_value());
    EXPECT_THAT(order->id, StartsWith("q-"));
    EXPECT_EQ(order->text.salt.size(), 16u);
  }
}

TEST(PromptCommands, NulIsRefusedInText) {
  IdSource ids(1, "");
  wire::AskQuestionT question;
  question.question = "Where?";
  question.options = {"a", std::string("b\0c", 3)};
  EXPECT_EQ(make_question(config_of(""), ids, question, kNow).error().code, "bad_text");
  wire::AnswerQuestionT answer;
  answer.answer = std::string("\0", 1);
  EXPECT_EQ(make_answer(answer).error().code, "bad_text");
}

}  // namespace
}  // namespace luzia
