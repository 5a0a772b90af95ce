#include "adapters/socket/proxy_greeting.h"

#include <map>

#include "engine/base/characters.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

constexpr std::string_view kGreetingWord = "luzia-proxy";
constexpr std::size_t kMostFieldBytes = 1'200;  // three long ones fit the line

}  // namespace

std::string greeting_line(const ProxyGreeting& greeting) {
  std::string line(kGreetingWord);
  const auto field = [&line](std::string_view key, const std::string& value) {
    line += '\t' + std::string(key) + '=' + without_control_characters(value.substr(0, kMostFieldBytes));
  };
  field("version", greeting.version);
  field("protocol", std::to_string(greeting.protocol));
  field("clock", std::to_string(greeting.clock));
  field("slots", std::to_string(greeting.slots));
  field("load", std::to_string(greeting.load_percent));
  if (const auto& failed = greeting.failed) {
    field("exit", std::to_string(static_cast<int>(failed->kind)));
    field("code", failed->code);
    field("message", failed->message);
    field("hint", failed->hint);
  }
  return line + '\n';
}

std::optional<ProxyGreeting> parse_greeting(std::string_view line) {
  if (!line.starts_with(kGreetingWord)) return std::nullopt;
  std::map<std::string_view, std::string_view> fields;
  std::size_t tab = line.find('\t');
  if (tab != kGreetingWord.size()) return std::nullopt;
  while (tab != line.npos) {
    line.remove_prefix(tab + 1);
    tab = line.find('\t');
    const std::string_view field = line.substr(0, tab);
    const std::size_t equals = field.find('=');
    if (equals == field.npos || has_control_characters(field)) return std::nullopt;
    fields.emplace(field.substr(0, equals), field.substr(equals + 1));
  }
  const auto protocol = parse_whole_number<std::uint32_t>(fields["protocol"]);
  const auto clock = parse_number<TimeUs>(fields["clock"]);
  if (!protocol || !clock || *clock < 0) return std::nullopt;
  ProxyGreeting greeting;
  greeting.version = fields["version"];
  greeting.protocol = *protocol;
  greeting.clock = *clock;
  greeting.slots = parse_whole_number<std::uint32_t>(fields["slots"]).value_or(0);
  greeting.load_percent = parse_whole_number<std::uint32_t>(fields["load"]).value_or(0);
  if (!fields.contains("exit")) return greeting;
  const auto code = parse_whole_number<std::uint8_t>(fields["exit"]);
  if (!code || *code < static_cast<int>(ErrorKind::usage) || *code > static_cast<int>(ErrorKind::trouble)) {
    return std::nullopt;
  }
  greeting.failed = Error{static_cast<ErrorKind>(*code), std::string(fields["code"]),
                          std::string(fields["message"]), std::string(fields["hint"])};
  return greeting;
}

}  // namespace luzia
