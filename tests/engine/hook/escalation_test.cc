// Escalation: who is notified next if nobody answers.
#include "engine/hook/escalation.h"

#include <gtest/gtest.h>

#include <sstream>

namespace luzia {
namespace {

/// "desk question 0.5 boss" = the hook's name, the events it gets ("-": neither questions nor approvals),
/// after which part of the time it escalates, and to whom ("-": nobody).
std::vector<EscalationRule> rules_of(const std::string& text) {
  std::vector<EscalationRule> rules;
  std::istringstream lines(text);
  for (std::string name, on, to, after; lines >> name >> on >> after >> to;) {
    EscalationRule rule;
    rule.rule.name = name;
    if (on == "question") rule.rule.on = mask_of(HookOn::question_asked);
    if (on == "approval") rule.rule.on = mask_of(HookOn::approval_requested);
    rule.after = std::stod(after);
    if (to != "-") rule.to = to;
    rules.push_back(std::move(rule));
  }
  return rules;
}

/// The steps for a question asked at second 100 and due at second 200, such as "boss@150 chief@180".
std::string steps(const std::string& rules, TimeUs deadline = 200 * kSecondUs) {
  OpenRequest request;
  request.event.on = HookOn::question_asked;
  request.event.mask = mask_of(HookOn::question_asked);
  request.event.time = 100 * kSecondUs;
  request.project = "web";
  request.deadline = deadline;
  std::string text;
  for (const Escalation& step : escalations(rules_of(rules), request)) {
    text += (text.empty() ? "" : " ") + step.to + "@" + std::to_string(step.at / kSecondUs);
  }
  return text;
}

struct Case {
  const char* rules;
  const char* steps;
};

constexpr Case kCases[] = {
    {"desk question 0.5 boss  boss - 0.5 -", "boss@150"},
    {"desk question 0.5 -", ""},
    {"desk approval 0.5 boss  boss - 0.5 -", ""},
    {"desk question 0 boss  boss - 0.5 -", "boss@100"},
    {"desk question 1 boss  boss - 0.5 -", "boss@200"},
    // A chain: a link is never notified before the one that names it.
    {"desk question 0.5 boss  boss - 0.8 chief  chief - 0.5 -", "boss@150 chief@180"},
    {"desk question 0.5 boss  boss - 0.2 chief  chief - 0.5 -", "boss@150 chief@150"},
    // The earliest escalation that names the hook counts.
    {"desk question 0.5 boss  phone question 0.3 boss  boss - 0.5 -", "boss@130"},
    {"desk question 0.9 boss  phone question 0.3 mate  mate - 0.4 boss  boss - 0.5 -", "mate@130 boss@140"},
    // A hook that receives questions itself starts its own chain.
    {"desk question 0.5 boss  boss question 0.6 chief  chief - 0.5 -", "boss@150 chief@160"},
};

TEST(Escalation, NotifiesEachOnceAtTheEarliestTime) {
  for (const Case& each : kCases) EXPECT_EQ(steps(each.rules), each.steps) << each.rules;
}

TEST(Escalation, NeedsADeadline) {
  EXPECT_EQ(steps("desk question 0.5 boss  boss - 0.5 -", 0), "");
  EXPECT_EQ(steps("desk question 0.5 boss  boss - 0.5 -", 50 * kSecondUs), "");
}

TEST(Escalation, CoversOnlyTheFirstHooksProjects) {
  auto rules = rules_of("desk question 0.5 boss  boss - 0.5 -");
  OpenRequest request;
  request.event.mask = mask_of(HookOn::question_asked);
  request.project = "web";
  request.deadline = kSecondUs;
  rules[0].rule.projects = {"shop"};
  EXPECT_TRUE(escalations(rules, request).empty());
  request.project = "shop";
  EXPECT_EQ(escalations(rules, request).size(), 1u);
}

}  // namespace
}  // namespace luzia
