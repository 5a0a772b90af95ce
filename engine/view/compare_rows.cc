// Compares two sets of rows byte by byte.
#include "engine/view/fold.h"

namespace luzia {
namespace {

constexpr std::size_t kPage = 512;
constexpr std::size_t kMaxDifferences = 10;
constexpr std::string_view kFirstKey{"\1", 1};  // after the store's own rows
constexpr std::string_view kEndKey{"\xff", 1};

/// Reads the rows of a reader in order, a page at a time.
class RowWalk {
 public:
  explicit RowWalk(const ViewReader& rows) : rows_(rows), next_key_(kFirstKey) { load(); }
  bool done() const { return at_ == page_.size(); }
  const std::string& key() const { return page_[at_].first; }
  const std::string& value() const { return page_[at_].second; }
  void advance() {
    if (++at_ == page_.size()) load();
  }

 private:
  void load() {
    page_.clear();
    at_ = 0;
    rows_.scan(next_key_, kEndKey, [&](std::string_view key, std::string_view value) {
      page_.emplace_back(key, value);
      return page_.size() < kPage;
    });
    if (!page_.empty()) next_key_ = page_.back().first + '\0';
  }

  const ViewReader& rows_;
  std::string next_key_;
  std::vector<std::pair<std::string, std::string>> page_;
  std::size_t at_ = 0;
};

std::string shown_key(std::string_view key) {
  std::string text = "view " + std::to_string(static_cast<unsigned char>(key[0])) + ", key ";
  for (const char c : key.substr(std::min<std::size_t>(2, key.size()))) {
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      text.append("\\x").append(to_hex(as_bytes(std::string_view(&c, 1))));
    }
  }
  return text;
}

std::size_t first_difference(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  return i;
}

}  // namespace

std::vector<std::string> compare_rows(const ViewReader& left, const ViewReader& right,
                                      const std::stop_token& stop) {
  std::vector<std::string> differences;
  RowWalk a(left), b(right);
  while ((!a.done() || !b.done()) && differences.size() < kMaxDifferences && !stop.stop_requested()) {
    if (b.done() || (!a.done() && a.key() < b.key())) {
      differences.push_back(shown_key(a.key()) + ": only on the left");
      a.advance();
    } else if (a.done() || b.key() < a.key()) {
      differences.push_back(shown_key(b.key()) + ": only on the right");
      b.advance();
    } else {
      if (a.value() != b.value()) {
        differences.push_back(shown_key(a.key()) + ": " + std::to_string(a.value().size()) + " and " +
                              std::to_string(b.value().size()) + " bytes, different from byte " +
                              std::to_string(first_difference(a.value(), b.value())) + " on");
      }
      a.advance();
      b.advance();
    }
  }
  return differences;
}

}  // namespace luzia
