#include "adapters/notify/telegram_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/descriptor.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kFileBytes = 1 << 20;
constexpr char kMessageEnding[] = ".message";

std::string message_name(Position position, std::int64_t chat) {
  return std::to_string(position) + "." + std::to_string(chat) + kMessageEnding;
}

std::optional<std::string> read_small(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(kFileBytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

Status write_whole(const std::string& folder, const std::string& name, std::string_view text) {
  const std::string path = folder + "/" + name;
  const std::string part = path + ".part";
  const Descriptor file(::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file && write_fully(file.get(), text) && ::fsync(file.get()) == 0 &&
      ::rename(part.c_str(), path.c_str()) == 0) {
    return {};
  }
  const int error = errno;
  if (file) ::unlink(part.c_str());
  return fail_errno(error, "telegram_state", "writing " + path);
}

bool is_message(const fs::path& path) {
  return path.extension() == kMessageEnding;
}

}  // namespace

std::string stored_message(const TelegramMessage& message) {
  const Json json = {
      {"position", message.position}, {"chat", message.chat},       {"message", message.message},
      {"job", message.job},           {"request", message.request}, {"approval", message.approval},
      {"answers", message.answers},   {"text", message.text},       {"closed", message.closed}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<TelegramMessage> parse_stored_message(std::string_view text) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  const auto is = [&json](const char* name, auto test) {
    const auto it = json.find(name);
    return it != json.end() && test(*it);
  };
  const auto whole = [](const Json& value) { return value.is_number_integer(); };
  const auto string = [](const Json& value) { return value.is_string(); };
  const auto boolean = [](const Json& value) { return value.is_boolean(); };
  const auto strings = [](const Json& value) {
    return value.is_array() && std::ranges::all_of(value, [](const Json& each) { return each.is_string(); });
  };
  const bool sound = json.is_object() && is("position", whole) && is("chat", whole) && is("message", whole) &&
                     is("job", string) && is("request", string) && is("approval", boolean) &&
                     is("answers", strings) && is("text", string) && is("closed", boolean);
  if (!sound) return std::nullopt;
  TelegramMessage message;
  message.position = json["position"].get<Position>();
  message.chat = json["chat"].get<std::int64_t>();
  message.message = json["message"].get<std::int64_t>();
  message.job = json["job"].get<std::string>();
  message.request = json["request"].get<std::string>();
  message.approval = json["approval"].get<bool>();
  message.answers = json["answers"].get<std::vector<std::string>>();
  message.text = json["text"].get<std::string>();
  message.closed = json["closed"].get<bool>();
  return message;
}

Status TelegramStore::open() const {
  if (::mkdir(folder_.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return fail_errno(errno, "telegram_state", "making " + folder_);
}

std::optional<TelegramMessage> TelegramStore::find(Position position, std::int64_t chat) const {
  const auto text = read_small(folder_ + "/" + message_name(position, chat));
  return text ? parse_stored_message(*text) : std::nullopt;
}

Status TelegramStore::keep(const TelegramMessage& message) const {
  return write_whole(folder_, message_name(message.position, message.chat), stored_message(message));
}

bool TelegramStore::was_sent(const TelegramMessage& message) const {
  const auto sent = find(message.position, message.chat);
  if (!sent || sent->job != message.job) return false;
  if (!message.request.empty()) return sent->request == message.request;
  // A message without a job and a prompt can be recognized only by its text.
  return !sent->job.empty() || !sent->request.empty() || sent->text == message.text;
}

std::map<std::pair<std::int64_t, std::int64_t>, TelegramMessage> TelegramStore::all() const {
  std::map<std::pair<std::int64_t, std::int64_t>, TelegramMessage> messages;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    if (!is_message(entry.path())) continue;
    const auto text = read_small(entry.path());
    auto message = text ? parse_stored_message(*text) : std::nullopt;
    if (!message) continue;
    const auto key = std::pair(message->chat, message->message);
    messages.insert_or_assign(key, std::move(*message));
  }
  return messages;
}

void TelegramStore::prune() const {
  std::vector<std::pair<Position, fs::path>> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    if (!is_message(entry.path())) continue;
    const auto position = leading_number<Position>(entry.path().filename().string());
    files.emplace_back(position.value_or(0), entry.path());
  }
  if (files.size() <= kKept) return;
  std::ranges::sort(files);
  for (std::size_t i = 0; i + kKept < files.size(); ++i) {
    const auto text = read_small(files[i].second);
    const auto message = text ? parse_stored_message(*text) : std::nullopt;
    const bool is_open = message && !message->closed && !message->request.empty();
    if (!is_open) fs::remove(files[i].second, error);
  }
}

std::int64_t TelegramStore::offset() const {
  const auto text = read_small(folder_ + "/offset");
  return text ? leading_number<std::int64_t>(*text).value_or(0) : 0;
}

Status TelegramStore::keep_offset(std::int64_t offset) const {
  return write_whole(folder_, "offset", std::to_string(offset) + "\n");
}

}  // namespace luzia
