#include "adapters/output_log/line_splitter.h"

namespace luzia {
namespace {

std::string_view without_carriage_return(std::string_view text) {
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

void pass_oversized(SplitPosition& position, std::string_view stretch, LineSink& sink) {
  const std::uint64_t end = position.scanned_to + stretch.size();
  if (!stretch.empty()) sink.oversized({stretch, position.scanned_to, end, position.line_no + 1, true});
  position.scanned_to = end;
}

bool begin_oversized(SplitPosition& position, std::string_view text, LineSink& sink) {
  const std::uint64_t kept_end = position.line_start + kMaxKeptLine;
  const bool go_on =
      sink.line({text.substr(0, kMaxKeptLine), position.line_start, kept_end, position.line_no + 1, true});
  position.in_oversized_line = true;
  position.scanned_to = kept_end;
  pass_oversized(position, text.substr(kMaxKeptLine), sink);
  return go_on;
}

/// `text` is the rest of the line before its newline.
bool complete_line(SplitPosition& position, std::string_view text, LineSink& sink) {
  bool go_on = true;
  if (position.in_oversized_line) {
    pass_oversized(position, text, sink);
  } else if (text.size() > kMaxKeptLine) {
    go_on = begin_oversized(position, text, sink);
  } else {
    position.scanned_to = position.line_start + text.size();
    go_on = sink.line(
        {without_carriage_return(text), position.line_start, position.scanned_to + 1, position.line_no + 1});
  }
  position = {position.scanned_to + 1, position.scanned_to + 1, position.line_no + 1, false};
  return go_on;
}

}  // namespace

std::size_t split_lines(SplitPosition& position, std::string_view bytes, LineSink& sink) {
  std::string_view rest = bytes;
  for (std::size_t length = rest.find('\n'); length != std::string_view::npos; length = rest.find('\n')) {
    const std::string_view text = rest.substr(0, length);
    rest.remove_prefix(length + 1);
    if (!complete_line(position, text, sink)) return bytes.size() - rest.size();
  }
  if (position.in_oversized_line) {
    pass_oversized(position, rest, sink);
    return bytes.size();
  }
  if (rest.size() > kMaxKeptLine) {
    static_cast<void>(begin_oversized(position, rest, sink));  // consumes all of `bytes` whatever it returns
    return bytes.size();
  }
  position.scanned_to = position.line_start + rest.size();
  return bytes.size() - rest.size();
}

bool split_last_line(SplitPosition& position, std::string_view bytes, LineSink& sink) {
  if (!position.in_oversized_line) {
    if (bytes.empty()) return false;
    position.scanned_to = position.line_start + bytes.size();
    static_cast<void>(sink.line(
        {without_carriage_return(bytes), position.line_start, position.scanned_to, position.line_no + 1}));
  }
  position = {position.scanned_to, position.scanned_to, position.line_no + 1, false};
  return true;
}

}  // namespace luzia
