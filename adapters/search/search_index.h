// Full-text search over short documents (SQLite, FTS5), ranked by BM25. The index is disposable: it holds
// nothing that rows do not hold, and a file that is missing, damaged or of another program is made anew. One
// thread at a time; nobody else opens the file.
//
// (Rejected: an inverted index of our own in the view store. Stemming, unicode and ranking are what FTS5 does
// well, and a replay would have to write every posting of every version of a row.)
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace luzia {

struct SearchDocument {
  std::string id;              // unique in the index
  std::string kind;            // searches look at one kind
  std::uint64_t revision = 0;  // another content of the same id has another one
  std::string title, tags, text;
};
struct SearchHit {
  std::string id;
  double score = 0;  // above 0, the greater the nearer
};

/// Words of a search that count; more are left out.
constexpr std::size_t kMaxSearchWords = 32;

class SearchIndex {
 public:
  /// `path` empty: in memory, for as long as the object lives. Errors: `search_failed` (trouble): the file
  /// cannot be made.
  static Result<SearchIndex> open(std::string path);
  SearchIndex(SearchIndex&&) noexcept;
  SearchIndex& operator=(SearchIndex&&) noexcept;
  ~SearchIndex();

  /// What it holds: revisions by id.
  Result<std::map<std::string, std::uint64_t>> known() const;
  /// All of it or nothing.
  Status change(const std::vector<SearchDocument>& added, const std::vector<std::string>& removed);
  /// Documents with any of the words, stemmed (English), accents and case apart; a match in the title counts
  /// four times, in the tags three times as much as one in the text. Everything but letters and digits
  /// separates words. `no_words` (usage) when there are none.
  Result<std::vector<SearchHit>> find(std::string_view kind, std::string_view words, std::size_t limit) const;

 private:
  struct Database;
  explicit SearchIndex(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

/// "\"disk\" OR \"full\"": the words of `text` as FTS5 asks for them; empty when there are none.
std::string search_expression(std::string_view text);

}  // namespace luzia
