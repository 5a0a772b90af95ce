// A Telegram bot: questions go out and answers return, whatever fails in between.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/adapters/notify/bot_api_server.h"
#include "tests/e2e/hooks_fixture.h"

namespace luzia {
namespace {

constexpr char kToken[] = "123456:AAH-s3cret_t0ken";
constexpr std::int64_t kChat = 77;

class TelegramTest : public HooksTest {
 protected:
  TelegramTest() {
    write_text(path("token"), std::string(kToken) + "\n");
    ::chmod(path("token").c_str(), 0600);
  }
  ~TelegramTest() override {
    for (const pid_t each : own_processes()) ::kill(each, SIGKILL);  // before the server ends
  }

  void configure_bot(const std::string& more = "") {
    configure("[telegram]\ntoken_file = \"" + path("token") + "\"\nchats = [77]\napi = \"" + server_.url() +
              "\"\n" + more);
  }
  std::string ask(const std::string& options = "--options staging,production") const {
    std::string job = dispatch(kLuzia + " ask 'Deploy where?' " + options + " > " + in_project("answer"));
    EXPECT_TRUE(becomes(job, "waiting"));
    return job;
  }
  bool says(std::size_t count, const std::string& method = "sendMessage") const {
    return wait_until([&] { return server_.calls(method).size() >= count; });
  }
  /// The bot has sent the question.
  std::string ask_by_bot(const std::string& options = "--options staging,production") {
    configure_bot();
    std::string job = ask(options);
    EXPECT_TRUE(says(1));
    return job;
  }
  static std::string button(const Json& message, std::size_t row, std::size_t column = 0) {
    EXPECT_TRUE(message.contains("reply_markup")) << message;
    const Json& rows = message.at("reply_markup").at("inline_keyboard");
    EXPECT_TRUE(row < rows.size() && column < rows.at(row).size()) << message;
    return rows.at(row).at(column).at("callback_data").get<std::string>();
  }
  std::string answer() const { return read_text(in_project("answer")); }
  std::vector<pid_t> bots() const {
    std::vector<pid_t> found;
    for (const pid_t each : own_processes()) {
      const std::string line = read_text("/proc/" + std::to_string(each) + "/cmdline");
      if (line.find("luzia-telegram") != std::string::npos && line.find("serve") != std::string::npos)
        found.push_back(each);
    }
    return found;
  }

  BotApiServer server_{kToken};
};

TEST_F(TelegramTest, ButtonAnswersTheQuestion) {
  const std::string job = ask_by_bot();
  const Json message = server_.calls("sendMessage")[0];
  EXPECT_EQ(message["chat_id"], kChat);
  EXPECT_THAT(message["text"].get<std::string>(), HasSubstr("Deploy where?"));
  EXPECT_FALSE(message.contains("parse_mode")) << "agent text is not markup";
  server_.press(kChat, 501, button(message, 1));
  EXPECT_EQ(ended(job)["state"], "completed");
  EXPECT_EQ(answer(), "production\n");
  EXPECT_EQ(luzia_json({"questions", "--all"})["questions"][0]["answered_by"], "@ann by Telegram (user 7)");
  ASSERT_TRUE(says(1, "editMessageText"));
  const Json edited = server_.calls("editMessageText")[0];
  EXPECT_EQ(edited["message_id"], 501);
  EXPECT_THAT(edited["text"].get<std::string>(), HasSubstr("✅ production"));
  EXPECT_THAT(edited["text"].get<std::string>(), HasSubstr("@ann by Telegram"));
  EXPECT_FALSE(edited.contains("reply_markup")) << "no buttons any more";
  ASSERT_TRUE(says(1, "answerCallbackQuery"));
  expect_verified();
}

TEST_F(TelegramTest, ReplyAnswersAQuestionWithoutButtons) {
  const std::string job = ask_by_bot("");
  server_.write(kChat, "to nothing");
  ASSERT_TRUE(says(2)) << "how to answer is explained";
  EXPECT_THAT(server_.calls("sendMessage")[1]["text"].get<std::string>(), HasSubstr("Reply to the message"));
  server_.write(kChat, "to the moon", 501);
  EXPECT_EQ(ended(job)["state"], "completed");
  EXPECT_EQ(answer(), "to the moon\n");
}

TEST_F(TelegramTest, ApprovalRecordsWhoDecided) {
  configure_bot();
  const std::string job = dispatch(kLuzia + " gate deploy 'to production'");
  ASSERT_TRUE(says(1));
  server_.press(kChat, 501, button(server_.calls("sendMessage")[0], 0, 1));
  EXPECT_EQ(ended(job)["exit_code"], 4);
  const auto decided = events_of(job, "ApprovalDecided");
  ASSERT_EQ(decided.size(), 1u);
  EXPECT_EQ(decided[0]["actor"]["name"], "@ann by Telegram (user 7)");
  EXPECT_EQ(decided[0]["actor"]["uid"], ::getuid());
  EXPECT_THAT(query({"audit"}).out, HasSubstr("@ann by Telegram"));
}

TEST_F(TelegramTest, StrangersAreIgnoredAndLoggedOnce) {
  const std::string job = ask_by_bot();
  const std::string data = button(server_.calls("sendMessage")[0], 0);
  server_.press(666, 501, data);
  server_.write(666, "staging", 501);
  server_.press(kChat, 501, button(server_.calls("sendMessage")[0], 1));
  ended(job);
  EXPECT_EQ(answer(), "production\n");
  std::string log;
  ASSERT_TRUE(wait_until([&] {
    log = read_text(store() + "/luziad.log");
    return log.find("chat 666 (@ann) is not among [telegram] chats") != std::string::npos;
  })) << log;
  EXPECT_EQ(log.find("chat 666"), log.rfind("chat 666"));
}

TEST_F(TelegramTest, AnswerGivenElsewhereUpdatesTheMessage) {
  const std::string job = ask_by_bot();
  ASSERT_EQ(luzia({"answer", job, "staging"}).code, 0);
  ASSERT_TRUE(says(1, "editMessageText"));
  EXPECT_THAT(server_.calls("editMessageText")[0]["text"].get<std::string>(), HasSubstr("✅ staging"));
  server_.press(kChat, 501, button(server_.calls("sendMessage")[0], 1));
  ASSERT_TRUE(says(1, "answerCallbackQuery"));
  EXPECT_THAT(server_.calls("answerCallbackQuery")[0].value("text", ""), HasSubstr("was answered by"));
}

TEST_F(TelegramTest, RetriesFollowTheServersDelay) {
  const Json slower = {{"ok", false},
                       {"error_code", 429},
                       {"description", "Too Many Requests"},
                       {"parameters", {{"retry_after", 3}}}};
  const Json broken = {{"ok", false}, {"error_code", 502}};
  server_.fail_next("sendMessage", 429, slower);
  server_.fail_next("sendMessage", 502, broken);
  server_.fail_next("getUpdates", 500, broken);
  server_.fail_next("editMessageText", 429, {{"ok", false}, {"parameters", {{"retry_after", 1}}}});
  const std::string job = ask_by_bot();
  EXPECT_EQ(server_.failed_calls("sendMessage").size(), 2u);
  server_.press(kChat, 501, button(server_.calls("sendMessage")[0], 0));
  EXPECT_EQ(ended(job)["state"], "completed");
  ASSERT_TRUE(says(1, "editMessageText"));
  EXPECT_EQ(server_.failed_calls("editMessageText").size(), 1u);
  ASSERT_TRUE(records(1));
  EXPECT_EQ(facts("HookDelivered")[0]["data"]["tries"], 3);
  EXPECT_EQ(server_.calls("sendMessage").size(), 1u) << "reported once";
}

TEST_F(TelegramTest, RepeatedUpdatesChangeNothing) {
  const std::string job = ask_by_bot();
  server_.repeat_updates(true);
  server_.press(kChat, 501, button(server_.calls("sendMessage")[0], 0));
  EXPECT_EQ(ended(job)["state"], "completed");
  const std::size_t polls = server_.calls("getUpdates").size();
  ASSERT_TRUE(says(polls + 3, "getUpdates"));
  server_.repeat_updates(false);
  EXPECT_EQ(events_of(job, "QuestionAnswered").size(), 1u);
  EXPECT_EQ(server_.calls("answerCallbackQuery").size(), 1u);
  // Without its file the bot reads all updates again; the log recognizes repetitions.
  kill_daemon();
  ASSERT_TRUE(wait_until([&] { return bots().empty(); })) << "it ends with the daemon";
  std::filesystem::remove(store() + "/telegram/offset");
  start_daemon();
  ASSERT_TRUE(says(2, "answerCallbackQuery"));
  EXPECT_EQ(events_of(job, "QuestionAnswered").size(), 1u);
}

TEST_F(TelegramTest, KilledBotRestartsWithItsMessages) {
  const std::string job = ask_by_bot();
  std::vector<pid_t> first;
  ASSERT_TRUE(wait_until([&] { return (first = bots()).size() == 1; }));
  ::kill(first[0], SIGKILL);
  ASSERT_TRUE(wait_until([&] {
    const std::vector<pid_t> now = bots();  // one snapshot: a bot may start between two looks
    return now.size() == 1 && now != first;
  }));
  kill_and_start_daemon();
  server_.write(kChat, "staging", 501);
  EXPECT_EQ(ended(job)["state"], "completed");
  EXPECT_EQ(answer(), "staging\n");
  ASSERT_TRUE(says(1, "editMessageText"));
  EXPECT_EQ(server_.calls("sendMessage").size(), 1u) << "nothing was sent again";
}

TEST_F(TelegramTest, HangingBotDelaysOnlyItsSuccessor) {
  configure_bot();
  start_daemon();
  std::vector<pid_t> first;
  ASSERT_TRUE(wait_until([&] { return (first = bots()).size() == 1; }));
  ASSERT_TRUE(says(1, "getUpdates"));
  ::kill(first[0], SIGSTOP);
  configure("[telegram]\ntoken_file = \"" + path("token") + "\"\nchats = [77, 78]\napi = \"" + server_.url() +
            "\"\n");
  EXPECT_EQ(luzia({"daemon", "reload"}).code, 0);
  EXPECT_EQ(luzia({"jobs"}).code, 0);
  EXPECT_EQ(bots(), first) << "the bot is stopped, but the daemon still serves";
  ASSERT_TRUE(wait_until([&] {
    const std::vector<pid_t> now = bots();
    EXPECT_LE(now.size(), 1u);
    return now.size() == 1 && now != first;
  }));
}

TEST_F(TelegramTest, TokenIsNeverVisible) {
  server_.fail_next("sendMessage", 400, {{"ok", false}, {"description", std::string("no ") + kToken}});
  server_.fail_next("getUpdates", 404, {{"ok", false}, {"description", "Not Found"}});
  configure_bot("retries = 0\n");
  ASSERT_TRUE(is_over(dispatch("exit 1")));
  ASSERT_TRUE(records(1));
  EXPECT_EQ(facts("HookDelivered")[0]["data"]["outcome"], "given_up");
  ASSERT_TRUE(says(1, "getUpdates"));
  std::string all = read_text(store() + "/luziad.log") + luzia({"config", "show"}).out +
                    luzia({"hooks", "--json"}).out + luzia({"doctor"}).out;
  for (const Json& event : events({"--since", "0"})) all += event.dump();
  for (const pid_t each : own_processes()) all += read_text("/proc/" + std::to_string(each) + "/cmdline");
  EXPECT_THAT(all, HasSubstr("luzia-telegram"));
  EXPECT_THAT(all, Not(HasSubstr("s3cret")));
}

TEST_F(TelegramTest, TokenReadableByOthersIsRefused) {
  ::chmod(path("token").c_str(), 0644);
  configure_bot("retries = 0\n");
  ASSERT_TRUE(is_over(dispatch("exit 1")));
  ASSERT_TRUE(records(1));
  EXPECT_THAT(facts("HookDelivered")[0]["data"]["detail"].get<std::string>(), HasSubstr("chmod 600"));
  EXPECT_TRUE(server_.calls("getUpdates").empty());
  EXPECT_THAT(luzia({"doctor"}).out, HasSubstr("others may read " + path("token")));
}

TEST_F(TelegramTest, EscalationReachesTheBot) {
  configure_bot(
      "on = [\"job_lost\"]\n[[hooks]]\nname = \"desk\"\non = [\"question_asked\"]\ncommand = "
      "[\"true\"]\nescalate_to = \"telegram\"\nescalate_after = 0.001\n");
  const std::string job = ask("--options a,b --timeout 20m --default a");
  ASSERT_TRUE(says(1));
  server_.press(kChat, 501, button(server_.calls("sendMessage")[0], 1));
  EXPECT_EQ(ended(job)["state"], "completed");
  EXPECT_EQ(answer(), "b\n");
}

TEST_F(TelegramTest, DigestFitsAMessageWithoutMarks) {
  configure_bot("on = []\ndigest = \"07:00\"\n[retry]\nbreaker_failures = 0\n");
  std::string batch;
  for (int i = 0; i < 60; ++i)
    batch += "{\"project\":\"demo\",\"task\":\"printf '\\\\033[31mred'; exit 1 # <b>\"}\n";
  luzia({"dispatch", "--batch", "-", "--wait"}, batch);
  const Finished sent = luzia({"hooks", "test", "telegram", "--digest"});
  EXPECT_EQ(sent.code, 0) << sent.err << sent.out;
  ASSERT_TRUE(says(1));
  const std::string text = server_.calls("sendMessage")[0]["text"];
  EXPECT_LE(text.size(), 4'096U);
  EXPECT_THAT(text, HasSubstr("60 failed"));
  EXPECT_THAT(text, HasSubstr("luzia retry --state failed")) << "the command that goes on is not cut";
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace luzia
