// The state that a bot keeps across restarts: the messages that it sent, and how far it has read updates. It
// is a folder of small files, readable by the bot's user only. Each file is first written completely under
// another name, so a kill leaves the old file or the new one. Several programs may use the folder at once:
// each file has one writer.
#pragma once

#include <map>
#include <utility>

#include "adapters/notify/telegram_messages.h"

namespace luzia {

class TelegramStore {
 public:
  /// Messages kept at least. The oldest that are closed or ask nothing are removed first.
  static constexpr std::size_t kKept = 1'000;

  explicit TelegramStore(std::string folder) : folder_(std::move(folder)) {}

  /// Creates the folder. `telegram_state` (trouble), like all errors here.
  Status open() const;
  const std::string& folder() const { return folder_; }

  /// The message for the event at `position` in that chat; nullopt: none is known to have been sent.
  std::optional<TelegramMessage> find(Position position, std::int64_t chat) const;
  Status keep(const TelegramMessage& message) const;
  /// Whether that chat already received the message, from a try that was not recorded or that failed in
  /// another chat. The stored message may be closed and read differently by now: then it was answered
  /// meanwhile. A message at the same position of another history, after a backup was restored, is about
  /// another event.
  bool was_sent(const TelegramMessage& message) const;
  /// All messages, by chat and number. Skips files that are not messages of ours.
  std::map<std::pair<std::int64_t, std::int64_t>, TelegramMessage> all() const;
  /// Removes messages beyond kKept.
  void prune() const;

  /// The next update to request; 0: none was seen yet.
  std::int64_t offset() const;
  Status keep_offset(std::int64_t offset) const;

 private:
  std::string folder_;
};

/// The file format. nullopt if the text is not valid.
std::string stored_message(const TelegramMessage& message);
std::optional<TelegramMessage> parse_stored_message(std::string_view text);

}  // namespace luzia
