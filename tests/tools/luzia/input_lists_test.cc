// Lists of questions and approvals, and how other commands show them, against a fake daemon.
#include <nlohmann/json.hpp>

#include "projections/rows/row_bytes.h"
#include "tests/matchers.h"
#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

constexpr TimeUs kAsked = 1'800'000'000 * kSecondUs;

view::QuestionT where_to() {
  view::QuestionT row;
  row.id = "q-1";
  row.job = "0kx8aaaaaaaaa";
  row.project = "web";
  row.type = schema::QuestionType::choice;
  row.question = "where to?";
  row.options = {"production", "staging"};
  row.default_answer = "staging";
  row.asked_us = kAsked;
  return row;
}

view::ApprovalT deploy() {
  view::ApprovalT row;
  row.id = "a-1";
  row.job = "0kx8aaaaaaaaa";
  row.project = "web";
  row.gate = "deploy";
  row.description = "to production";
  row.asked_us = kAsked;
  return row;
}

/// What the fake daemon knows.
struct Told {
  std::vector<view::QuestionT> questions;
  std::vector<view::ApprovalT> approvals;
  bool is_old = false;  // supports none of these views
};

/// Each page of questions has one row.
wire::ReplyUnion questions_page(const Told& told, const std::string& cursor) {
  const std::size_t place = cursor.empty() ? 0 : std::stoul(cursor);
  std::vector<view::QuestionT> page;
  if (place < told.questions.size()) page.push_back(told.questions[place]);
  const bool more = place + 1 < told.questions.size();
  return rows_of(page, wire::RowType::question, more ? std::to_string(place + 1) : std::string());
}

std::vector<wire::ReplyUnion> answer(const Told& told, const wire::ClientFrameT& frame) {
  const auto* query = frame.request.AsQuery();
  if (query == nullptr) return {};
  const bool is_new = query->view == wire::View::overview || query->view == wire::View::questions ||
                      query->view == wire::View::approvals;
  if (is_new && told.is_old) return std::vector{refused("unknown_view", ErrorKind::usage)};
  if (query->view == wire::View::approvals)
    return std::vector{rows_of(told.approvals, wire::RowType::approval)};
  if (query->view == wire::View::questions) return std::vector{questions_page(told, query->cursor)};
  // Makes the project known.
  if (query->view == wire::View::totals && !query->filter->projects.empty()) {
    view::ProjectTotalsT totals;
    totals.project = query->filter->projects.front();
    return std::vector{rows_of(std::vector{totals}, wire::RowType::totals)};
  }
  if (query->view != wire::View::jobs && query->view != wire::View::overview)
    return std::vector{rows_of(std::vector<view::JobT>(), wire::RowType::event)};
  view::JobT job;
  job.id = "0kx8aaaaaaaaa";
  job.project = "web";
  job.state = schema::JobState::waiting;
  job.queued_us = kAsked;
  job.questions_open = static_cast<std::uint32_t>(told.questions.size());
  job.approvals_open = static_cast<std::uint32_t>(told.approvals.size());
  wire::ReplyUnion rows = job_rows({job});
  if (query->view == wire::View::overview) {
    rows = with_part(std::move(rows), questions_page(told, {}));
    rows = with_part(std::move(rows), rows_of(told.approvals, wire::RowType::approval));
  }
  return std::vector{std::move(rows)};
}

class InputLists : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    daemon_ =
        std::make_unique<RecordingDaemon>(store_, [this](const auto& frame) { return answer(told_, frame); });
  }
  void TearDown() override {
    daemon_.reset();
    ProgramTest::TearDown();
  }
  /// Standard output.
  std::string run(std::vector<std::string> words, int expected_code = 0) {
    const Ran ran = ProgramTest::run(std::move(words));
    err_ = ran.err;
    EXPECT_EQ(ran.code, expected_code) << err_;
    return ran.out;
  }
  wire::QueryT last_query() const {
    const auto requests = daemon_->requests();
    const auto* query = requests.empty() ? nullptr : requests.back()->request.AsQuery();
    return query == nullptr ? wire::QueryT() : wire::QueryT(*query);
  }

  std::string err_;
  Told told_;
  std::unique_ptr<RecordingDaemon> daemon_;
};

TEST_F(InputLists, OpenQuestionsShowTheAnswerCommand) {
  told_.questions = {where_to()};
  EXPECT_EQ(run({"questions"}),
            "0kx8aaaaaaaaa (web) q-1  no deadline\n"
            "  where to?\n"
            "    1  production\n"
            "    2  staging  (default)\n"
            "  luzia answer q-1 2\n");
  EXPECT_FALSE(last_query().filter->ended);
}

TEST_F(InputLists, AllPagesAreShownAndCounted) {
  told_.questions = {where_to(), where_to(), where_to()};
  told_.questions[1].id = "q-2";
  told_.questions[2].id = "q-3";
  const std::string text = run({"questions"});
  EXPECT_THAT(text, HasSubstr("luzia answer q-1 2\n"));
  EXPECT_THAT(text, EndsWith("luzia answer q-3 2\n"));
  EXPECT_EQ(run({"questions", "-q"}), "3\n");
  told_.questions.clear();
  EXPECT_EQ(run({"questions", "-q"}), "0\n");
}

TEST_F(InputLists, AllIncludesClosedOnesAsATable) {
  told_.questions = {where_to(), where_to()};
  told_.questions[1].state = view::QuestionState::answered;
  told_.questions[1].answer = "production";
  told_.questions[1].answered_by = "alice";
  const std::string text = run({"questions", "--all", "--project", "web"});
  EXPECT_THAT(text, HasSubstr("  luzia answer q-1 2\n\nQUESTION"));
  EXPECT_THAT(text, HasSubstr("alice"));
  EXPECT_TRUE(last_query().filter->ended);
  EXPECT_EQ(last_query().filter->projects, std::vector<std::string>{"web"});
}

TEST_F(InputLists, LimitedListShowsHowToContinue) {
  told_.questions = {where_to(), where_to()};
  run({"questions", "--limit", "1"});
  EXPECT_THAT(err_, HasSubstr("more: --cursor 1"));
  const auto json = nlohmann::json::parse(run({"questions", "--limit", "1", "--json"}));
  EXPECT_EQ(json.at("next"), "1");
  EXPECT_EQ(json.at("questions").size(), 1U);
  EXPECT_EQ(json.at("questions").at(0).at("id"), "q-1");
}

TEST_F(InputLists, ApprovalsShowBothCommands) {
  told_.approvals = {deploy()};
  const std::string text = run({"approvals"});
  EXPECT_THAT(text, HasSubstr("  luzia approve a-1\n  luzia deny a-1\n"));
  EXPECT_EQ(nlohmann::json::parse(run({"approvals", "--json"})).at("approvals").at(0).at("gate"), "deploy");
}

TEST_F(InputLists, InboxHoldsBothKinds) {
  told_.questions = {where_to()};
  told_.approvals = {deploy()};
  const std::string text = run({"inbox"});
  EXPECT_THAT(text, HasSubstr("  luzia answer q-1 2\n\n"));
  EXPECT_THAT(text, EndsWith("  luzia deny a-1\n"));
  EXPECT_EQ(run({"inbox", "-q"}), "2\n");
  const auto json = nlohmann::json::parse(run({"inbox", "--json"}));
  EXPECT_EQ(json.at("questions").at(0).at("id"), "q-1");
  EXPECT_EQ(json.at("approvals").at(0).at("id"), "a-1");
}

TEST_F(InputLists, EmptyListNamesTheOptionForAll) {
  EXPECT_THAT(run({"approvals"}), IsEmpty());
  EXPECT_THAT(err_, HasSubstr("luzia approvals --all"));
}

TEST_F(InputLists, JobAndWhyEndWithItsPrompts) {
  told_.questions = {where_to()};
  told_.approvals = {deploy()};
  for (const char* command : {"job", "why"}) {
    const std::string text = run({command, "0kx8aaaaaaaaa"});
    EXPECT_THAT(text, HasSubstr("\n  where to?\n")) << command;
    EXPECT_THAT(text, HasSubstr("  luzia answer q-1 2\n\n")) << command;
    EXPECT_THAT(text, EndsWith("  luzia deny a-1\n")) << command;
  }
}

TEST_F(InputLists, OverviewShowsPromptsAndCountsTheJob) {
  told_.questions = {where_to(), where_to()};
  told_.questions[1].question = "and when?";
  const std::string text = run({"status"});
  EXPECT_THAT(text, HasSubstr("Needs input (1)\n"));
  EXPECT_THAT(text, HasSubstr("where to?"));
  EXPECT_THAT(text, HasSubstr("1 production, 2 staging (default)"));
  EXPECT_THAT(text, HasSubstr("and when?")) << "on the second page of questions";
  EXPECT_EQ(run({"status", "-q"}), "1\n");
}

TEST_F(InputLists, StatusSuggestsRestartingAnOlderDaemon) {
  told_.is_old = true;
  run({"status"}, 5);
  EXPECT_THAT(err_, HasSubstr("luzia daemon restart starts the installed version"));
}

}  // namespace
}  // namespace luzia
