// luzia top as stories: keys pressed, and what is then selected, shown and requested.
#include "tools/luzia/look/top/model.h"

#include "tests/matchers.h"
#include "tests/tools/luzia/top/top_world.h"

namespace luzia {
namespace {

std::string words_of(const TopAction& action) {
  switch (action.kind) {
    case TopAction::Kind::none:
      return "";
    case TopAction::Kind::quit:
      return "quit";
    case TopAction::Kind::suspend:
      return "suspend";
    case TopAction::Kind::redraw:
      return "redraw";
    case TopAction::Kind::show_detail:
      return "show " + action.job;
    case TopAction::Kind::hide_detail:
      return "hide";
    case TopAction::Kind::answer:
      return "answer " + action.job + " " + action.prompt + " " + action.answer;
    case TopAction::Kind::approve:
      return "approve " + action.job + " " + action.prompt;
    case TopAction::Kind::deny:
      return "deny " + action.job + " " + action.prompt;
    case TopAction::Kind::cancel:
      return "cancel " + action.job;
    case TopAction::Kind::retry:
      return "retry " + action.job;
    case TopAction::Kind::attach:
      return "attach " + action.job;
  }
  return "?";
}

/// Presses the keys of a word: letters, and <enter>, <escape>, <up>, <down>, <back>, <end>, <home>.
class Person {
 public:
  explicit Person(const TopWorld& world) { model.take(world.snapshot(), kTopNow); }

  std::string press(std::string_view keys) {
    std::string done;
    while (!keys.empty()) {
      Key key{KeyCode::text, std::string(keys.substr(0, 1))};
      std::size_t size = 1;
      for (const auto& [name, code] : kNamed) {
        if (!keys.starts_with(name)) continue;
        key = {code};
        size = name.size();
      }
      keys.remove_prefix(size);
      const std::string words = words_of(model.press(key, 2));
      if (!words.empty()) done += (done.empty() ? "" : ", ") + words;
    }
    return done;
  }
  std::string selected() const {
    return model.selected() == nullptr ? "" : std::string(text(model.selected()->id()));
  }

  TopModel model;

 private:
  static constexpr std::pair<std::string_view, KeyCode> kNamed[] = {
      {"<enter>", KeyCode::enter}, {"<escape>", KeyCode::escape},      {"<up>", KeyCode::up},
      {"<down>", KeyCode::down},   {"<back>", KeyCode::backspace},     {"<end>", KeyCode::end},
      {"<home>", KeyCode::home},   {"<page down>", KeyCode::page_down}};
};

TEST(TopModel, KeysSelectAndRequestActions) {
  struct Story {
    std::string keys, done, selected;
  };
  const Story stories[] = {
      {"", "", "aaaa"},
      {"j", "", "dddd"},
      {"jjjjjjjj", "", "cccc"},
      {"jjk", "", "dddd"},
      {"<down><down><up>", "", "dddd"},
      {"<end><home>", "", "aaaa"},
      {"<page down>", "", "bbbb"},
      {"q", "quit", "aaaa"},
      {"<escape>", "quit", "aaaa"},
      {"<enter>", "show aaaa", "aaaa"},
      {"<enter><escape>", "show aaaa, hide", "aaaa"},
      {"<enter>j", "show aaaa, show dddd", "dddd"},
      {"<enter>q", "show aaaa, hide", "aaaa"},
      {"<enter>qq", "show aaaa, hide, quit", "aaaa"},
      {"2y", "answer aaaa q-aaaa 2", "aaaa"},
      {"2n", "", "aaaa"},
      {"2<enter>", "", "aaaa"},  // only y confirms
      {"<enter>1y", "show aaaa, answer aaaa q-aaaa 1", "aaaa"},
      {"3", "", "aaaa"},    // no such option
      {"j1y", "", "dddd"},  // no question is open
      {"cy", "cancel aaaa", "aaaa"},
      {"cq", "", "aaaa"},
      {"jcy", "", "dddd"},  // it has ended
      {"jry", "retry dddd", "dddd"},
      {"ry", "", "aaaa"},  // it has not ended
      {"l", "show aaaa", "aaaa"},
      {"t", "attach aaaa", "aaaa"},
      {"jt", "attach dddd", "dddd"},  // its agent's session
      {"<enter>t", "show aaaa, attach aaaa", "aaaa"},
      {"/zzzz<enter>t", "", ""},
      {"ay", "", "aaaa"},  // no approval is open
      {"?q", "", "aaaa"},  // any key closes the help
      {"?<escape>q", "quit", "aaaa"},
      {"/bbbb<enter>", "", "bbbb"},
      {"/zzzz<enter>", "", ""},
      {"/bbbb<escape>", "", "bbbb"},
      {"/FAILED<enter>", "", "dddd"},
      {"/bbbb<back><back><back><back><enter><home>", "", "aaaa"},
      {"/bbbb<enter><escape><home>", "", "aaaa"},        // the first Escape clears the filter
      {"/bbbb<enter><escape><escape>", "quit", "bbbb"},  // the second one quits
      {"/qqq<enter>", "", ""},                           // letters typed into the filter are not commands
  };
  for (const Story& story : stories) {
    Person person(TopWorld::usual());
    EXPECT_EQ(person.press(story.keys), story.done) << story.keys;
    EXPECT_EQ(person.selected(), story.selected) << story.keys;
  }
}

TEST(TopModel, ApprovalIsDecidedByName) {
  TopWorld world;
  world.add(top_job("aaaa", schema::JobState::waiting));
  world.add(top_approval("aaaa", "deploy"));
  Person person(world);
  EXPECT_EQ(person.press("a"), "");
  EXPECT_EQ(person.model.mode(), TopModel::Mode::confirm);
  EXPECT_EQ(person.model.question(), "Approve deploy of aaaa");
  EXPECT_EQ(person.press("y"), "approve aaaa a-aaaa");
  EXPECT_EQ(person.press("dy"), "deny aaaa a-aaaa");
}

TEST(TopModel, ManualStepIsListedWithItsCommand) {
  TopWorld world = TopWorld::usual();
  world.add(ManualStep{"f-1", "web", "look at it", "on a telephone", kTopNow - 60 * kSecondUs});
  Person person(world);
  EXPECT_EQ(person.selected(), "f-1/look at it") << "it has waited longest";
  EXPECT_EQ(person.model.groups().front().jobs.size(), 2U);
  for (const char* key : {"a", "d", "c"}) {
    EXPECT_EQ(person.press(key), "");
    EXPECT_EQ(person.model.message(), "a person does this step: luzia flow complete reports that it is done")
        << key;
  }
  EXPECT_EQ(person.press("j"), "");
  EXPECT_EQ(person.selected(), "aaaa");
}

TEST(TopModel, FlowGateIsListedAsAnApproval) {
  TopWorld world = TopWorld::usual();
  world.add(top_flow_gate("ship it", "deploy"));
  world.add(top_flow_gate("tell", "mail"));
  Person person(world);
  EXPECT_EQ(person.press("j"), "");
  EXPECT_EQ(person.selected(), "f-1/ship it");
  EXPECT_EQ(person.model.groups().front().title, "Needs input");
  EXPECT_EQ(person.model.groups().front().jobs.size(), 3U);
  EXPECT_EQ(person.press("a"), "");
  EXPECT_EQ(person.model.question(), "Approve deploy of f-1/ship it");
  EXPECT_EQ(person.press("y"), "approve f-1/ship it f-1/ship it");
  EXPECT_EQ(person.press("jdy"), "deny f-1/tell f-1/tell");
  EXPECT_EQ(person.press("cyt"), "") << "a step is not a job";
  EXPECT_EQ(person.press("<enter>"), "hide") << "a step has neither a chain of causes nor output";
  EXPECT_EQ(person.model.mode(), TopModel::Mode::detail);
  EXPECT_EQ(person.press("<escape>/f-1<enter>"), "hide");
  EXPECT_EQ(person.model.groups().front().jobs.size(), 2U);
}

TEST(TopModel, LongestWaitingComesFirst) {
  TopWorld world;
  for (const char* id : {"cccc", "bbbb", "aaaa"}) {
    world.add(top_job(id, schema::JobState::waiting));
  }
  view::QuestionT question = top_question("aaaa", {"one", "two"});
  world.add(question);
  question = top_question("bbbb", {"one", "two"});
  question.asked_us -= 5 * kSecondUs;
  world.add(question);
  view::ApprovalT gate = top_flow_gate("ship it", "deploy");
  gate.asked_us -= 2 * kSecondUs;
  world.add(gate);
  const Person person(world);
  std::string order;
  for (const view::Job* row : person.model.groups().front().jobs) order.append(text(row->id())) += ", ";
  EXPECT_EQ(order, "bbbb, f-1/ship it, aaaa, cccc, ");
}

TEST(TopModel, OldestQuestionOfAJobIsAnswered) {
  for (const bool newest_first : {false, true}) {
    TopWorld world;
    world.add(top_job("aaaa", schema::JobState::waiting));
    view::QuestionT early = top_question("aaaa", {"one", "two"}), late = early;
    early.id = "q-early";
    early.position = 7;
    late.position = 9;
    world.add(newest_first ? late : early);
    world.add(newest_first ? early : late);
    Person person(world);
    EXPECT_EQ(person.press("1y"), "answer aaaa q-early 1");
  }
}

TEST(TopModel, TextQuestionNamesTheCommand) {
  TopWorld world;
  world.add(top_job("aaaa", schema::JobState::waiting));
  world.add(top_question("aaaa", {}));
  Person person(world);
  EXPECT_EQ(person.press("1"), "");
  EXPECT_THAT(person.model.message(), HasSubstr("luzia answer aaaa TEXT"));
}

TEST(TopModel, OneAndTwoAnswerYesOrNo) {
  TopWorld world;
  world.add(top_job("aaaa", schema::JobState::waiting));
  view::QuestionT question = top_question("aaaa", {});
  question.type = schema::QuestionType::confirm;
  world.add(question);
  Person person(world);
  EXPECT_EQ(person.press("1y"), "answer aaaa q-aaaa yes");
  EXPECT_EQ(person.press("2y"), "answer aaaa q-aaaa no");
  EXPECT_EQ(person.press("3"), "");
}

TEST(TopModel, SelectionFollowsTheJob) {
  Person person(TopWorld::usual());
  person.press("jjj");
  EXPECT_EQ(person.selected(), "cccc");
  TopWorld later;
  later.add(top_job("cccc", schema::JobState::running));
  later.add(top_job("eeee", schema::JobState::queued));
  person.model.take(later.snapshot(), kTopNow);
  EXPECT_EQ(person.selected(), "cccc");
}

TEST(TopModel, SelectionMovesToTheNextJob) {
  Person person(TopWorld::usual());
  person.press("jj");
  TopWorld later;
  later.add(top_job("aaaa", schema::JobState::waiting));
  later.add(top_job("dddd", schema::JobState::failed));
  later.add(top_job("cccc", schema::JobState::queued));
  person.model.take(later.snapshot(), kTopNow);
  EXPECT_EQ(person.selected(), "cccc");
  person.model.take(TopWorld().snapshot(), kTopNow);
  EXPECT_EQ(person.selected(), "");
  EXPECT_EQ(person.press("jk<enter>c1ad"), "");
}

TEST(TopModel, RepeatedKeysDoNotAffectTheNextRow) {
  TopWorld gates;
  gates.add(top_flow_gate("ship it", "deploy"));
  gates.add(top_flow_gate("tell", "mail"));
  Person person(gates);
  EXPECT_EQ(person.press("ay"), "approve f-1/ship it f-1/ship it");
  TopWorld decided;
  decided.add(top_flow_gate("tell", "mail"));
  person.model.take(decided.snapshot(), kTopNow);
  EXPECT_EQ(person.selected(), "f-1/tell") << "the next one that needs a person";
  EXPECT_EQ(person.press("ayc1yd"), "");
  EXPECT_EQ(person.model.mode(), TopModel::Mode::list) << "nothing is asked about it either";
  person.model.settle();
  EXPECT_EQ(person.press("ay"), "approve f-1/tell f-1/tell");
  person.model.take(TopWorld().snapshot(), kTopNow);
  EXPECT_EQ(person.selected(), "") << "nothing needs a person";
}

TEST(TopModel, AnotherKeyEndsTheWaitAfterMovingOn) {
  TopWorld gates;
  gates.add(top_flow_gate("ship it", "deploy"));
  gates.add(top_flow_gate("tell", "mail"));
  Person person(gates);
  person.press("ay");
  TopWorld decided;
  decided.add(top_flow_gate("tell", "mail"));
  person.model.take(decided.snapshot(), kTopNow);
  EXPECT_EQ(person.press("kay"), "approve f-1/tell f-1/tell");
}

TEST(TopModel, AnswerMovesOnToTheNextQuestion) {
  TopWorld asked;
  for (const char* id : {"aaaa", "bbbb"}) {
    asked.add(top_job(id, schema::JobState::waiting));
    asked.add(top_question(id, {"yes", "no"}));
  }
  Person person(asked);
  ASSERT_EQ(person.selected(), "aaaa");
  EXPECT_EQ(person.press("1y"), "answer aaaa q-aaaa 1");
  person.model.take(asked.snapshot(), kTopNow);
  EXPECT_EQ(person.selected(), "aaaa") << "it is still open";
  TopWorld answered;
  answered.add(top_job("aaaa", schema::JobState::running));
  answered.add(top_job("bbbb", schema::JobState::waiting));
  answered.add(top_question("bbbb", {"yes", "no"}));
  person.model.take(answered.snapshot(), kTopNow);
  EXPECT_EQ(person.selected(), "bbbb");
  EXPECT_EQ(person.press("1y"), "");
  TopWorld none;
  none.add(top_job("aaaa", schema::JobState::running));
  none.add(top_job("bbbb", schema::JobState::running));
  person.model.settle();
  EXPECT_EQ(person.press("2y"), "answer bbbb q-bbbb 2");
  person.model.take(none.snapshot(), kTopNow);
  EXPECT_EQ(person.selected(), "bbbb") << "nothing else needs a person";
  EXPECT_FALSE(person.model.has_moved_on());
  EXPECT_EQ(person.press("cy"), "cancel bbbb");
}

TEST(TopModel, ApprovedGateBecomesItsStepsJob) {
  TopWorld gates;
  gates.add(top_flow_gate("ship it", "deploy"));
  gates.add(top_flow_gate("tell", "mail"));
  Person person(gates);
  person.press("ay");
  TopWorld handed_over;
  view::JobT job = top_job("eeee", schema::JobState::queued);
  job.flow = "f-1";
  job.step = "ship it";
  handed_over.add(job);
  person.model.take(handed_over.snapshot(), kTopNow);
  EXPECT_EQ(person.selected(), "eeee");
}

TEST(TopModel, CancellingNamesTheJobAndItsTask) {
  Person person(TopWorld::usual());
  person.press("c");
  EXPECT_EQ(person.model.question(), "Cancel aaaa: Do aaaa");
  TopWorld world;
  view::JobT job = top_job("eeee", schema::JobState::running);
  job.task = std::string(60, 'x') + "\nand then more";
  world.add(job);
  Person other(world);
  other.press("c");
  EXPECT_EQ(other.model.question(), "Cancel eeee: " + std::string(45, 'x') + "…");
}

TEST(TopModel, NewsOfAnotherJobIsIgnored) {
  Person person(TopWorld::usual());
  person.press("<enter>");
  TopDetail other;
  other.job = "bbbb";
  other.output = "not mine";
  person.model.take(other);
  EXPECT_EQ(person.model.detail().output, "");
  other.job = "aaaa";
  person.model.take(other);
  EXPECT_EQ(person.model.detail().output, "not mine");
}

}  // namespace
}  // namespace luzia
