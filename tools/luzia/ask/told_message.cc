#include "tools/luzia/ask/told_message.h"

#include <algorithm>

#include "engine/base/try.h"
#include "engine/base/utf8.h"
#include "engine/base/whole_number.h"
#include "engine/job/told.h"
#include "tools/luzia/text_file.h"

namespace luzia {
namespace {

constexpr std::size_t kMostQuotedLines = 30;  // lines of one comment

Result<std::string> read_plain_text(const std::string& path) {
  auto text = LUZIA_TRY(read_text(path));
  if (text.find('\0') == std::string::npos && bounded_utf8(text, text.size()) == text) return text;
  return fail(ErrorKind::usage, "not_text", path + " is not text in UTF-8",
              "name the file in the message instead: the agent may read it");
}

std::vector<std::string_view> text_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void quote_lines(const std::vector<std::string_view>& lines, std::size_t first, std::size_t last,
                 std::string& text) {
  for (std::size_t i = first; i < last; ++i) text.append("> ").append(lines[i]).append("\n");
}

/// "3" or "3-7", from 1.
bool parse_lines(std::string_view words, LineComment& comment) {
  const std::size_t dash = words.find('-');
  const auto first = parse_whole_number<std::size_t>(words.substr(0, dash));
  const auto last =
      dash == std::string_view::npos ? first : parse_whole_number<std::size_t>(words.substr(dash + 1));
  if (!first || !last || *first == 0 || *last < *first) return false;
  comment.first = *first;
  comment.last = *last;
  return true;
}

Status add_comment(const LineComment& comment, std::string& text) {
  const std::string content = LUZIA_TRY(read_plain_text(comment.file));
  const auto lines = text_lines(content);
  if (comment.last > lines.size()) {
    return fail(ErrorKind::usage, "bad_comment",
                comment.file + " has no line " + std::to_string(comment.last) + ": it has " +
                    std::to_string(lines.size()));
  }
  const bool one = comment.first == comment.last;
  text.append(comment.file).append(one ? ", line " : ", lines ").append(std::to_string(comment.first));
  text.append(one ? "" : " to " + std::to_string(comment.last)).append(":\n");
  const std::size_t count = comment.last - comment.first + 1, shown = std::min(count, kMostQuotedLines);
  quote_lines(lines, comment.first - 1, comment.first - 1 + shown, text);
  if (shown < count) text.append("> (" + std::to_string(count - shown) + " more lines)\n");
  text.append("\n").append(comment.text).append("\n");
  return {};
}

}  // namespace

Result<LineComment> parse_comment(const std::string& word) {
  for (std::size_t at = word.find(':'); at != std::string::npos; at = word.find(':', at + 1)) {
    const std::size_t end = word.find(':', at + 1);
    if (end == std::string::npos) break;
    LineComment comment{word.substr(0, at), 0, 0, word.substr(end + 1)};
    const bool says = comment.text.find_first_not_of(" \t\r\n") != std::string::npos;
    if (at > 0 && says && parse_lines(std::string_view(word).substr(at + 1, end - at - 1), comment))
      return comment;
  }
  return fail(ErrorKind::usage, "bad_comment", "'" + word + "' is no comment on a line of a file",
              "write FILE:LINE:TEXT or FILE:FIRST-LAST:TEXT");
}

Result<ToldMessage> compose_message(const std::string& words, const std::vector<std::string>& files,
                                    const std::vector<std::string>& comments) {
  ToldMessage message;
  const auto begin_part = [&message] {
    if (!message.text.empty()) message.text += message.text.ends_with('\n') ? "\n" : "\n\n";
  };
  const auto note_file = [&message](const std::string& name) {
    if (std::ranges::find(message.files, name) == message.files.end()) message.files.push_back(name);
  };
  if (words.find_first_not_of(" \t\r\n") != std::string::npos) message.text = words;
  for (const std::string& word : comments) {
    const LineComment comment = LUZIA_TRY(parse_comment(word));
    begin_part();
    LUZIA_TRY(add_comment(comment, message.text));
    note_file(comment.file);
  }
  for (const std::string& file : files) {
    const std::string content = LUZIA_TRY(read_plain_text(file));
    const auto lines = text_lines(content);
    begin_part();
    message.text.append("File ").append(file).append(":\n");
    quote_lines(lines, 0, lines.size(), message.text);
    note_file(file);
  }
  if (message.text.empty()) {
    return fail(ErrorKind::usage, "no_message", "the message is empty",
                "luzia tell JOB TEXT, or --file FILE, or --comment FILE:LINE:TEXT");
  }
  if (message.text.size() <= kMostToldBytes) return message;
  return fail(
      ErrorKind::usage, "message_too_long",
      "the message has " + std::to_string(message.text.size()) + " bytes with its files; the limit is 64 KiB",
      "name the files in the message instead: the agent may read them");
}

}  // namespace luzia
