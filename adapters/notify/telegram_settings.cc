#include "adapters/notify/telegram_settings.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "engine/base/characters.h"
#include "engine/base/descriptor.h"

namespace luzia {
namespace {

constexpr std::size_t kTokenBytes = 200;

tl::unexpected<Error> no_token(const std::string& what, const std::string& hint) {
  return fail(ErrorKind::usage, "telegram_token", "reading the token of the Telegram bot: " + what, hint);
}

bool is_token(std::string_view text) {
  const std::string number = bot_number(text);
  if (number.empty() || text.size() > kTokenBytes || text.size() < number.size() + 2) return false;
  return std::ranges::all_of(text.substr(number.size() + 1),
                             [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; });
}

Result<std::string> checked(std::string text, const std::string& where) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  if (is_token(text)) return text;
  return no_token(where + (text.empty() ? " is empty" : " holds no token"),
                  "a token is what @BotFather sends: digits, a colon, letters and digits");
}

Result<std::string> read_token_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return fail_errno(errno, "telegram_token", "reading the token of the Telegram bot: " + path);
  struct stat status {};
  const bool is_file = ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  auto text = is_file ? read_up_to(file.get(), kTokenBytes + 8) : std::nullopt;
  if (!text) return no_token(path + " is not a file", "put the token into a file of its own");
  if ((status.st_mode & 077) != 0) return no_token("others may read " + path, "chmod 600 " + path);
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return no_token(path + " belongs to another user", "chown it to the user of the daemon");
  }
  return checked(std::move(*text), path);
}

}  // namespace

std::string settings_text(const TelegramSettings& settings) {
  const nlohmann::json json = {{"api", settings.api},
                               {"token_file", settings.token_file},
                               {"token_variable", settings.token_variable},
                               {"chats", settings.chats},
                               {"socket", settings.socket},
                               {"folder", settings.folder},
                               {"timeout_ms", settings.timeout_ms}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<TelegramSettings> parse_settings(std::string_view text) {
  const auto json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  TelegramSettings settings;
  const auto take = [&json](const char* name, std::string& into) {
    const auto it = json.find(name);
    if (it == json.end() || !it->is_string()) return false;
    into = it->get<std::string>();
    return true;
  };
  const bool strings = take("api", settings.api) && take("token_file", settings.token_file) &&
                       take("token_variable", settings.token_variable) && take("socket", settings.socket) &&
                       take("folder", settings.folder);
  const auto chats = json.find("chats"), timeout = json.find("timeout_ms");
  if (!strings || chats == json.end() || !chats->is_array() || timeout == json.end() ||
      !timeout->is_number_unsigned()) {
    return std::nullopt;
  }
  for (const auto& chat : *chats) {
    if (!chat.is_number_integer()) return std::nullopt;
    settings.chats.push_back(chat.get<std::int64_t>());
  }
  settings.timeout_ms = timeout->get<std::uint64_t>();
  return settings;
}

Result<std::string> read_token(const std::string& token_file, const std::string& token_variable) {
  if (!token_file.empty()) return read_token_file(token_file);
  const char* value = std::getenv(token_variable.c_str());
  if (value == nullptr) {
    return no_token("the variable " + token_variable + " is not set", "set it where the daemon is started");
  }
  return checked(value, "the variable " + token_variable);
}

std::string bot_number(std::string_view token) {
  const std::string_view number = token.substr(0, token.find(':'));
  return std::ranges::all_of(number, is_digit) && number.size() < token.size() ? std::string(number)
                                                                               : std::string();
}

}  // namespace luzia
