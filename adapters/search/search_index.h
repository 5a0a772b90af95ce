// Full-text search over short documents (SQLite, FTS5), ranked by BM25. The index is disposable: it holds
// only content of rows, so a file that is missing, damaged or of another program is rebuilt. One thread at a
// time; no other process opens the file.
//
// Rejected: our own inverted index in the view store. FTS5 already handles stemming, Unicode and ranking
// well. And a replay would have to write every posting of every version of a row.
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
  std::string kind;            // each search covers one kind
  std::uint64_t revision = 0;  // changes with the content
  std::string title, tags, text;
};
struct SearchHit {
  std::string id;
  double score = 0;  // above 0; higher is better
};

/// Search words used; further ones are ignored.
constexpr std::size_t kMaxSearchWords = 32;

class SearchIndex {
 public:
  /// Empty `path`: in memory, for the object's lifetime. `search_failed` (trouble): the file cannot be
  /// created.
  static Result<SearchIndex> open(std::string path);
  SearchIndex(SearchIndex&&) noexcept;
  SearchIndex& operator=(SearchIndex&&) noexcept;
  ~SearchIndex();

  /// The indexed documents: revisions by id.
  Result<std::map<std::string, std::uint64_t>> known() const;
  /// Applies all changes or none.
  Status change(const std::vector<SearchDocument>& added, const std::vector<std::string>& removed);
  /// Finds documents with any of the words, stemmed (English), ignoring case and accents. A match in the
  /// title counts four times, in the tags three times as much as one in the text. Every character but letters
  /// and digits separates words. `no_words` (usage) if there are none.
  Result<std::vector<SearchHit>> find(std::string_view kind, std::string_view words, std::size_t limit) const;

 private:
  struct Database;
  explicit SearchIndex(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

/// The words of `text` as an FTS5 query: "\"disk\" OR \"full\"". Empty if there are none.
std::string search_expression(std::string_view text);

}  // namespace luzia
