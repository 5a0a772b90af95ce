#include "adapters/search/search_index.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>

#include "engine/base/characters.h"

namespace luzia {
namespace {

/// Increment it if the tables change, or if the same row yields another document. A file with another number
/// is rebuilt.
constexpr int kFormat = 2;

constexpr const char* kTables =
    "PRAGMA journal_mode=DELETE;"
    "BEGIN;"
    "CREATE VIRTUAL TABLE documents USING fts5(title, tags, body, kind UNINDEXED, id UNINDEXED,"
    "  tokenize='porter unicode61 remove_diacritics 2');"
    "CREATE TABLE known(id TEXT PRIMARY KEY, revision INTEGER NOT NULL, place INTEGER NOT NULL);"
    "PRAGMA user_version=2;"
    "COMMIT;";

constexpr const char* kSearch =
    "SELECT id, bm25(documents, 4.0, 3.0, 1.0) AS rank FROM documents"
    " WHERE documents MATCH ?1 AND kind = ?2 ORDER BY rank, id LIMIT ?3";

tl::unexpected<Error> search_failed(const std::string& path, const std::string& why) {
  return fail(ErrorKind::trouble, "search_failed",
              "the search index " + (path.empty() ? std::string("in memory") : path) + " failed: " + why,
              "it can be removed at any time; it is rebuilt");
}

/// A prepared statement. One thread.
class Query {
 public:
  Query(sqlite3* database, const char* text) { sqlite3_prepare_v2(database, text, -1, &statement_, nullptr); }
  ~Query() { sqlite3_finalize(statement_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& bind(int place, std::string_view text) {
    sqlite3_bind_text64(statement_, place, text.data() == nullptr ? "" : text.data(), text.size(),
                        SQLITE_TRANSIENT, SQLITE_UTF8);
    return *this;
  }
  Query& bind(int place, std::int64_t number) {
    sqlite3_bind_int64(statement_, place, number);
    return *this;
  }
  /// Returns SQLITE_ROW, SQLITE_DONE or an error; also works if preparing failed.
  int step() { return statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_); }
  void reset() { sqlite3_reset(statement_); }
  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr
               ? std::string()
               : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
  }
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

bool is_word_byte(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || is_letter_or_digit(c);
}

}  // namespace

struct SearchIndex::Database {
  std::string path;
  sqlite3* handle = nullptr;
  ~Database() { sqlite3_close(handle); }

  std::string why() const { return handle == nullptr ? "no memory" : sqlite3_errmsg(handle); }
  bool run(const char* text) const {
    return sqlite3_exec(handle, text, nullptr, nullptr, nullptr) == SQLITE_OK;
  }

  bool open() {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
    const char* name = path.empty() ? ":memory:" : path.c_str();
    return sqlite3_open_v2(name, &handle, flags, nullptr) == SQLITE_OK;
  }
  /// Whether the tables exist, are intact and match this program.
  bool is_sound() const {
    Query version(handle, "PRAGMA user_version");
    if (version.step() != SQLITE_ROW || version.number(0) != kFormat) return false;
    Query check(handle, "PRAGMA quick_check(1)");
    if (check.step() != SQLITE_ROW || check.text(0) != "ok") return false;
    Query tables(handle, "SELECT count(*) FROM known JOIN documents ON documents.rowid = known.place");
    Query all(handle, "SELECT (SELECT count(*) FROM known), (SELECT count(*) FROM documents)");
    if (tables.step() != SQLITE_ROW || all.step() != SQLITE_ROW) return false;
    return tables.number(0) == all.number(0) && all.number(0) == all.number(1) &&
           run("INSERT INTO documents(documents) VALUES('integrity-check')");
  }
  bool make() {
    sqlite3_close(handle);
    handle = nullptr;
    for (const char* end : {"", "-journal", "-wal", "-shm"}) {
      if (!path.empty()) unlink((path + end).c_str());
    }
    return open() && run(kTables);
  }
};

SearchIndex::SearchIndex(std::unique_ptr<Database> database) : database_(std::move(database)) {}
SearchIndex::SearchIndex(SearchIndex&&) noexcept = default;
SearchIndex& SearchIndex::operator=(SearchIndex&&) noexcept = default;
SearchIndex::~SearchIndex() = default;

Result<SearchIndex> SearchIndex::open(std::string path) {
  auto database = std::make_unique<Database>();
  database->path = std::move(path);
  if (database->open() && database->is_sound()) return SearchIndex(std::move(database));
  if (!database->make()) return search_failed(database->path, database->why());
  return SearchIndex(std::move(database));
}

Result<std::map<std::string, std::uint64_t>> SearchIndex::known() const {
  std::map<std::string, std::uint64_t> all;
  Query query(database_->handle, "SELECT id, revision FROM known");
  int got = query.step();
  for (; got == SQLITE_ROW; got = query.step()) {
    all.emplace(query.text(0), static_cast<std::uint64_t>(query.number(1)));
  }
  if (got != SQLITE_DONE) return search_failed(database_->path, database_->why());
  return all;
}

Status SearchIndex::change(const std::vector<SearchDocument>& added,
                           const std::vector<std::string>& removed) {
  const Database& database = *database_;
  if (!database.run("BEGIN IMMEDIATE")) return search_failed(database.path, database.why());
  bool done = true;
  {
    Query forget(database.handle,
                 "DELETE FROM documents WHERE rowid = (SELECT place FROM known WHERE id = ?1)");
    Query forget_id(database.handle, "DELETE FROM known WHERE id = ?1");
    Query add(database.handle,
              "INSERT INTO documents(title, tags, body, kind, id) VALUES(?1, ?2, ?3, ?4, ?5)");
    Query add_id(database.handle, "INSERT INTO known(id, revision, place) VALUES(?1, ?2, ?3)");
    const auto carry_out = [&](Query& query) {
      done = done && query.step() == SQLITE_DONE;
      query.reset();
    };
    const auto remove = [&](const std::string& id) {
      carry_out(forget.bind(1, id));
      carry_out(forget_id.bind(1, id));
    };
    for (const std::string& id : removed) remove(id);
    for (const SearchDocument& each : added) {
      remove(each.id);
      carry_out(
          add.bind(1, each.title).bind(2, each.tags).bind(3, each.text).bind(4, each.kind).bind(5, each.id));
      carry_out(add_id.bind(1, each.id)
                    .bind(2, static_cast<std::int64_t>(each.revision))
                    .bind(3, sqlite3_last_insert_rowid(database.handle)));
    }
  }
  if (done && database.run("COMMIT")) return {};
  const std::string why = database.why();
  database.run("ROLLBACK");
  return search_failed(database.path, why);
}

Result<std::vector<SearchHit>> SearchIndex::find(std::string_view kind, std::string_view words,
                                                 std::size_t limit) const {
  const std::string expression = search_expression(words);
  if (expression.empty()) {
    return fail(ErrorKind::usage, "no_words", "there is no word to search for",
                "give some words of the problem");
  }
  std::vector<SearchHit> hits;
  Query query(database_->handle, kSearch);
  query.bind(1, expression).bind(2, kind).bind(3, static_cast<std::int64_t>(limit));
  int got = query.step();
  // FTS5's BM25 is negative; lower is better.
  for (; got == SQLITE_ROW; got = query.step()) hits.push_back({query.text(0), -query.real(1)});
  if (got != SQLITE_DONE) return search_failed(database_->path, database_->why());
  return hits;
}

std::string search_expression(std::string_view text) {
  std::string expression;
  for (std::size_t words = 0; words < kMaxSearchWords; ++words) {
    const auto* begin = std::ranges::find_if(text, is_word_byte);
    const auto* end = std::find_if_not(begin, text.end(), is_word_byte);
    if (begin == end) break;
    expression.append(expression.empty() ? "\"" : " OR \"").append(begin, end).push_back('"');
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  }
  return expression;
}

}  // namespace luzia
