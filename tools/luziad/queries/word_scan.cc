#include "tools/luziad/queries/word_scan.h"

#include <algorithm>
#include <cstring>

#include "engine/base/try.h"

namespace luzia {
namespace {

constexpr std::size_t kPieceOfScan = 256 << 10;  // fits the processor's cache
// RE2 can take time in proportion to the text times the expression's program. These two bound what one piece
// costs: the slowest expressions that were found need a second.
constexpr std::size_t kPieceOfExpression = 16 << 10;
constexpr std::int64_t kMostMemoryOfExpression = 256 << 10;
// Shorter texts are in too many lines.
constexpr int kLeastNeeded = 3;
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

}  // namespace

/// Bytes of the output, from byte `at` of it on. Words that begin in [begin, end) count.
struct WordScan::Piece {
  std::uint64_t at = 0;
  std::string_view text;
  std::size_t begin = 0, end = 0;
};

WordScan::WordScan(std::string_view words, std::unique_ptr<ExpressionDatabase> database)
    : words_(words),
      length_(words.size()),
      piece_bytes_(kPieceOfScan),
      texts_(std::move(database)),
      scratch_(texts_->new_scratch()) {}

WordScan::WordScan(std::string_view words, std::unique_ptr<re2::RE2> expression)
    : words_(words), length_(1), piece_bytes_(kPieceOfExpression), expression_(std::move(expression)) {
  if (!is_plain(words)) return;
  auto filter = std::make_unique<re2::FilteredRE2>(kLeastNeeded);
  int id = 0;
  if (filter->Add(expression_->pattern(), expression_->options(), &id) != re2::RE2::NoError) return;
  std::vector<std::string> needed;
  filter->Compile(&needed);
  std::vector<int> without;
  filter->AllPotentials({}, &without);
  if (needed.empty() || !without.empty()) return;
  needed_ = needed.size();
  needed.insert(needed.end(), std::begin(kOtherLetters), std::end(kOtherLetters));
  for (std::string& text : needed) text = expression_of(text);
  auto database = ExpressionDatabase::open(needed, {});
  if (!database || !(*database)->refusals().empty()) return;
  filter_ = std::move(filter);
  texts_ = std::move(*database);
  scratch_ = texts_->new_scratch();
}

Result<WordScan> WordScan::of(std::string_view words, bool expression) {
  if (words.empty() || words.size() > kMostWords || words.find('\n') != std::string_view::npos) {
    return fail(ErrorKind::usage, "bad_words",
                "the words to find must be one line of 1 to " + std::to_string(kMostWords) + " bytes",
                "search for a part of them");
  }
  if (expression) return WordScan(words, LUZIA_TRY(compiled(words)));
  auto database = ExpressionDatabase::open({expression_of(words)}, {});
  if (!database || !(*database)->refusals().empty()) {
    return fail(ErrorKind::trouble, "cannot_search", "searching output: this processor lacks what it needs",
                "luzia logs JOB | grep finds the words too");
  }
  return WordScan(words, std::move(*database));
}

/// Sets the lines of a piece that have the words, at most `most`.
void WordScan::lines_in(const Piece& piece, std::size_t most) {
  places_.clear();
  if (expression_) return expression_in(piece, most);
  std::size_t line_end = piece.begin;
  const std::size_t last = std::min(piece.text.size(), piece.end + length_ - 1);
  auto report = [&](unsigned, std::size_t end) {
    const std::size_t begin = end - length_;
    if (begin < line_end) return true;
    if (begin >= piece.end) return false;
    const std::size_t most_of_line = std::min(kLongLine, last - begin);
    const void* feed = std::memchr(piece.text.data() + begin, '\n', most_of_line);
    line_end = feed == nullptr ? begin + most_of_line
                               : static_cast<std::size_t>(static_cast<const char*>(feed) - piece.text.data());
    places_.push_back({piece.at + begin, piece.at + line_end});
    return places_.size() < most;
  };
  texts_->scan(piece.text.substr(0, last), scratch_.get(), report);
}

void WordScan::expression_in(const Piece& piece, std::size_t most) {
  const std::string_view text = piece.text.substr(0, piece.end);
  if (!filter_) return match_in(piece, text, {piece.begin, text.size()}, most);
  find_likely_lines(text, piece.begin);
  for (const Line& line : likely_) match_in(piece, text, line, most);
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

void WordScan::match_in(const Piece& piece, std::string_view text, Line line, std::size_t most) {
  std::size_t at = line.begin;
  re2::StringPiece match;
  while (at < line.end && places_.size() < most &&
         expression_->Match(re2::StringPiece(text.data(), text.size()), at, line.end, re2::RE2::UNANCHORED,
                            &match, 1)) {
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    if (begin >= line.end) return;  // nothing, behind the last line
    const std::size_t most_of_line = std::min(kLongLine, text.size() - begin);
    const std::size_t feed = text.substr(begin, most_of_line).find('\n');
    const std::size_t line_end = begin + (feed == std::string_view::npos ? most_of_line : feed);
    places_.push_back({piece.at + begin, piece.at + line_end});
    at = line_end + (feed == std::string_view::npos ? 0 : 1);
  }
}

Status WordScan::forward(const Read& read, const WordQuery& query, std::uint64_t size, WordsFound& found,
                         const std::function<bool()>& go_on) {
  while (true) {
    const std::uint64_t left = size - std::min(size, found.reached);
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, piece_bytes_));
    const std::size_t got = LUZIA_TRY(read(found.reached, std::span(buffer_).first(wanted)));
    const bool last = got < wanted || got == left;
    // Pieces end with a line, so that none is counted twice.
    const std::string_view text = std::string_view(buffer_).substr(0, got);
    const std::size_t feed = text.rfind('\n');
    const bool ends = feed != std::string_view::npos && got - feed <= kLongLine;
    const std::size_t end = last || got < length_ ? got : ends ? feed + 1 : got - (length_ - 1);
    const std::size_t most = query.limit == 0 ? ~std::size_t{0} : query.limit - found.lines.size();
    lines_in({found.reached, text, 0, end}, most);
    found.count += places_.size();
    if (query.limit != 0) {
      for (const Place& place : places_) found.lines.push_back({place.offset, place.end, 0, {}});
    }
    if (query.limit != 0 && found.lines.size() >= query.limit) {
      // An expression may match nothing: behind its line, not at the end of it.
      const bool behind = expression_ && found.lines.back().end < found.reached + end;
      found.reached = found.lines.back().end + (behind ? 1 : 0);
      return {};
    }
    // An end may have the beginning of words, if the file grows.
    found.reached += last ? end - std::min(end, length_ - 1) : end;
    found.over = last;
    if (last || !go_on()) return {};
  }
}

Status WordScan::backward(const Read& read, const WordQuery& query, std::uint64_t size, WordsFound& found,
                          const std::function<bool()>& go_on) {
  while (true) {
    const std::uint64_t at = found.reached > piece_bytes_ ? found.reached - piece_bytes_ : 0;
    const auto end = static_cast<std::size_t>(found.reached - at);
    // Words that begin before `reached` may end behind it.
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size - at, end + length_ - 1));
    const std::size_t got = LUZIA_TRY(read(at, std::span(buffer_).first(wanted)));
    const std::string_view text = std::string_view(buffer_).substr(0, got);
    const std::size_t feed = at == 0 ? std::string_view::npos : text.find('\n');
    const std::size_t begin = feed < std::min(end, kLongLine) ? feed + 1 : 0;
    places_.clear();
    if (got > begin) lines_in({at, text, begin, std::min(end, got)}, ~std::size_t{0});
    found.reached = at + begin;
    found.over = found.reached == 0;
    for (auto place = places_.rbegin(); place != places_.rend(); ++place) {
      ++found.count;
      if (query.limit == 0) continue;
      found.lines.push_back({place->offset, place->end, 0, {}});
      if (found.lines.size() < query.limit) continue;
      found.reached = place->offset;
      found.over = false;
      return {};
    }
    if (found.over || !go_on()) return {};
  }
}

/// Sets the text of a line.
Status WordScan::quote(const Read& read, std::uint64_t size, WordLine& line) const {
  const std::uint64_t from = line.offset - std::min<std::uint64_t>(line.offset, kQuotedBefore);
  const std::uint64_t to = std::min<std::uint64_t>(size, line.offset + length_ + kQuotedBehind);
  std::string bytes(static_cast<std::size_t>(to - from), '\0');
  const std::size_t got = LUZIA_TRY(read(from, std::span(bytes)));
  bytes.resize(got);
  const auto words = std::min(static_cast<std::size_t>(line.offset - from), bytes.size());
  const std::size_t feed = bytes.find('\n', words);
  if (feed != std::string::npos) bytes.resize(feed);
  const std::size_t before = words == 0 ? std::string::npos : bytes.rfind('\n', words - 1);
  std::size_t begin = before == std::string::npos ? 0 : before + 1;
  while (begin < words && before == std::string::npos && from > 0 && continues_character(bytes[begin]))
    ++begin;
  line.text_from = from + begin;
  line.text = whole_characters(std::string_view(bytes).substr(std::min(begin, bytes.size())));
  return {};
}

Result<WordsFound> WordScan::find(const Read& read, const WordQuery& query, std::uint64_t size,
                                  const std::function<bool()>& go_on) {
  buffer_.resize(piece_bytes_ + length_);
  // Words that begin before `until` may end behind it: it is the past's end of a file that has grown.
  if (query.until != 0) size = std::min(size, query.until);
  WordsFound found;
  found.reached = std::min(query.from, query.backward ? size : ~std::uint64_t{0});
  LUZIA_TRY(query.backward ? backward(read, query, size, found, go_on)
                           : forward(read, query, size, found, go_on));
  for (WordLine& line : found.lines) LUZIA_TRY(quote(read, size, line));
  return found;
}

}  // namespace luzia
