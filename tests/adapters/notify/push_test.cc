// What a push says, and what its sender's report means.
#include "adapters/notify/push.h"

#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/matchers.h"
#include "tests/paths.h"

namespace luzia {
namespace {

using Json = nlohmann::json;

Notice notice_of_question() {
  Notice notice;
  notice.position = 42;
  notice.site = "here";
  notice.event = "question_asked";
  notice.job = "k1";
  notice.project = "web";
  notice.text = "web: job k1: asked q-1\nDeploy where?\nluzia answer q-1 TEXT";
  notice.severity = schema::Severity::warning;
  notice.request = NoticeRequest{"q-1", false, {}};
  return notice;
}

Json said(const Notice& notice) {
  return Json::parse(push_text(notice));
}

TEST(Push, AQuestionIsAskedAndLeadsToWhereItIsAnswered) {
  const Json json = said(notice_of_question());
  EXPECT_EQ(json["title"], "web: question asked");
  EXPECT_EQ(json["body"], "Deploy where?");
  EXPECT_EQ(json["url"], "/#/ask");
  EXPECT_EQ(json["tag"], "here:42");
  EXPECT_EQ(json.size(), 4U);
}

TEST(Push, OtherEventsLeadToTheirSubject) {
  Notice notice = notice_of_question();
  notice.event = "job_failed";
  notice.text = "web: job k1: failed (exit code 3)";
  notice.request.reset();
  EXPECT_EQ(said(notice)["url"], "/#/jobs/k1");
  EXPECT_EQ(said(notice)["body"], notice.text);
  notice.job.clear();
  EXPECT_EQ(said(notice)["url"], "/#/");
  notice.variables = {"LUZIA_FLOW_ID=f-1"};
  EXPECT_EQ(said(notice)["url"], "/#/flows/f-1");
  notice.position = 0;
  EXPECT_EQ(said(notice)["url"], "/#/machine") << "a sample";
}

TEST(Push, TextOfAgentsIsOneHarmlessLine) {
  Notice notice = notice_of_question();
  notice.text =
      "web: asked\n\x1b[31mred\x1b]8;;http://x\x07 \xff\xe2\x80\xae" + std::string(5'000, 'a') + "\nmore";
  const std::string text = push_text(notice);
  EXPECT_LT(text.size(), 600U);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae"))) << "text that turns others around";
  const std::string body = Json::parse(text)["body"];
  EXPECT_TRUE(body.ends_with("…"));
  EXPECT_EQ(body.find('\n'), std::string::npos);
}

TEST(Push, AnOrderIsReadAsItWasWritten) {
  PushOrder order{
      "/store", "https://push.example/x", "BB", "AA", "https://l.example", 7'000, true, 60, "high", "t"};
  const auto read = parse_push_order(push_order_text(order));
  ASSERT_TRUE(read);
  EXPECT_EQ(push_order_text(*read), push_order_text(order));
  EXPECT_TRUE(read->own_service);
  for (const char* text : {"", "{}", "[]", "{\"store\":3}", "nonsense"})
    EXPECT_FALSE(parse_push_order(text)) << text;
  order.timeout_ms = 0;
  EXPECT_FALSE(parse_push_order(push_order_text(order)));
}

class PushSender : public testing::Test {
 protected:
  PushSender() {
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGCHLD, SIG_IGN);  // as luziad does
  }
  ~PushSender() override { ::signal(SIGCHLD, SIG_DFL); }

  /// With shell code in the place of luzia-push.
  static Delivery send(const std::string& script) {
    Push push;
    push.sender.runner = build_path("tools/luzia-run/luzia-run");
    push.sender.command = {"/bin/sh", "-c", script};
    push.order = {"/store", "https://push.example/x", "BB", "AA", "https://l.example", 60'000, false, 0, "",
                  ""};
    return send_by_push(push, notice_of_question(), {});
  }
};

TEST_F(PushSender, ItGetsTheOrderAndTheText) {
  EXPECT_TRUE(
      send("read -r order; read -r text; case $order in *'\"urgency\":\"high\"'*) ;; *) exit 2;; esac; "
           "case $text in *'Deploy where?'*) exit 0;; *) exit 2;; esac")
          .result.delivered);
}

TEST_F(PushSender, ItsReportSaysWhetherAndWhenToTryAgain) {
  const Delivery busy = send("echo HTTP status 429; echo retry_after 7; exit 1");
  EXPECT_FALSE(busy.result.delivered);
  EXPECT_FALSE(busy.result.final);
  EXPECT_EQ(busy.result.retry_after_ms, 7'000U);
  EXPECT_EQ(busy.result.detail, "HTTP status 429");
  EXPECT_FALSE(busy.gone);
  const Delivery gone = send("echo HTTP status 410; echo gone 410; exit 2");
  EXPECT_TRUE(gone.result.final);
  EXPECT_TRUE(gone.gone);
  const Delivery broken = send("exit 127");
  EXPECT_FALSE(broken.result.final);
  EXPECT_FALSE(broken.gone);
}

}  // namespace
}  // namespace luzia
