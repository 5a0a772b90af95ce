#include "tools/luziad/queries/word_scan.h"

#include <algorithm>
#include <cstring>

#include "engine/base/try.h"

namespace luzia {
namespace {

constexpr std::size_t kPieceOfScan = 256 << 10;  // fits the processor's cache
constexpr std::size_t kFirstRead = 8 << 10;
// RE2 can take time in proportion to the text times the expression's program. These two bound what one piece
// costs: the slowest expressions that were found need a second.
constexpr std::size_t kPieceOfExpression = 16 << 10;
constexpr std::int64_t kMostMemoryOfExpression = 256 << 10;
// Shorter texts are in too many lines.
constexpr std::size_t kLeastNeeded = 3;
// A longer line is searched in parts.
constexpr std::size_t kLongLine = 4 << 10;
constexpr std::size_t kQuotedBefore = 120, kQuotedBehind = 240;

/// Matches exactly these bytes, but letters in both cases.
std::string expression_of(std::string_view words) {
  static constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string expression = "(?i)";
  for (const char each : words) {
    const auto byte = static_cast<unsigned char>(each);
    expression += {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
  }
  return expression;
}

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

/// Without what is left of characters that were cut at the end.
std::string_view whole_characters(std::string_view text) {
  std::size_t last = text.size();
  while (last > 0 && text.size() - last < 3 && continues_character(text[last - 1])) --last;
  if (last == 0 || static_cast<unsigned char>(text[last - 1]) < 0xc0) return text;
  const auto lead = static_cast<unsigned char>(text[last - 1]);
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return text.size() - (last - 1) < length ? text.substr(0, last - 1) : text;
}

/// Expressions come from anybody who may read the output.
Result<std::unique_ptr<re2::RE2>> compiled(std::string_view expression) {
  re2::RE2::Options options;
  options.set_case_sensitive(false);
  options.set_never_nl(true);
  options.set_log_errors(false);
  options.set_max_mem(kMostMemoryOfExpression);
  const std::string lines = "(?m)";
  auto made = std::make_unique<re2::RE2>(lines + std::string(expression), options);
  if (made->ok()) return made;
  std::string why = made->error();
  if (const std::size_t at = why.find(lines); at != std::string::npos) why.erase(at, lines.size());
  return fail(ErrorKind::usage, "bad_pattern", "the expression cannot be used: " + why);
}

/// Whether it has no letters but those of ASCII, for whose cases RE2 and Vectorscan have the same rule.
bool is_plain(std::string_view expression) {
  constexpr std::string_view kNamesLetters = "xpPC01234567";
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (static_cast<unsigned char>(expression[i]) >= 0x80) return false;
    if (expression[i] != '\\' || ++i == expression.size()) continue;
    if (kNamesLetters.find(expression[i]) != std::string_view::npos) return false;
  }
  return true;
}

/// For RE2 these are a k and an s, too.
constexpr const char* kOtherLetters[] = {"\u212a", "\u017f"};

/// The longest part of a text, in lower case, whose letters have two cases also for RE2.
std::string_view part_with_two_cases(std::string_view text) {
  std::string_view longest;
  while (!text.empty()) {
    const auto has_more = [](char each) {
      return each == 'k' || each == 's' || each == '\n' || static_cast<unsigned char>(each) >= 0x80;
    };
    const auto size = static_cast<std::size_t>(std::ranges::find_if(text, has_more) - text.begin());
    if (size > longest.size()) longest = text.substr(0, size);
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return longest;
}

}  // namespace

/// Bytes of the output, from byte `at` of it on. Words that begin in [begin, end) count.
struct WordScan::Piece {
  std::uint64_t at = 0;
  std::string_view text;
  std::size_t begin = 0, end = 0;
};

WordScan::WordScan(std::string_view words, std::unique_ptr<re2::RE2> expression)
    : words_(words),
      length_(expression ? 1 : words.size()),
      expression_(std::move(expression)),
      buffer_(kPieceOfScan + length_, '\0') {
  if (!expression_) {
    literal_.emplace(words_);
  } else if (is_plain(words)) {
    learn_what_is_needed();
  }
}

void WordScan::learn_what_is_needed() {
  auto filter = std::make_unique<re2::FilteredRE2>(static_cast<int>(kLeastNeeded));
  int id = 0;
  if (filter->Add(expression_->pattern(), expression_->options(), &id) != re2::RE2::NoError) return;
  std::vector<std::string> needed;
  filter->Compile(&needed);
  std::vector<int> all, possible;
  for (std::size_t i = 0; i < needed.size(); ++i) all.push_back(static_cast<int>(i));
  filter->AllPotentials({}, &possible);
  if (needed.empty() || !possible.empty()) return;
  std::string_view longest;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    std::vector<int> others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    possible.clear();
    filter->AllPotentials(others, &possible);
    if (!possible.empty()) continue;
    const std::string_view part = part_with_two_cases(needed[i]);
    if (part.size() > longest.size()) longest = part;
  }
  if (longest.size() >= kLeastNeeded) {
    literal_.emplace(longest);
    return;
  }
  filter_ = std::move(filter);
  find_texts_of(std::move(needed));
}

/// Without them, all lines are matched.
void WordScan::find_texts_of(std::vector<std::string> needed) {
  needed_ = needed.size();
  needed.insert(needed.end(), std::begin(kOtherLetters), std::end(kOtherLetters));
  for (std::string& text : needed) text = expression_of(text);
  auto database = ExpressionDatabase::open(needed, {});
  if (!database || !(*database)->refusals().empty()) return;
  texts_ = std::move(*database);
  scratch_ = texts_->new_scratch();
}

Result<WordScan> WordScan::of(std::string_view words, bool expression) {
  if (words.empty() || words.size() > kMostWords || words.find('\n') != std::string_view::npos) {
    return fail(ErrorKind::usage, "bad_words",
                "the words to find must be one line of 1 to " + std::to_string(kMostWords) + " bytes",
                "search for a part of them");
  }
  return WordScan(words, expression ? LUZIA_TRY(compiled(words)) : nullptr);
}

/// Up to so many bytes of the output, fewer only at its end. Valid until the next call.
Result<std::string_view> WordScan::text_at(const Read& read, std::uint64_t at, std::size_t wanted) {
  const bool is_there =
      at >= buffered_at_ && at - buffered_at_ <= buffered_ && buffered_ - (at - buffered_at_) >= wanted;
  if (!is_there) {
    const std::size_t size = std::clamp(next_read_, wanted, buffer_.size());
    buffered_ = 0;
    buffered_ = LUZIA_TRY(read(at, std::span(buffer_).first(size)));
    buffered_at_ = at;
    next_read_ = std::min(4 * next_read_, kPieceOfScan);
  }
  return std::string_view(buffer_)
      .substr(0, buffered_)
      .substr(static_cast<std::size_t>(at - buffered_at_), wanted);
}

/// Sets the lines of a piece that have the words, at most `most`. Returns up to where the piece was searched,
/// which is not its end if it is slow.
std::size_t WordScan::lines_in(const Piece& piece, std::size_t most) {
  places_.clear();
  if (expression_ && literal_) return literal_in(piece, most);
  const std::string_view text = piece.text.substr(0, piece.end);
  if (!expression_) {
    words_in(piece, most);
  } else if (!texts_) {
    match_in(piece, text, {piece.begin, text.size()}, most);
  } else {
    find_likely_lines(text, piece.begin);
    for (const Line& line : likely_) match_in(piece, text, line, most);
  }
  return piece.end;
}

void WordScan::words_in(const Piece& piece, std::size_t most) {
  const std::string_view text = piece.text.substr(0, piece.end + length_ - 1);
  std::size_t at = piece.begin;
  while (places_.size() < most && (at = literal_->find(text, at)) != std::string_view::npos) {
    const std::size_t begin = at;
    at = std::min(text.substr(begin, kLongLine).find('\n'), std::min(kLongLine, text.size() - begin)) + begin;
    places_.push_back({piece.at + begin, piece.at + at});
  }
}

/// Matches an expression where the text is that each match has.
std::size_t WordScan::literal_in(const Piece& piece, std::size_t most) {
  const std::string_view text = piece.text.substr(0, piece.end);
  std::size_t at = piece.begin, matched = 0;
  for (std::size_t hit = at; places_.size() < most; hit = at) {
    hit = literal_->find(text, hit);
    if (hit == std::string_view::npos) break;
    const void* before = memrchr(text.data() + at, '\n', hit - at);
    if (before != nullptr) at = static_cast<std::size_t>(static_cast<const char*>(before) - text.data()) + 1;
    // Of a very long line, what is around the hit.
    at = std::max(at, hit - std::min(hit, kPieceOfExpression / 2));
    const std::size_t most_of_line = std::min(text.size(), at + kPieceOfExpression) - at;
    const std::size_t feed = text.substr(at, most_of_line).find('\n', hit - at);
    const std::size_t end = at + std::min(feed, most_of_line);
    matched += end - at;
    at = std::max(end, match_in(piece, text, {at, end}, most));
    if (matched >= kPieceOfExpression && at < text.size()) return at;
  }
  return piece.end;
}

/// Sets the lines from `begin` on that have a text which a match needs; none if all these lack another one.
void WordScan::find_likely_lines(std::string_view text, std::size_t begin) {
  likely_.clear();
  std::vector<bool> seen;
  std::size_t line_end = begin;
  auto report = [&](unsigned which, std::size_t end) {
    seen.resize(needed_ + std::size(kOtherLetters));
    seen[which] = true;
    end += begin;
    if (end <= line_end) return true;
    const void* feed = memrchr(text.data() + begin, '\n', end - 1 - begin);
    const auto line =
        feed == nullptr ? begin : static_cast<std::size_t>(static_cast<const char*>(feed) - text.data()) + 1;
    line_end = std::min(text.find('\n', end), text.size());
    likely_.push_back({line, line_end});
    return true;
  };
  texts_->scan(text.substr(begin), scratch_.get(), report);
  std::vector<int> needed, possible;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) continue;
    if (i >= needed_) return;
    needed.push_back(static_cast<int>(i));
  }
  if (!needed.empty()) filter_->AllPotentials(needed, &possible);
  if (possible.empty()) likely_.clear();
}

/// Adds the places of matches in these bytes. Returns where the last one's line ends, else 0.
std::size_t WordScan::match_in(const Piece& piece, std::string_view text, Line line, std::size_t most) {
  std::size_t at = line.begin, line_end = 0;
  re2::StringPiece match;
  while (at < line.end && places_.size() < most &&
         expression_->Match(re2::StringPiece(text.data(), text.size()), at, line.end, re2::RE2::UNANCHORED,
                            &match, 1)) {
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    if (begin >= line.end) break;  // nothing, behind the last line
    const std::size_t most_of_line = std::min(kLongLine, text.size() - begin);
    const std::size_t feed = text.substr(begin, most_of_line).find('\n');
    line_end = begin + std::min(feed, most_of_line);
    places_.push_back({piece.at + begin, piece.at + line_end});
    at = line_end + (feed == std::string_view::npos ? 0 : 1);
  }
  return line_end;
}

Status WordScan::forward(const Read& read, const WordQuery& query, std::uint64_t size, WordsFound& found,
                         const std::function<bool()>& go_on) {
  while (true) {
    const std::uint64_t left = size - std::min(size, found.reached);
    // Where much has to be matched, a piece is a part of what was read.
    const std::uint64_t behind = found.reached - buffered_at_;
    const std::size_t rest = behind < buffered_ ? buffered_ - static_cast<std::size_t>(behind) : 0;
    const std::size_t most_bytes = !literal_                    ? kPieceOfExpression
                                   : rest >= kPieceOfExpression ? rest
                                                                : next_read_;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, most_bytes));
    const std::string_view text = LUZIA_TRY(text_at(read, found.reached, wanted));
    const std::size_t got = text.size();
    const bool last = got < wanted || got == left;
    // Pieces end with a line, so that none is counted twice.
    const std::size_t feed = text.rfind('\n');
    const bool ends = feed != std::string_view::npos && got - feed <= kLongLine;
    const std::size_t end = last || got < length_ ? got : ends ? feed + 1 : got - (length_ - 1);
    const std::size_t most = query.limit == 0 ? ~std::size_t{0} : query.limit - found.lines.size();
    const std::size_t searched = lines_in({found.reached, text, 0, end}, most);
    found.count += places_.size();
    if (query.limit != 0) {
      for (const Place& place : places_) found.lines.push_back(LUZIA_TRY(quoted(read, size, place)));
    }
    if (query.limit != 0 && found.lines.size() >= query.limit) {
      // An expression may match nothing: behind its line, not at the end of it.
      const bool is_behind = expression_ && found.lines.back().end < found.reached + end;
      found.reached = found.lines.back().end + (is_behind ? 1 : 0);
      return {};
    }
    // An end may have the beginning of words, if the file grows.
    found.over = last && searched == end;
    found.reached += found.over ? end - std::min(end, length_ - 1) : searched;
    if (found.over || !go_on()) return {};
  }
}

Status WordScan::backward(const Read& read, const WordQuery& query, std::uint64_t size, WordsFound& found,
                          const std::function<bool()>& go_on) {
  while (true) {
    const std::size_t most_bytes = expression_ ? kPieceOfExpression : kPieceOfScan;
    const std::uint64_t at = found.reached > most_bytes ? found.reached - most_bytes : 0;
    const auto end = static_cast<std::size_t>(found.reached - at);
    // Words that begin before `reached` may end behind it.
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size - at, end + length_ - 1));
    const std::string_view text = LUZIA_TRY(text_at(read, at, wanted));
    const std::size_t got = text.size();
    const std::size_t feed = at == 0 ? std::string_view::npos : text.find('\n');
    const std::size_t begin = feed < std::min(end, kLongLine) ? feed + 1 : 0;
    places_.clear();
    if (got > begin) lines_in({at, text, begin, std::min(end, got)}, ~std::size_t{0});
    found.reached = at + begin;
    found.over = found.reached == 0;
    for (auto place = places_.rbegin(); place != places_.rend(); ++place) {
      ++found.count;
      if (query.limit == 0) continue;
      found.lines.push_back(LUZIA_TRY(quoted(read, size, *place)));
      if (found.lines.size() < query.limit) continue;
      found.reached = place->offset;
      found.over = false;
      return {};
    }
    if (found.over || !go_on()) return {};
  }
}

/// The line, with its text. Mostly that is in the buffer.
Result<WordLine> WordScan::quoted(const Read& read, std::uint64_t size, Place place) {
  const std::uint64_t from = place.offset - std::min<std::uint64_t>(place.offset, kQuotedBefore);
  const std::uint64_t to = std::min<std::uint64_t>(size, place.offset + length_ + kQuotedBehind);
  std::string_view bytes;
  if (from >= buffered_at_ && to <= buffered_at_ + buffered_) {
    bytes = std::string_view(buffer_).substr(static_cast<std::size_t>(from - buffered_at_),
                                             static_cast<std::size_t>(to - from));
  } else {
    read_for_quote_.resize(static_cast<std::size_t>(to - from));
    const std::size_t got = LUZIA_TRY(read(from, std::span(read_for_quote_)));
    bytes = std::string_view(read_for_quote_).substr(0, got);
  }
  const auto words = std::min(static_cast<std::size_t>(place.offset - from), bytes.size());
  bytes = bytes.substr(0, bytes.find('\n', words));
  const std::size_t before = words == 0 ? std::string::npos : bytes.rfind('\n', words - 1);
  std::size_t begin = before == std::string::npos ? 0 : before + 1;
  while (begin < words && before == std::string::npos && from > 0 && continues_character(bytes[begin]))
    ++begin;
  bytes.remove_prefix(std::min(begin, bytes.size()));
  return WordLine{place.offset, place.end, from + begin, std::string(whole_characters(bytes))};
}

Result<WordsFound> WordScan::find(const Read& read, const WordQuery& query, std::uint64_t size,
                                  const std::function<bool()>& go_on) {
  buffered_ = 0;
  next_read_ = query.backward ? 0 : kFirstRead;
  // Words that begin before `until` may end behind it: it is the past's end of a file that has grown.
  if (query.until != 0) size = std::min(size, query.until);
  WordsFound found;
  found.reached = std::min(query.from, query.backward ? size : ~std::uint64_t{0});
  LUZIA_TRY(query.backward ? backward(read, query, size, found, go_on)
                           : forward(read, query, size, found, go_on));
  return found;
}

}  // namespace luzia
