// Finds the lines of an output that contain given words or match an expression, in pieces, without regard to
// the case of ASCII letters. Any thread; one search at a time for each object, which keeps what it made for
// the next one: making it takes longer than searching a small output.
//
// An expression is matched only in lines that have a text which every match has: finding that is a hundred
// times as fast. Where RE2 names several of which any may do, these are found, and where it names none, it
// matches all lines.
//
// Rejected: mapping the file into memory. An agent can truncate its output meanwhile, which would be a bus
// error.
#pragma once

#include <re2/filtered_re2.h>
#include <re2/re2.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/issues/vectorscan.h"
#include "engine/base/result.h"
#include "tools/luziad/queries/literal_scan.h"

namespace luzia {

struct WordQuery {
  std::string words;        // as they stand in the output
  std::uint64_t from = 0;   // words that begin at or after it; backward: before it
  std::uint64_t until = 0;  // words that begin before it; 0: no such bound
  bool backward = false;    // the last ones before `from`, nearest first
  std::uint32_t limit = 0;  // lines to return; 0: count only
  bool expression =
      false;  // `words` is an expression of RE2; ^ and $ are the ends of a line (backward: or of the search)
};

struct WordLine {
  std::uint64_t offset = 0;     // where its first words begin
  std::uint64_t end = 0;        // where the line ends; of a long line, where the search goes on in it
  std::uint64_t text_from = 0;  // where `text` begins
  std::string text;             // the words and what surrounds them in the line
};

struct WordsFound {
  std::vector<WordLine> lines;
  std::uint64_t count = 0;    // of lines; one of over 4 KiB can count several times
  std::uint64_t reached = 0;  // `from` of the query that continues
  bool over = false;          // nothing is left in this direction
};

class WordScan {
 public:
  /// How many bytes the words may have.
  static constexpr std::size_t kMostWords = 256;

  /// Reads bytes from an offset; fewer only at the end.
  using Read = std::function<Result<std::size_t>(std::uint64_t offset, std::span<char> into)>;

  /// `bad_words` (usage): none, too many, or more than one line. `bad_pattern` (usage): RE2 refuses it, or
  /// its program is too large.
  static Result<WordScan> of(std::string_view words, bool expression = false);
  bool is_for(std::string_view words, bool expression) const {
    return words_ == words && (expression_ != nullptr) == expression;
  }

  /// Searches the first `size` bytes until enough lines are found, nothing is left, or `go_on` returns false.
  /// It is asked after each piece (256 KiB; of what an expression must be matched in, 16 KiB). Errors: those
  /// of `read`.
  Result<WordsFound> find(const Read& read, const WordQuery& query, std::uint64_t size,
                          const std::function<bool()>& go_on);

 private:
  struct Piece;
  struct Place {
    std::uint64_t offset = 0, end = 0;  // of a line that has the words
  };
  struct Line {
    std::size_t begin = 0, end = 0;  // in a piece
  };
  WordScan(std::string_view words, std::unique_ptr<re2::RE2> expression);
  void learn_what_is_needed();
  void find_texts_of(std::vector<std::string> needed);
  Result<std::string_view> text_at(const Read& read, std::uint64_t at, std::size_t wanted);
  std::size_t lines_in(const Piece& piece, std::size_t most);
  void words_in(const Piece& piece, std::size_t most);
  std::size_t literal_in(const Piece& piece, std::size_t most);
  void find_likely_lines(std::string_view text, std::size_t begin);
  std::size_t match_in(const Piece& piece, std::string_view text, Line line, std::size_t most);
  Status forward(const Read& read, const WordQuery& query, std::uint64_t size, WordsFound& found,
                 const std::function<bool()>& go_on);
  Status backward(const Read& read, const WordQuery& query, std::uint64_t size, WordsFound& found,
                  const std::function<bool()>& go_on);
  Result<WordLine> quoted(const Read& read, std::uint64_t size, Place place);

  std::string words_;
  std::size_t length_;                    // of the words; 1 for an expression: it is found where it begins
  std::unique_ptr<re2::RE2> expression_;  // null: words
  // What is looked for: the words, or a text that each match has. None: `texts_`.
  std::optional<LiteralScan> literal_;
  std::unique_ptr<re2::FilteredRE2> filter_;   // which of `texts_` a match needs
  std::unique_ptr<ExpressionDatabase> texts_;  // null: it is not known what a match needs
  ExpressionDatabase::Scratch scratch_;
  std::size_t needed_ = 0;  // texts of `filter_`
  std::string buffer_;
  std::uint64_t buffered_at_ = 0;  // where in the output `buffered_` bytes are from
  std::size_t buffered_ = 0;
  std::size_t next_read_ = 0;  // bytes; few at first, because enough may be found in these
  std::string read_for_quote_;
  std::vector<Place> places_;  // of a piece
  std::vector<Line> likely_;   // of a piece
};

}  // namespace luzia
