// Questions, approvals and the audit as shown to people and scripts.
#include "projections/rows/input_rows.h"

#include <sstream>

#include "projections/rows/attention.h"
#include "projections/rows/audit_rows.h"
#include "projections/rows/export_table.h"
#include "projections/rows/harmless.h"
#include "tests/matchers.h"
#include "tests/projections/rows/shown_rows.h"
#include "tests/projections/rows/start_time.h"

namespace luzia::test {
namespace {

using schema::QuestionType;
using view::QuestionState;

constexpr TimeUs kNow = kStart + 3 * kMinuteUs;

view::QuestionT where_to() {
  view::QuestionT row;
  row.id = "q-000000000001";
  row.job = "k000000000001";
  row.project = "alpha";
  row.agent = "claude";
  row.attempt = 1;
  row.type = QuestionType::choice;
  row.question = "Where should the new version be deployed first?";
  row.options = {"production", "staging"};
  row.default_answer = "staging";
  row.asked_us = kStart;
  row.deadline_us = kStart + 30 * kMinuteUs;
  row.source = "cli";
  row.position = 7;
  return row;
}

view::QuestionT answered_question() {
  view::QuestionT row = where_to();
  row.state = QuestionState::answered;
  row.answer = "production";
  row.answered_by = "alice";
  row.answered_us = kStart + kMinuteUs;
  row.delivered_us = kStart + kMinuteUs + kSecondUs;
  row.channel = "client";
  return row;
}

view::ApprovalT push() {
  view::ApprovalT row;
  row.id = "a-000000000002";
  row.job = "k000000000002";
  row.project = "beta";
  row.agent = "claude";
  row.attempt = 1;
  row.gate = "Bash";
  row.description = "Push the branch to the server";
  row.tool = "Bash";
  row.tool_input = R"({"command":"git push origin main"})";
  row.rule = "Bash(git push*)";
  row.asked_us = kStart;
  row.auto_after_us = kStart + 8 * kMinuteUs;
  row.source = "mcp";
  row.position = 9;
  return row;
}

view::ApprovalT denied() {
  view::ApprovalT row = push();
  row.state = QuestionState::answered;
  row.decision = schema::Decision::denied;
  row.decided_by = "bob";
  row.decided_us = kStart + 2 * kMinuteUs;
  row.note = "not on a Friday";
  row.remember = true;
  return row;
}

TableStyle wide(std::size_t width) {
  return {.width = width, .colour = false, .unicode = true};
}

void expect_fits(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
}

class InputRows : public testing::Test {
 protected:
  ShownRows<view::Question> questions_;
  ShownRows<view::Approval> approvals_;
};

TEST_F(InputRows, QuestionJsonHasEveryDocumentedField) {
  EXPECT_EQ(question_json(questions_.add(answered_question())),
            R"({"id":"q-000000000001","job":"k000000000001","project":"alpha","agent":"claude","attempt":1,)"
            R"("type":"choice","question":"Where should the new version be deployed first?",)"
            R"("options":["production","staging"],"free_text":false,"default":"staging",)"
            R"("asked_at":"2026-01-01T00:00:00.000000Z","deadline":"2026-01-01T00:30:00.000000Z",)"
            R"("state":"answered","answer":"production","answered_by":"alice",)"
            R"("answered_at":"2026-01-01T00:01:00.000000Z","delivered_at":"2026-01-01T00:01:01.000000Z",)"
            R"("asked_us":1767225600000000,"deadline_us":1767227400000000,"answered_us":1767225660000000,)"
            R"("delivered_us":1767225661000000,"by_default":false,"channel":"client","source":"cli",)"
            R"("reminded":0,"reason":null,"answer_by":null,"answer_by_us":0,"priority":0,"position":7})");
}

TEST_F(InputRows, OpenQuestionJsonHasNulls) {
  const std::string json = question_json(questions_.add(where_to()));
  EXPECT_THAT(json, HasSubstr(R"("state":"open","answer":null,"answered_by":null,"answered_at":null,)"
                              R"("delivered_at":null)"));
}

TEST_F(InputRows, FreeTextSaysThatAnyTextIsAnAnswer) {
  view::QuestionT chosen = where_to(), written = where_to(), either = where_to();
  written.type = QuestionType::text;
  written.options.clear();
  either.free_text = true;
  EXPECT_THAT(question_json(questions_.add(chosen)), HasSubstr(R"("free_text":false,)"));
  EXPECT_THAT(question_json(questions_.add(written)), HasSubstr(R"("free_text":true,)"));
  EXPECT_THAT(question_json(questions_.add(either)), HasSubstr(R"("free_text":true,)"));
}

TEST_F(InputRows, ApprovalJsonExtendsTheQuestions) {
  EXPECT_EQ(approval_json(approvals_.add(denied())),
            R"({"id":"a-000000000002","job":"k000000000002","project":"beta","agent":"claude","attempt":1,)"
            R"("type":"approval","gate":"Bash","description":"Push the branch to the server","tool":"Bash",)"
            R"x("tool_input":"{\"command\":\"git push origin main\"}","rule":"Bash(git push*)",)x"
            R"("question":"Push the branch to the server","options":["approve","deny"],"default":"approve",)"
            R"("asked_at":"2026-01-01T00:00:00.000000Z","deadline":null,)"
            R"("auto_after":"2026-01-01T00:08:00.000000Z","state":"answered","decision":"denied",)"
            R"("decided_by":"bob","decided_at":"2026-01-01T00:02:00.000000Z","policy":null,)"
            R"("note":"not on a Friday","remember":true,"answer":"denied","answered_by":"bob",)"
            R"("answered_at":"2026-01-01T00:02:00.000000Z","delivered_at":null,"asked_us":1767225600000000,)"
            R"("deadline_us":0,"answered_us":1767225720000000,"delivered_us":0,)"
            R"("auto_after_us":1767226080000000,"channel":null,"source":"mcp","reminded":0,"reason":null,)"
            R"("answer_by":null,"answer_by_us":0,"priority":0,)"
            R"("position":9})");
}

TEST_F(InputRows, RequestsWithTheLeastTimeLeftComeFirst) {
  view::QuestionT later = where_to(), sooner = where_to();
  later.id = "q-later";
  sooner.id = "q-sooner";
  sooner.deadline_us = later.deadline_us = 0;
  sooner.asked_us = kNow - kSecondUs;
  sooner.answer_by_us = kNow + 60 * kSecondUs;
  later.asked_us = kNow - 2 * kSecondUs;
  later.answer_by_us = kNow - 60 * kSecondUs;
  std::swap(sooner.answer_by_us, later.answer_by_us);
  questions_.add(where_to());
  questions_.add(later);
  questions_.add(sooner);
  const std::string text = questions_text(questions_.list(), kNow, wide(80));
  EXPECT_LT(text.find("q-sooner  overdue by 1m00s"), text.find("q-later  answer within 1m00s"));
  EXPECT_LT(text.find("q-later"), text.find("q-000000000001")) << "that one waits as long as it takes";
}

TEST_F(InputRows, QuestionShowsOptionsTimeAndCommand) {
  questions_.add(where_to());
  questions_.add(answered_question());
  EXPECT_EQ(questions_text(questions_.list(), kNow, wide(80)),
            "k000000000001 (alpha) q-000000000001  27m00s left\n"
            "  Where should the new version be deployed first?\n"
            "    1  production\n"
            "    2  staging  (default)\n"
            "  luzia answer q-000000000001 2\n");
}

TEST_F(InputRows, ApprovalShowsItsInputAndBothCommands) {
  approvals_.add(push());
  EXPECT_EQ(approvals_text(approvals_.list(), kNow, wide(80)),
            "k000000000002 (beta) a-000000000002  approved in 5m00s\n"
            "  tool Bash\n"
            "  Push the branch to the server\n"
            "  {\"command\":\"git push origin main\"}\n"
            "  luzia approve a-000000000002\n"
            "  luzia deny a-000000000002\n");
}

TEST_F(InputRows, SeveralPromptsAreNamedById) {
  questions_.add(where_to());
  view::QuestionT second = where_to();
  second.id = "q-000000000003";
  second.type = QuestionType::confirm;
  second.options.clear();
  second.default_answer = "no";
  second.deadline_us = 0;
  questions_.add(second);
  const std::string text = questions_text(questions_.list(), kNow, wide(80));
  EXPECT_THAT(text, HasSubstr("  luzia answer q-000000000001 2\n"));
  EXPECT_THAT(text, EndsWith("q-000000000003  no deadline\n"
                             "  Where should the new version be deployed first?\n"
                             "  yes or no  (default no)\n"
                             "  luzia answer q-000000000003 no\n"));
}

TEST_F(InputRows, GateNamesInCommandsAreSafeForShells) {
  for (const char* gate : {"deploy; rm -rf ~", "$(reboot)", "--note", "", "a b", "`x`", "déploy"}) {
    view::ApprovalT row = push();
    row.gate = gate;
    EXPECT_EQ(approve_command(approvals_.add(row)), "luzia approve a-000000000002") << gate;
  }
  view::ApprovalT row = push();
  row.gate = "database_migration";
  EXPECT_EQ(deny_command(approvals_.add(row)), "luzia deny a-000000000002");
}

TEST_F(InputRows, EachAnswerTypeHasAnExample) {
  view::QuestionT row = where_to();
  row.type = QuestionType::multi_select;
  EXPECT_THAT(answer_command(questions_.add(row)), EndsWith(" 1,2"));
  row.type = QuestionType::text;
  EXPECT_THAT(answer_command(questions_.add(row)), EndsWith(" \"...\""));
  row.type = QuestionType::choice;
  row.default_answer.clear();
  EXPECT_THAT(answer_command(questions_.add(row)), EndsWith(" 1"));
}

TEST_F(InputRows, LongAndHostileTextsStayInTheirLines) {
  view::QuestionT row = where_to();
  row.question = "one\x1b]0;title\x07 two\nthree ";
  for (int i = 0; i < 30; ++i) row.question += "words without end ";
  row.question += std::string(300, 'x');
  row.options = {"first\nline\x1b[31m", std::string(200, 'o')};
  row.project = std::string(100, 'p');
  questions_.add(row);
  view::ApprovalT approval = push();
  approval.description = row.question;
  approvals_.add(approval);
  for (const std::size_t width : {60U, 80U, 200U}) {
    for (const std::string& text :
         {questions_text(questions_.list(), kNow, wide(width)),
          approvals_text(approvals_.list(), kNow, wide(width)),
          questions_table(questions_.list(), kNow).text(wide(width)),
          approvals_table(approvals_.list(), kNow).text(wide(width)),
          open_inputs_table(questions_.list(), approvals_.list(), {}, kNow).text(wide(width))}) {
      expect_fits(text, width);
      EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
      EXPECT_EQ(text.find('\x07'), std::string::npos) << text;
    }
  }
}

TEST_F(InputRows, ManyLinesAreCutWithANote) {
  view::QuestionT row = where_to();
  row.question.clear();
  for (int i = 0; i < 1000; ++i) row.question += "line\n";
  questions_.add(row);
  const std::string text = questions_text(questions_.list(), kNow, wide(80));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 40 + 1 + 2 + 1);
  EXPECT_THAT(text, HasSubstr("--json prints all of it"));
}

TEST_F(InputRows, StatusShowsPromptsInsteadOfTasks) {
  ShownRows<view::Job> jobs;
  for (const char* id : {"k000000000001", "k000000000002", "k000000000003"}) {
    view::JobT job;
    job.id = id;
    job.state = schema::JobState::waiting;
    job.task = "the task";
    jobs.add(job);
  }
  questions_.add(where_to());
  approvals_.add(push());
  const auto groups = group_by_attention(jobs.list(), kNow);
  const StatusNotes notes{{}, {}, questions_.list(), approvals_.list()};
  EXPECT_EQ(status_text(groups, notes, kNow, {}),
            "Needs input (3)\n"
            "JOB            PROJECT  ASKS                                                  "
            "                           OPTIONS                              LEFT\n"
            "k000000000001  alpha    Where should the new version be deployed first?       "
            "                           1 production, 2 staging (default)  27m00s\n"
            "k000000000002  beta     approve Bash: Push the branch to the server; "
            "{\"command\":\"git push origin main\"}  approve, deny                       5m00s\n"
            "JOB            STATE    PROJECT  AGENT  TIME  DONE  TASK      DETAIL\n"
            "k000000000003  waiting                              the task\n");
  expect_fits(status_text(groups, notes, kNow, wide(60)), 60);
  const std::string json = status_json(groups, notes, kNow, 9);
  EXPECT_THAT(json, HasSubstr(R"("questions":[{"id":"q-000000000001")"));
  EXPECT_THAT(json, HasSubstr(R"("approvals":[{"id":"a-000000000002")"));
  EXPECT_THAT(status_json(groups, {}, kNow, 9), HasSubstr(R"("questions":[],"approvals":[])"));
  EXPECT_THAT(status_markdown(groups, notes, kNow),
              HasSubstr("\n- k000000000001: Where should the new version be deployed first?: 1 production, 2 "
                        "staging (default) (27m00s left)\n- k000000000002: approve Bash: Push the"));
}

TEST_F(InputRows, QueuedJobThatAsksCountsAsQueuedOnly) {
  ShownRows<view::Job> jobs;
  view::JobT job;
  job.id = where_to().job;
  job.state = schema::JobState::queued;
  job.questions_open = 1;
  jobs.add(job);
  questions_.add(where_to());
  const auto groups = group_by_attention(jobs.list(), kNow);
  const StatusNotes notes{{}, {}, questions_.list()};
  EXPECT_THAT(status_json(groups, notes, kNow, 9),
              HasSubstr(R"("counts":{"needs_input":0,"working":0,"queued":1,"parked":0,"ended":0})"));
  EXPECT_EQ(needing_input(groups.front(), notes), 1U) << "somebody has to answer it nevertheless";
  const std::string words = status_text(groups, notes, kNow, {});
  EXPECT_THAT(words, StartsWith("Needs input (1)\n"));
  EXPECT_THAT(words, HasSubstr("Queued (1)\n"));
  EXPECT_THAT(status_markdown(groups, notes, kNow), HasSubstr("## Needs input (1)\n"));
}

TEST_F(InputRows, StatusShowsManualFlowSteps) {
  const StatusNotes notes{
      .manual_steps = {{"f-1", "alpha", "look at it", "on a telephone\nand | a tablet", kNow - kSecondUs},
                       {"f-1", "alpha", "call", "", kNow - 2 * kSecondUs},
                       {"f-2", "beta", "pack", "", kNow}}};
  const auto groups = group_by_attention({}, kNow);
  EXPECT_EQ(waiting_flows(notes), 2U);
  EXPECT_EQ(status_text(groups, notes, kNow, {}),
            "Needs input (2)\n"
            "JOB  PROJECT  ASKS                                          OPTIONS               LEFT\n"
            "f-1  alpha    do call                                       complete, fail, skip\n"
            "f-1  alpha    do look at it: on a telephone\u240aand | a tablet  complete, fail, skip\n"
            "f-2  beta     do pack                                       complete, fail, skip\n");
  expect_fits(status_text(groups, notes, kNow, wide(60)), 60);
  EXPECT_THAT(status_text_compact(groups, notes, kNow, {}), HasSubstr("f-2  beta     do pack"));
  EXPECT_THAT(status_json(groups, notes, kNow, 9),
              HasSubstr(R"("manual_steps":[{"flow":"f-1","project":"alpha","step":"look at it",)"));
  EXPECT_THAT(status_markdown(groups, notes, kNow),
              HasSubstr("\n- f-1: do call\n- f-1: do look at it: on a telephone^Jand \\| a tablet\n"));
  EXPECT_EQ(complete_command(notes.manual_steps[0]), "luzia flow complete f-1 'look at it'");
  EXPECT_EQ(complete_command(notes.manual_steps[1]), "luzia flow complete f-1 call");
}

TEST_F(InputRows, LongestWaitingComesFirstInStatus) {
  view::QuestionT late = where_to(), early = where_to();
  late.job = "k000000000007";
  late.asked_us = kNow - kSecondUs;
  early.job = "k000000000005";
  early.asked_us = kNow - 60 * kSecondUs;
  view::ApprovalT between = push();
  between.job = "k000000000006";
  between.asked_us = kNow - 30 * kSecondUs;
  questions_.add(late);  // in any order
  questions_.add(early);
  approvals_.add(between);
  const std::string table = open_inputs_table(questions_.list(), approvals_.list(), {}, kNow).text({});
  ShownRows<view::Job> jobs;
  view::JobT asking;
  asking.id = early.job;
  asking.state = schema::JobState::waiting;
  jobs.add(asking);
  const std::string markdown = status_markdown(group_by_attention(jobs.list(), kNow),
                                               {{}, {}, questions_.list(), approvals_.list()}, kNow);
  for (const std::string& shown : {table, markdown}) {
    EXPECT_LT(shown.find(early.job), shown.find(between.job)) << shown;
    EXPECT_LT(shown.find(between.job), shown.find(late.job)) << shown;
    EXPECT_NE(shown.find(late.job), std::string::npos) << shown;
  }
}

TEST_F(InputRows, TablesShowStateAnswerAndPerson) {
  questions_.add(answered_question());
  EXPECT_EQ(questions_table(questions_.list(), kNow).text(wide(80)),
            "JOB            PROJECT  STATE     TEXT                         ANSWER      BY\n"
            "k000000000001  alpha    answered  Where should the new versi…  production  alice\n");
  view::ApprovalT by_policy = denied();
  by_policy.decided_by.clear();
  by_policy.policy = "never";
  approvals_.add(denied());
  approvals_.add(by_policy);
  EXPECT_EQ(approvals_table(approvals_.list(), kNow).text(wide(80)),
            "JOB            PROJECT  STATE   WHAT                  BY            NOTE\n"
            "k000000000002  beta     denied  Bash: Push the bran…  bob           not on a Fr…\n"
            "k000000000002  beta     denied  Bash: Push the bran…  policy: nev…  not on a Fr…\n");
}

TEST_F(InputRows, CsvHasTheColumnsOfTheExport) {
  view::QuestionT row = answered_question();
  row.question = "a, \"b\"\nc";
  questions_.add(row);
  EXPECT_EQ(
      questions_table(questions_.list(), kNow, Form::data).csv(),
      export_header_csv(*find_export_table("questions")) +
          "q-000000000001,k000000000001,alpha,claude,1,choice,\"a, \"\"b\"\"\nc\",\"production,staging\",0,"
          "staging,answered,production,alice,client,2026-01-01T00:00:00.000000Z,"
          "2026-01-01T00:30:00.000000Z,2026-01-01T00:01:00.000000Z,2026-01-01T00:01:01.000000Z,60,0,cli,"
          "0,\r\n");
  approvals_.add(denied());
  const std::string approvals = approvals_table(approvals_.list(), kNow, Form::data).csv();
  EXPECT_THAT(approvals, StartsWith(export_header_csv(*find_export_table("approvals"))));
  EXPECT_THAT(approvals,
              HasSubstr(",denied,bob,,Bash(git push*),not on a Friday,2026-01-01T00:00:00.000000Z,"));
  EXPECT_THAT(approvals,
              EndsWith("2026-01-01T00:02:00.000000Z,,120,mcp,denied,2026-01-01T00:08:00.000000Z,1,\r\n"));
}

TEST_F(InputRows, AuditShowsWhoDecidedWhatAndWhy) {
  const AuditEntry question{&questions_.add(answered_question()), nullptr};
  const AuditEntry approval{nullptr, &approvals_.add(denied())};
  EXPECT_EQ(audit_json(approval),
            R"({"kind":"approval","id":"a-000000000002","job":"k000000000002","project":"beta",)"
            R"("agent":"claude","what":"Bash","tool":"Bash","description":"Push the branch to the server",)"
            R"("decision":"denied","answer":null,"by":"bob","policy":null,"note":"not on a Friday",)"
            R"x("remember":true,"rule":"Bash(git push*)",)x"
            R"("decided_at":"2026-01-01T00:02:00.000000Z","decided_us":1767225720000000,)"
            R"("asked_at":"2026-01-01T00:00:00.000000Z","asked_us":1767225600000000,"delivered_at":null,)"
            R"("delivered_us":0,"waited_seconds":120,"position":9})");
  EXPECT_THAT(audit_json(question), HasSubstr(R"("decision":"answered","answer":"production","by":"alice")"));
  EXPECT_EQ(audit_table({approval, question}).text(wide(80)),
            "DECIDED (Z)       JOB            DECISION  BY     WHAT            ANSWER OR NOTE\n"
            "2026-01-01 00:02  k000000000002  denied    bob    Bash: Push th…  not on a Frid…\n"
            "2026-01-01 00:01  k000000000001  answered  alice  Where should …  production\n");
  EXPECT_THAT(audit_table({approval}, Form::data).csv(),
              EndsWith("denied,,bob,,not on a Friday,1,Bash(git push*),2026-01-01T00:00:00.000000Z,\r\n"));
}

TEST_F(InputRows, AuditNamesAToolOnceAndBreaksNoLine) {
  view::ApprovalT call = denied();
  call.description = "Bash: make\nmake test";
  call.note = "not\nnow";
  call.remember = false;
  EXPECT_THAT(audit_table({{nullptr, &approvals_.add(call)}}).text(wide(120)),
              HasSubstr("  Bash: make make test  not now\n"));
}

TEST_F(InputRows, AuditDistinguishesDefaultsPoliciesAndPeople) {
  view::QuestionT by_default = answered_question();
  by_default.by_default = true;
  by_default.answered_by = "default";
  view::QuestionT timed_out = where_to();
  timed_out.state = QuestionState::timed_out;
  view::ApprovalT by_policy = denied();
  by_policy.policy = "never";
  by_policy.decided_by.clear();
  const AuditEntry first{&questions_.add(by_default), nullptr}, second{&questions_.add(timed_out), nullptr},
      third{nullptr, &approvals_.add(by_policy)};
  EXPECT_THAT(audit_json(first), HasSubstr(R"("by":null,"policy":"default")"));
  EXPECT_THAT(audit_json(second),
              HasSubstr(R"("decision":"timed_out","answer":null,"by":null,"policy":null)"));
  EXPECT_EQ(decision_time(second), timed_out.deadline_us);
  EXPECT_THAT(audit_json(third), HasSubstr(R"("by":null,"policy":"never")"));
  const std::string table = audit_table({first, second, third}).text({});
  EXPECT_THAT(table, HasSubstr("policy: default"));
  EXPECT_THAT(table, HasSubstr("nobody in time"));
  EXPECT_THAT(table, HasSubstr("policy: never"));
}

TEST_F(InputRows, OpenOrWithdrawnPromptsAreNoDecisions) {
  view::QuestionT withdrawn = where_to();
  withdrawn.state = QuestionState::cancelled;
  EXPECT_EQ(decision_time(questions_.add(withdrawn)), 0);
  EXPECT_EQ(decision_time(questions_.add(where_to())), 0);
  EXPECT_EQ(decision_time(approvals_.add(push())), 0);
}

}  // namespace
}  // namespace luzia::test
