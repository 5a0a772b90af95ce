#include "adapters/notify/telegram.h"

#include "adapters/notify/telegram_store.h"

namespace luzia {
namespace {

/// luzia-telegram stops by itself after the timeout of a call; it makes one call per chat.
constexpr std::uint64_t kBotPatienceMs = 2'000;

}  // namespace

Delivery send_by_telegram(const Telegram& telegram, const Notice& notice, const std::stop_token& stop) {
  HookCommand sender = telegram.sender;
  sender.command.emplace_back("send");
  const std::uint64_t calls = std::max<std::size_t>(1, telegram.settings.chats.size());
  sender.timeout_ms = telegram.settings.timeout_ms * calls + kBotPatienceMs;
  const std::string input =
      settings_text(telegram.settings) + "\n" + stored_message(telegram_message(notice, 0));
  return delivery_with_words(run_command(sender, input, stop));
}

}  // namespace luzia
