// Messages to and from Telegram, and the files that the bot keeps.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "adapters/notify/telegram_answers.h"
#include "adapters/notify/telegram_settings.h"
#include "adapters/notify/telegram_store.h"
#include "tests/scratch.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Notice asking(bool approval = false) {
  Notice notice;
  notice.position = 42;
  notice.job = "k1";
  notice.text = "web: job k1: asks <b>where</b>";
  notice.request = NoticeRequest{approval ? "a-1" : "q-1", approval, {}};
  if (!approval) notice.request->answers = {"staging", "production"};
  return notice;
}

TelegramMessage sent(bool approval = false) {
  TelegramMessage message = telegram_message(asking(approval), 77);
  message.message = 501;
  return message;
}

// ------------------------------------------------------------------------------------------ messages

TEST(TelegramMessages, HaveAButtonForEachAnswer) {
  const Json body = Json::parse(send_body(sent()));
  EXPECT_EQ(body["chat_id"], 77);
  EXPECT_EQ(body["text"], "web: job k1: asks <b>where</b>");
  EXPECT_FALSE(body.contains("parse_mode"));
  const Json& rows = body["reply_markup"]["inline_keyboard"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1][0]["text"], "production");
  EXPECT_EQ(rows[1][0]["callback_data"], "q-1 1");
}

TEST(TelegramMessages, ApprovalHasButtonsTextAsksForAReply) {
  const Json gate = Json::parse(send_body(sent(true)));
  ASSERT_EQ(gate["reply_markup"]["inline_keyboard"][0].size(), 2u);
  TelegramMessage text = sent();
  text.answers.clear();
  EXPECT_EQ(Json::parse(send_body(text))["reply_markup"]["force_reply"], true);
  text.request.clear();
  EXPECT_FALSE(Json::parse(send_body(text)).contains("reply_markup")) << "it asks nothing";
}

TEST(TelegramMessages, LongAndOddTextsFit) {
  Notice notice = asking();
  notice.text.clear();
  for (int i = 0; i < 3000; ++i) notice.text += "é\x1b[31m";
  notice.request->answers = {std::string(500, 'x'), "\xff\xfe"};
  const Json body = Json::parse(send_body(telegram_message(notice, 77)));
  EXPECT_LE(body["text"].get<std::string>().size(), 4'000u);
  EXPECT_EQ(body["text"].get<std::string>().find('\x1b'), std::string::npos);
  EXPECT_LE(body["reply_markup"]["inline_keyboard"][0][0]["text"].get<std::string>().size(), 64u);
  const Json edited = Json::parse(edit_body(telegram_message(notice, 77), std::string(9'000, 'y')));
  EXPECT_LE(edited["text"].get<std::string>().size(), 4'096u);
}

TEST(TelegramMessages, OnlyOurButtonsReadBack) {
  const auto pressed = parse_button(button_data("q-1", 12));
  ASSERT_TRUE(pressed.has_value());
  EXPECT_EQ(pressed->request, "q-1");
  EXPECT_EQ(pressed->index, 12u);
  for (const char* other : {"", "q-1", " 1", "q-1 ", "q-1 x", "q-1 1 2", "q-1 -1"}) {
    EXPECT_FALSE(parse_button(other).has_value()) << other;
  }
}

// ------------------------------------------------------------------------------------------- updates

TEST(TelegramUpdates, RelevantPartsAreRead) {
  const auto updates = parse_updates(R"({"ok":true,"result":[
    {"update_id":5,"message":{"message_id":9,"chat":{"id":-77},"from":{"first_name":"Ann"},"text":"yes",
     "reply_to_message":{"message_id":8}}},
    {"update_id":6,"callback_query":{"id":"c","data":"q-1 0","from":{"id":4711,"username":"ann"},
     "message":{"message_id":8,"chat":{"id":77}}}},
    {"update_id":7,"edited_message":{"text":"no"}},
    {"message":{"text":"without an id"}}, 8, null]})");
  ASSERT_TRUE(updates.has_value());
  ASSERT_EQ(updates->size(), 3u);
  const TelegramUpdate& typed = (*updates)[0];
  EXPECT_EQ(typed.chat, -77);
  EXPECT_EQ(typed.reply_to, 8);
  EXPECT_EQ(typed.from, "Ann");
  EXPECT_EQ(typed.text, "yes");
  const TelegramUpdate& pressed = (*updates)[1];
  EXPECT_EQ(pressed.message, 8);
  EXPECT_EQ(pressed.from, "@ann");
  EXPECT_EQ(telegram_person(pressed), "@ann by Telegram (user 4711)");
  EXPECT_EQ(pressed.data, "q-1 0");
  EXPECT_EQ((*updates)[2].chat, 0);
}

TEST(TelegramUpdates, InvalidReplyIsAnError) {
  for (const char* text : {"", "[]", "{}", "{\"ok\":false,\"result\":[]}", "{\"ok\":true}",
                           "{\"ok\":1,\"result\":[]}", "<html>", "{\"ok\":true,\"result\":{}}"}) {
    EXPECT_FALSE(parse_updates(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_updates(std::string(100'000, '[')).has_value());
}

TEST(TelegramUpdates, ErrorNamesReasonAndDelay) {
  const auto refused = parse_answer(
      R"({"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":7}})");
  EXPECT_FALSE(refused.ok);
  EXPECT_EQ(refused.error_code, 429);
  EXPECT_EQ(refused.retry_after_s, 7u);
  EXPECT_EQ(parse_answer(R"({"ok":true,"result":{"message_id":12}})").message, 12);
  EXPECT_FALSE(parse_answer("nothing").ok);
  EXPECT_EQ(parse_answer(R"({"ok":false,"parameters":{"retry_after":-7}})").retry_after_s, 0u);
}

// ------------------------------------------------------------------------------------------- answers

/// "reply k1 q-1 staging", "approve k1 a-1", "deny k1 a-1", "say ...", "ignore ..."
std::string action(const TelegramUpdate& update, const TelegramMessage& known) {
  const TelegramAction action =
      act_on(update, {77}, {[&known](std::int64_t chat, std::int64_t message) -> const TelegramMessage* {
               return chat == known.chat && message == known.message ? &known : nullptr;
             }});
  if (const auto* reply = std::get_if<TelegramReply>(&action))
    return "reply " + reply->job + " " + reply->question + " " + reply->answer;
  if (const auto* decision = std::get_if<TelegramDecision>(&action))
    return (decision->approve ? "approve " : "deny ") + decision->job + " " + decision->approval;
  if (const auto* word = std::get_if<TelegramSay>(&action)) return "say " + word->text;
  return "ignore " + std::get<TelegramIgnore>(action).why;
}

TelegramUpdate press(const std::string& data, std::int64_t chat = 77, std::int64_t message = 501) {
  TelegramUpdate update;
  update.id = 1;
  update.chat = chat;
  update.message = message;
  update.from = "@ann";
  update.callback = "c";
  update.data = data;
  return update;
}

TelegramUpdate write(const std::string& text, std::int64_t reply_to, std::int64_t chat = 77) {
  TelegramUpdate update = press("", chat, 900);
  update.callback.clear();
  update.text = text;
  update.reply_to = reply_to;
  return update;
}

TEST(TelegramAnswers, ButtonAnswersItsOwnMessage) {
  EXPECT_EQ(action(press("q-1 1"), sent()), "reply k1 q-1 production");
  EXPECT_EQ(action(press("a-1 0"), sent(true)), "approve k1 a-1");
  EXPECT_EQ(action(press("a-1 1"), sent(true)), "deny k1 a-1");
  EXPECT_THAT(action(press("q-2 1"), sent()), HasSubstr("say ")) << "forged";
  EXPECT_THAT(action(press("q-1 2"), sent()), HasSubstr("ignore "));
  EXPECT_THAT(action(press("a-1 2"), sent(true)), HasSubstr("ignore "));
  EXPECT_THAT(action(press("whatever"), sent()), HasSubstr("ignore "));
  EXPECT_THAT(action(press("q-1 1", 77, 400), sent()), HasSubstr("not known here any more"));
}

TEST(TelegramAnswers, TextAnswersTheRepliedMessage) {
  TelegramMessage text = sent();
  text.answers.clear();
  EXPECT_EQ(action(write("to the moon", 501), text), "reply k1 q-1 to the moon");
  EXPECT_EQ(action(write("2", 501), sent()), "reply k1 q-1 2") << "the decision knows numbers and names";
  EXPECT_EQ(action(write(" Yes\n", 501), sent(true)), "approve k1 a-1");
  EXPECT_EQ(action(write("no", 501), sent(true)), "deny k1 a-1");
  EXPECT_THAT(action(write("perhaps", 501), sent(true)), HasSubstr("nothing was decided"));
  EXPECT_THAT(action(write("staging", 0), sent()), HasSubstr("Reply to the message"));
  EXPECT_THAT(action(write("staging", 3), sent()), HasSubstr("not known here any more"));
  EXPECT_THAT(action(write("", 501), sent()), HasSubstr("ignore "));
  text.request.clear();
  EXPECT_THAT(action(write("hm", 501), text), HasSubstr("asks nothing"));
}

TEST(TelegramAnswers, OnlyConfiguredChatsAreAccepted) {
  EXPECT_EQ(action(press("q-1 1", 78), sent()), "ignore chat 78 (@ann) is not among [telegram] chats");
  EXPECT_THAT(action(write("x", 501, -77), sent()), HasSubstr("chat -77"));
  EXPECT_THAT(action(press("q-1 1", 0), sent()), HasSubstr("another kind"));
}

// ---------------------------------------------------------------------------------- stored files

class TelegramFiles : public ScratchTest {
 protected:
  std::string token_file(const std::string& text, mode_t mode) const {
    std::string path = scratch_ + "/token";
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
};

TEST_F(TelegramFiles, ClosedMessagesAreForgottenFirst) {
  const TelegramStore store(scratch_ + "/state");
  ASSERT_TRUE(store.open());
  ASSERT_TRUE(store.open()) << "a second time";
  EXPECT_EQ(store.offset(), 0);
  ASSERT_TRUE(store.keep_offset(1234567890123));
  EXPECT_EQ(store.offset(), 1234567890123);
  EXPECT_FALSE(store.find(42, 77).has_value());
  ASSERT_TRUE(store.keep(sent()));
  const auto found = store.find(42, 77);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(stored_message(*found), stored_message(sent()));
  EXPECT_THAT(found->answers, ElementsAre("staging", "production"));
  std::ofstream(scratch_ + "/state/43.77.message") << "{\"position\":";
  TelegramMessage closed = sent();
  closed.closed = true;
  for (std::size_t i = 0; i < TelegramStore::kKept; ++i) {
    closed.position = 100 + i;
    closed.message = 1000 + static_cast<std::int64_t>(i);
    std::ofstream(scratch_ + "/state/" + std::to_string(closed.position) + ".77.message")
        << stored_message(closed);
  }
  EXPECT_EQ(store.all().size(), TelegramStore::kKept + 1);
  store.prune();
  EXPECT_EQ(store.all().size(), TelegramStore::kKept + 1)
      << "the torn file was removed, the open message stays";
  EXPECT_TRUE(store.find(42, 77).has_value());
}

TEST_F(TelegramFiles, AnsweredMessageIsStillKnown) {
  const TelegramStore store(scratch_ + "/state");
  ASSERT_TRUE(store.open());
  EXPECT_FALSE(store.was_sent(sent()));
  ASSERT_TRUE(store.keep(sent()));
  EXPECT_TRUE(store.was_sent(sent()));
  TelegramMessage answered = sent();
  answered.text = "answered by ann";
  EXPECT_TRUE(store.was_sent(answered)) << "whatever the message says now";
  answered.request.clear();
  answered.answers.clear();
  EXPECT_TRUE(store.was_sent(answered));
  TelegramMessage other = sent();
  other.chat = 78;
  EXPECT_FALSE(store.was_sent(other));
  other = sent();
  other.request = "q-other";
  EXPECT_FALSE(store.was_sent(other)) << "of another history";
  other = answered;
  other.job = "0another00000";
  EXPECT_FALSE(store.was_sent(other));
  TelegramMessage alert;
  alert.position = 50;
  alert.chat = 77;
  alert.text = "the disk is full";
  ASSERT_TRUE(store.keep(alert));
  EXPECT_TRUE(store.was_sent(alert));
  alert.text = "the queue is paused";
  EXPECT_FALSE(store.was_sent(alert));
}

TEST_F(TelegramFiles, TokenFileMustBePrivate) {
  EXPECT_EQ(read_token(token_file("12:AA_b-c\n", 0600), ""), "12:AA_b-c");
  for (const char* wrong : {"", "token", "12:", ":AA", "12:A A", "x2:AA", "12:AA\n12:BB"}) {
    const auto token = read_token(token_file(wrong, 0600), "");
    ASSERT_FALSE(token.has_value()) << wrong;
    EXPECT_EQ(token.error().code, "telegram_token");
    EXPECT_THAT(token.error().message, Not(HasSubstr(":AA"))) << "never the token";
  }
  for (const mode_t open : {0640, 0604, 0644}) {
    const auto token = read_token(token_file("12:AA", open), "");
    ASSERT_FALSE(token.has_value());
    EXPECT_THAT(token.error().hint, HasSubstr("chmod 600"));
  }
  EXPECT_FALSE(read_token(scratch_ + "/none", "").has_value());
  EXPECT_FALSE(read_token(scratch_, "").has_value()) << "a folder";
  EXPECT_FALSE(read_token("", "LUZIA_TEST_NO_SUCH_TOKEN").has_value());
  EXPECT_EQ(bot_number("12:AA"), "12");
}

TEST(TelegramSettingsText, ReadsBack) {
  const TelegramSettings settings{"https://x", "/t", "", {77, -100}, "/s", "/f", 1'000};
  EXPECT_EQ(parse_settings(settings_text(settings)), settings);
  for (const char* wrong : {"", "{}", "[]", "{\"api\":1}"}) EXPECT_FALSE(parse_settings(wrong).has_value());
}

}  // namespace
}  // namespace luzia
