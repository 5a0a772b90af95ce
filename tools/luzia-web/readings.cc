#include "tools/luzia-web/readings.h"

#include <cstdio>
#include <utility>

#include "engine/base/percent_encoding.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "tools/cli/common_options.h"
#include "tools/cli/invocation.h"

namespace luzia::web {
namespace {

constexpr std::uint64_t kMostRows = 1'000;
constexpr const char* kUnnamedError = "failed";  // the command has printed none

/// A stream that collects what is written. Commands write large pieces, so it has no buffer of its own.
/// Rejected: open_memstream(), which clears 8 KiB each time.
class Collected {
 public:
  Collected() : file_(::fopencookie(&text_, "w", {nullptr, append, nullptr, nullptr})) {
    if (file_ != nullptr) std::setvbuf(file_, nullptr, _IONBF, 0);
  }
  ~Collected() {
    if (file_ != nullptr) std::fclose(file_);
  }
  Collected(const Collected&) = delete;
  Collected& operator=(const Collected&) = delete;

  FILE* file() const { return file_; }
  /// What was written. The stream is not used afterwards.
  std::string take() { return std::move(text_); }

 private:
  static ssize_t append(void* text, const char* bytes, std::size_t size) noexcept {
    static_cast<std::string*>(text)->append(bytes, size);
    return static_cast<ssize_t>(size);
  }

  std::string text_;
  FILE* file_;
};

/// What the commands believe to be part of.
const Program& reading_program() {
  static const Program kProgram = [] {
    Program program;
    program.name = "luzia";
    program.common = kCommonOptions;
    return program;
  }();
  return kProgram;
}

}  // namespace

Error printed_error(const std::string& text, int code) {
  const auto json = nlohmann::json::parse(
      text.substr(text.find('{') == std::string::npos ? 0 : text.find('{')), nullptr, false);
  Error error{ErrorKind::trouble, kUnnamedError, "the read failed", ""};
  if (code >= static_cast<int>(ErrorKind::usage) && code < static_cast<int>(ErrorKind::trouble))
    error.kind = static_cast<ErrorKind>(code);
  if (!json.is_object() || !json.contains("error") || !json["error"].is_object()) return error;
  const auto word = [&](const char* key) {
    const auto found = json["error"].find(key);
    return found != json["error"].end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  return Error{error.kind, word("code"), word("message"), word("hint")};
}

Result<std::vector<std::string>> words_of(const Command& command, const Request& request) {
  std::vector<std::string> words;
  if (request.query.empty()) return words;
  for (const Field& field : parameters_of(command)) {
    for (const auto& [name, value] : request.query) {
      if (name != field.name) continue;
      const std::string option = "--" + name;
      if (field.kind == FieldKind::flag) {
        if (value == "1" || value == "true" || value.empty()) words.push_back(option);
        continue;
      }
      const auto limit = name == "limit" ? parse_whole_number(value) : std::optional<std::uint64_t>(1);
      if (!limit || *limit == 0 || *limit > kMostRows)
        return fail(ErrorKind::usage, "bad_value", "limit: a number from 1 to " + std::to_string(kMostRows),
                    "read the next page with the address in Link");
      words.push_back(option + "=" + value);
    }
  }
  return words;
}

Result<Options> options_in(const Command& command, const Request& request,
                           const std::vector<std::string>& more) {
  auto words = LUZIA_TRY(words_of(command, request));
  words.insert(words.end(), more.begin(), more.end());
  const auto args = LUZIA_TRY(Arguments::parse(reading_program(), command, words, wall_clock()));
  return options_of(command, args);
}

std::string next_cursor(std::string_view list) {
  // Behind the rows: position and next.
  const std::size_t rows_end = list.rfind(']');
  const std::string_view tail = list.substr(rows_end == std::string_view::npos ? 0 : rows_end);
  constexpr std::string_view kKey = "\"next\":\"";
  const std::size_t at = tail.rfind(kKey);
  if (at == std::string_view::npos) return {};
  const std::string_view cursor = tail.substr(at + kKey.size());
  return std::string(cursor.substr(0, cursor.find('"')));
}

std::string next_page(const Request& request, std::string_view cursor) {
  std::string address = percent_encoded(request.path, "/-_.~") + "?cursor=" + percent_encoded(cursor);
  for (const auto& [name, value] : request.query) {
    if (name != "cursor") address += "&" + percent_encoded(name) + "=" + percent_encoded(value);
  }
  return "<" + address + ">; rel=\"next\"";
}

ReadPlace place_at(const DaemonDoor& door, const std::string& device) {
  return {door.socket(),
          [&door, device]() -> Result<std::unique_ptr<Source>> { return LUZIA_TRY(door.source_as(device)); }};
}

Result<ReadCommand> ReadCommand::parse(const Command& command, const std::vector<std::string>& words) {
  std::vector<std::string> all{"--json"};
  all.insert(all.end(), words.begin(), words.end());
  const auto chosen = LUZIA_TRY(narrowed(reading_program(), {&command, std::move(all)}));
  const TimeUs now = wall_clock();
  auto arguments = LUZIA_TRY(Arguments::parse(reading_program(), *chosen.command, chosen.words, now));
  return ReadCommand(*chosen.command, std::move(arguments), now);
}

Result<ReadCommand> ReadCommand::parse(const Match& match, const Request& request) {
  auto words = LUZIA_TRY(words_of(*match.route->command, request));
  if (!match.route->words.empty()) words.emplace_back(match.route->words);
  for (const auto& [name, value] : match.values) {
    words.emplace_back("--");
    words.push_back(value);
  }
  return parse(*match.route->command, words);
}

Result<std::string> ReadCommand::run(const ReadPlace& place) const {
  Collected out, err;
  if (out.file() == nullptr || err.file() == nullptr)
    return fail(ErrorKind::trouble, "no_memory", "reading: no memory left");
  Surroundings surroundings;
  surroundings.environment = [&place](const char* name) {
    return std::string_view(name) == "LUZIA_SOCKET" ? place.socket.c_str() : nullptr;
  };
  surroundings.now = now_;
  surroundings.out = out.file();
  surroundings.err = err.file();
  surroundings.source = place.open;
  surroundings.machines = place.machines;
  Invocation invocation(reading_program(), *command_, arguments_, surroundings);
  const int code = LUZIA_TRY(command_->run(invocation));
  // Rows that have unreadable texts are printed too, and so are those of a list that lacks a machine.
  std::string printed = out.take();
  if (code != 0 && (!place.machines || printed.empty()))
    return fail(ErrorKind::trouble, "failed", "the read failed");
  return printed;
}

Result<std::string> run_command(const ReadPlace& place, const Command& command,
                                const std::vector<std::string>& words) {
  const auto parsed = LUZIA_TRY(ReadCommand::parse(command, words));
  return parsed.run(place);
}

Answer answer_of(Result<std::string> printed, const Request& request) {
  if (!printed) return problem(printed.error());
  Answer answer;
  answer.body = std::move(*printed);
  const std::string cursor = next_cursor(answer.body);
  if (!cursor.empty()) answer.headers.emplace_back("Link", next_page(request, cursor));
  return answer;
}

}  // namespace luzia::web
