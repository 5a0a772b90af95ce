#include "tools/luzia-web/readings.h"

#include <cstdio>
#include <cstdlib>

#include "engine/base/percent_encoding.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "projections/rows/unreadable.h"
#include "tools/cli/common_options.h"
#include "tools/cli/program.h"

namespace luzia::web {
namespace {

constexpr std::uint64_t kMostRows = 1'000;
constexpr const char* kUnnamedError = "failed";  // the command has printed none

/// A stream that collects what is written.
class Collected {
 public:
  Collected() : file_(::open_memstream(&bytes_, &size_)) {}
  ~Collected() {
    if (file_ != nullptr) std::fclose(file_);
    std::free(bytes_);
  }
  Collected(const Collected&) = delete;
  Collected& operator=(const Collected&) = delete;

  FILE* file() const { return file_; }
  std::string text() {
    std::fflush(file_);
    return {bytes_, size_};
  }

 private:
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  FILE* file_;
};

Result<Chosen> no_other(std::vector<std::string> words, std::size_t at) {
  return fail(ErrorKind::usage, "bad_usage", "no such command: " + words[at]);
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
  Program program;
  program.name = "luzia";
  program.common = kCommonOptions;
  const auto args = LUZIA_TRY(Arguments::parse(program, command, words, wall_clock()));
  return options_of(command, args);
}

std::string next_cursor(std::string_view list) {
  // Behind the rows: position and next.
  const std::string_view tail = list.substr(list.rfind(']') == std::string_view::npos ? 0 : list.rfind(']'));
  constexpr std::string_view kKey = "\"next\":\"";
  const std::size_t at = tail.rfind(kKey);
  if (at == std::string_view::npos) return {};
  const std::string_view cursor = tail.substr(at + kKey.size());
  return std::string(cursor.substr(0, cursor.find('"')));
}

std::string next_page(const Request& request, std::string_view cursor) {
  std::string address = request.path + "?cursor=" + percent_encoded(cursor);
  for (const auto& [name, value] : request.query) {
    if (name != "cursor") address += "&" + percent_encoded(name) + "=" + percent_encoded(value);
  }
  return "<" + address + ">; rel=\"next\"";
}

ReadPlace place_at(const DaemonDoor& door, const std::string& device) {
  return {door.socket(),
          [&door, device]() -> Result<std::unique_ptr<Source>> { return LUZIA_TRY(door.source_as(device)); }};
}

Result<std::string> run_command(const ReadPlace& place, const Command& command,
                                const std::vector<std::string>& words) {
  const Command* const commands[] = {&command};
  Program program;
  program.name = "luzia";
  program.commands = commands;
  program.common = kCommonOptions;
  program.choose_other = no_other;
  Collected out, err;
  if (out.file() == nullptr || err.file() == nullptr)
    return fail(ErrorKind::trouble, "no_memory", "reading: no memory left");
  Surroundings surroundings;
  surroundings.arguments = {std::string(command.name), "--json"};
  surroundings.arguments.insert(surroundings.arguments.end(), words.begin(), words.end());
  surroundings.environment = [&place](const char* name) {
    return std::string_view(name) == "LUZIA_SOCKET" ? place.socket.c_str() : nullptr;
  };
  surroundings.now = place.now;
  surroundings.out = out.file();
  surroundings.err = err.file();
  surroundings.source = place.open;
  surroundings.machines = place.machines;
  const int code = run_program(program, surroundings);
  if (code == 0) return out.text();
  const Error error = printed_error(err.text(), code);
  // The rest of the rows is right, and was printed. A list over machines names those that are missing.
  const bool lacks_machines = place.machines && error.code == kUnnamedError && !out.text().empty();
  if (error.code == kTextUnreadable || lacks_machines) return out.text();
  return tl::unexpected(error);
}

Answer read(const ReadPlace& place, const Match& match, const Request& request) {
  auto words = words_of(*match.route->command, request);
  if (!words) return problem(words.error());
  if (!match.route->words.empty()) words->emplace_back(match.route->words);
  for (const auto& [name, value] : match.values) {
    words->emplace_back("--");
    words->push_back(value);
  }
  auto printed = run_command(place, *match.route->command, *words);
  if (!printed) return problem(printed.error());
  Answer answer;
  answer.body = std::move(*printed);
  const std::string cursor = next_cursor(answer.body);
  if (!cursor.empty()) answer.headers.emplace_back("Link", next_page(request, cursor));
  return answer;
}

}  // namespace luzia::web
