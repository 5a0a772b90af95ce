// Replies of the Bot API, possibly forged on the way: no update has an invalid id, only configured chats are
// accepted, and what is kept of a message reads back.
#include <cstdint>

#include "adapters/notify/telegram_answers.h"
#include "adapters/notify/telegram_store.h"
#include "tests/fuzz/fuzz_check.h"

void luzia::fuzz(std::string_view text) {
  TelegramMessage known;
  known.chat = 77;
  known.job = "k1";
  known.request = "q-1";
  known.answers = {"a", "b"};
  const TelegramKnown all{[&known](std::int64_t, std::int64_t) { return &known; }};
  if (const auto updates = parse_updates(text)) {
    for (const TelegramUpdate& update : *updates) {
      require(update.id > 0, "an update has an id");
      const TelegramAction action = act_on(update, {77}, all);
      if (update.chat != 77)
        require(std::holds_alternative<TelegramIgnore>(action), "strangers are not heard");
      if (const auto* reply = std::get_if<TelegramReply>(&action))
        require(reply->question == "q-1" && !reply->answer.empty(), "an answer is one of ours or typed");
    }
  }
  const TelegramAnswer answer = parse_answer(text);
  require(answer.error_code >= 0 && answer.description.size() < 2'000, "a bounded reason");
  if (const auto message = parse_stored_message(text)) {
    const auto again = parse_stored_message(stored_message(*message));
    require(again && stored_message(*again) == stored_message(*message), "what is kept reads back");
    require(!send_body(*message).empty() && !edit_body(*message, std::string(text)).empty(),
            "and can be sent");
  }
  (void)parse_button(text);
}
