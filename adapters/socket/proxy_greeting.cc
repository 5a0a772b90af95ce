#include "adapters/socket/proxy_greeting.h"

#include <algorithm>
#include <array>

#include "engine/base/characters.h"
#include "engine/base/whole_number.h"

namespace luzia {
namespace {

constexpr std::string_view kGreetingWord = "luzia-proxy";
constexpr std::size_t kMostFieldBytes = 1'200;  // three long ones fit the line

std::string greeting_field(const std::string& text) {
  return without_control_characters(text.substr(0, kMostFieldBytes));
}

}  // namespace

std::string greeting_line(const ProxyGreeting& greeting) {
  std::string line(kGreetingWord);
  line += '\t' + greeting_field(greeting.version) + '\t' + std::to_string(greeting.protocol) + '\t' +
          std::to_string(greeting.clock);
  if (const auto& failed = greeting.failed) {
    line += '\t' + std::to_string(static_cast<int>(failed->kind)) + '\t' + greeting_field(failed->code) +
            '\t' + greeting_field(failed->message) + '\t' + greeting_field(failed->hint);
  }
  return line + '\n';
}

std::optional<ProxyGreeting> parse_greeting(std::string_view line) {
  constexpr std::size_t kFields = 8, kFieldsOfGood = 4;
  std::array<std::string_view, kFields> fields;
  std::size_t count = 0;
  while (true) {
    if (count == kFields) return std::nullopt;
    const std::size_t tab = line.find('\t');
    fields[count++] = line.substr(0, tab);
    if (tab == line.npos) break;
    line.remove_prefix(tab + 1);
  }
  const auto protocol = parse_whole_number<std::uint32_t>(fields[2]);
  const auto clock = parse_number<TimeUs>(fields[3]);
  const bool is_one = fields[0] == kGreetingWord && (count == kFieldsOfGood || count == kFields);
  if (!is_one || !protocol || !clock || std::ranges::any_of(fields, has_control_characters)) {
    return std::nullopt;
  }
  ProxyGreeting greeting{std::string(fields[1]), *protocol, *clock, {}};
  if (count == kFieldsOfGood) return greeting;
  const auto code = parse_whole_number<std::uint8_t>(fields[4]);
  if (!code || *code < static_cast<int>(ErrorKind::usage) || *code > static_cast<int>(ErrorKind::trouble)) {
    return std::nullopt;
  }
  greeting.failed = Error{static_cast<ErrorKind>(*code), std::string(fields[5]), std::string(fields[6]),
                          std::string(fields[7])};
  return greeting;
}

}  // namespace luzia
