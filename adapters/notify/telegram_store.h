// What a bot must know after a restart: the messages that it has sent, and up to where it has read what
// people said. A folder of small files, each written whole under another name first, so that a kill leaves
// the old one or the new one; of the bot's user alone. Several programs may use it at once: each file has one
// that makes it.
#pragma once

#include <map>
#include <utility>

#include "adapters/notify/telegram_messages.h"

namespace luzia {

class TelegramStore {
 public:
  /// Messages that are kept, at least; the oldest that are closed or ask nothing go first.
  static constexpr std::size_t kKept = 1'000;

  explicit TelegramStore(std::string folder) : folder_(std::move(folder)) {}

  /// Makes the folder. `telegram_state` (trouble), as all errors here.
  Status open() const;
  const std::string& folder() const { return folder_; }

  /// Of the event at `position`, to that chat; nothing: it was not sent, as far as is known.
  std::optional<TelegramMessage> find(Position position, std::int64_t chat) const;
  Status keep(const TelegramMessage& message) const;
  /// Whether that chat was told it, by a try that was not recorded or that failed in another chat. By now it
  /// may ask nothing any more and read otherwise: what was asked then was answered meanwhile. A message of
  /// the same place in another history, after a backup was put back, is about something else.
  bool was_sent(const TelegramMessage& message) const;
  /// All, by chat and number. What is no message of ours is passed over.
  std::map<std::pair<std::int64_t, std::int64_t>, TelegramMessage> all() const;
  /// Takes away what is beyond kKept.
  void prune() const;

  /// The next update to ask for; 0: none was seen yet.
  std::int64_t offset() const;
  Status keep_offset(std::int64_t offset) const;

 private:
  std::string folder_;
};

/// As the files hold it. Nothing for a text that is none.
std::string stored_message(const TelegramMessage& message);
std::optional<TelegramMessage> parse_stored_message(std::string_view text);

}  // namespace luzia
