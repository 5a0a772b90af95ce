#include "adapters/agents/json_line.h"

#include <algorithm>
#include <cmath>

#include "engine/base/lone_surrogates.h"
#include "engine/base/utf8.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::string_view kJsonBlanks = " \t\r\n";

bool looks_like_object(std::string_view text, bool cut) {
  const std::size_t first = text.find_first_not_of(kJsonBlanks);
  if (first == std::string_view::npos || text[first] != '{') return false;
  return cut || text[text.find_last_not_of(kJsonBlanks)] == '}';
}

/// Scans a JSON text up to its end and remembers the last position at which it could be closed.
class OpenJson {
 public:
  explicit OpenJson(std::string_view text) {
    for (at_ = 0; at_ < text.size() && !broken_; ++at_) {
      if (in_string_) {
        string_byte(text);
      } else {
        plain_byte(text[at_]);
      }
    }
    if (in_string_ && !in_key_) closable_ = escape_ ? *escape_ : text.size();
    ends_in_string_ = in_string_ && !in_key_;
  }

  std::string closed(std::string_view text) const {
    std::string result(text.substr(0, closable_));
    if (ends_in_string_) result += '"';
    for (auto bracket = open_.rbegin(); bracket != open_.rend(); ++bracket) result += *bracket;
    return result;
  }

 private:
  void string_byte(std::string_view text) {
    const char c = text[at_];
    if (c == '\\') {
      const std::size_t length = text.compare(at_, 2, "\\u") == 0 ? 6 : 2;
      escape_ = at_ + length > text.size() ? std::optional(at_) : std::nullopt;
      at_ += length - 1;
    } else if (c == '"') {
      in_string_ = false;
      if (!in_key_) closable_ = at_ + 1;
    }
  }

  void plain_byte(char c) {
    if (c == '"') {
      in_string_ = true;
      in_key_ = !open_.empty() && open_.back() == '}' && !after_colon_;
    } else if (c == ':') {
      after_colon_ = true;
    } else if (c == ',') {
      closable_ = at_;
      after_colon_ = false;
    } else if (c == '{' || c == '[') {
      open_ += c == '{' ? '}' : ']';
      closable_ = at_ + 1;
      after_colon_ = false;
      broken_ = open_.size() > kMaxDepth;
    } else if (c == '}' || c == ']') {
      broken_ = open_.empty();
      if (!broken_) open_.pop_back();
      closable_ = at_ + 1;
    }
  }

  std::size_t at_ = 0;
  std::size_t closable_ = 0;
  std::string open_;  // the closing characters of the open brackets
  bool in_string_ = false, in_key_ = false, after_colon_ = false, broken_ = false, ends_in_string_ = false;
  std::optional<std::size_t> escape_;  // start of an escape that the text's end cuts
};

}  // namespace

JsonValue JsonValue::operator[](std::string_view key) const {
  simdjson::dom::element value;
  simdjson::dom::object object;
  if (!element_ || element_->get(object) != simdjson::SUCCESS) return {};
  return object.at_key(key).get(value) == simdjson::SUCCESS ? JsonValue(value) : JsonValue();
}

std::string_view JsonValue::text() const {
  std::string_view text;
  return element_ && element_->get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::uint64_t JsonValue::count() const {
  constexpr std::uint64_t kMostCounted = 1'000'000'000'000'000;  // so that sums of thousands fit into 64 bits
  std::uint64_t count = 0;
  if (element_ && element_->get(count) == simdjson::SUCCESS) return std::min(count, kMostCounted);
  const auto real = number();
  return real && *real > 0 && *real < 1e15 ? static_cast<std::uint64_t>(*real) : 0;
}

std::optional<std::int64_t> JsonValue::integer() const {
  std::int64_t integer = 0;
  if (element_ && element_->get(integer) == simdjson::SUCCESS) return integer;
  return std::nullopt;
}

std::optional<double> JsonValue::number() const {
  double number = 0;
  if (!element_ || element_->get(number) != simdjson::SUCCESS || !std::isfinite(number)) return std::nullopt;
  return number;
}

bool JsonValue::flag() const {
  bool flag = false;
  return element_ && element_->get(flag) == simdjson::SUCCESS && flag;
}

std::string JsonValue::json() const {
  return element_ ? simdjson::minify(*element_) : std::string();
}

JsonLine::JsonLine(const Line& line) : cut_(line.cut) {
  if (!looks_like_object(line.text, cut_)) return;
  bytes_.reserve(line.text.size() + kMaxDepth + simdjson::SIMDJSON_PADDING);
  bytes_ = cut_ ? close_json(line.text) : std::string_view(line.text);
  if (parse()) return;
  bytes_ = repaired_json(bytes_);
  parse();
}

bool JsonLine::parse() {
  const std::size_t size = bytes_.size();
  bytes_.reserve(size + simdjson::SIMDJSON_PADDING);
  if (parser_.allocate(std::max<std::size_t>(size, 64), kMaxDepth) != simdjson::SUCCESS) return false;
  simdjson::dom::element root;
  if (parser_.parse(bytes_.data(), size, false).get(root) != simdjson::SUCCESS) return false;
  if (root.is_object()) object_ = JsonValue(root);
  return true;
}

std::string close_json(std::string_view text) {
  return OpenJson(text).closed(text);
}

std::string repaired_json(std::string_view text) {
  return without_lone_surrogates(bounded_utf8(text, text.size() * 3));
}

}  // namespace luzia
