#include "adapters/notify/telegram.h"

#include "adapters/notify/post_request.h"
#include "adapters/notify/telegram_store.h"
#include "engine/base/whole_number.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

/// luzia-telegram stops by itself after the timeout of a call; it makes one call per chat.
constexpr std::uint64_t kBotPatienceMs = 2'000;

std::uint64_t asked_pause_ms(std::string_view said) {
  constexpr std::string_view kWord = "\nretry_after ";
  const std::size_t at = said.find(kWord);
  if (at == std::string_view::npos) return 0;
  const auto seconds = leading_number<std::uint64_t>(said.substr(at + kWord.size()));
  return std::min<std::uint64_t>(seconds.value_or(0), 1'000'000) * 1'000;
}

}  // namespace

Delivery send_by_telegram(const Telegram& telegram, const Notice& notice, const std::stop_token& stop) {
  HookCommand sender = telegram.sender;
  sender.command.emplace_back("send");
  const std::uint64_t calls = std::max<std::size_t>(1, telegram.settings.chats.size());
  sender.timeout_ms = telegram.settings.timeout_ms * calls + kBotPatienceMs;
  const std::string input =
      settings_text(telegram.settings) + "\n" + stored_message(telegram_message(notice, 0));
  const CommandRun run = run_command(sender, input, stop);
  Delivery delivery;
  HookTry& result = delivery.result;
  result.elapsed_ms = run.elapsed_ms;
  result.delivered = run.exit_code == post_request::kDelivered;
  if (result.delivered) return delivery;
  const bool spoke = run.exit_code == post_request::kTryAgain || run.exit_code == post_request::kNever;
  result.final = run.exit_code == post_request::kNever;
  result.detail = spoke ? make_harmless(run.output.substr(0, run.output.find('\n'))) : run.end;
  result.retry_after_ms = asked_pause_ms(run.output);
  return delivery;
}

}  // namespace luzia
