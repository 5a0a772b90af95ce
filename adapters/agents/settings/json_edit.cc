#include "adapters/agents/settings/json_edit.h"

#include <algorithm>

#include "adapters/agents/settings/entries.h"
#include "engine/base/try.h"

namespace luzia {
namespace {

constexpr const char* kSpace = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string line_and_column(const std::string& text, std::size_t at) {
  const std::size_t end = std::min(at, text.size());
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n') + 1;
  const std::size_t line_start = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  const std::size_t column = line_start == std::string::npos ? end + 1 : end - line_start;
  return std::to_string(line) + ":" + std::to_string(column);
}

}  // namespace

Result<JsonEdit> JsonEdit::of(std::string text, const std::string& file) {
  if (text.find_first_not_of(kSpace) == std::string::npos) return JsonEdit("{}\n", file);
  try {
    if (!OrderedJson::parse(text).is_object()) return bad_settings(file, "this is no JSON object");
  } catch (const OrderedJson::parse_error& error) {
    const std::size_t at = error.byte == 0 ? 0 : error.byte - 1;
    return bad_settings(file + ":" + line_and_column(text, at),
                        "this is not plain JSON, which has no comments and no trailing commas");
  } catch (const OrderedJson::out_of_range&) {  // the only valid JSON that the parser cannot represent
    return bad_settings(file, "a number in it is too large to be read");
  }
  return JsonEdit(std::move(text), file);
}

std::size_t JsonEdit::skip_space(std::size_t at) const {
  return text_.find_first_not_of(kSpace, at);
}

std::size_t JsonEdit::string_end(std::size_t at) const {
  for (++at; text_[at] != '"'; ++at) at += text_[at] == '\\' ? 1 : 0;
  return at + 1;
}

std::size_t JsonEdit::value_end(std::size_t at) const {
  std::size_t depth = 0;
  while (true) {
    const char c = text_[at];
    if (c == '"') {
      at = string_end(at);
    } else if (c == '{' || c == '[') {
      ++depth;
      ++at;
    } else if (c == '}' || c == ']') {
      --depth;
      ++at;
    } else if (depth == 0) {
      return std::min(text_.find_first_of(" \t\r\n,]}", at), text_.size());
    } else {
      ++at;
    }
    if (depth == 0 && (c == '"' || c == '}' || c == ']')) return at;
  }
}

JsonEdit::Span JsonEdit::root() const {
  const std::size_t begin = skip_space(text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  return {begin, value_end(begin)};
}

std::vector<JsonEdit::Child> JsonEdit::children(Span container) const {
  std::vector<Child> all;
  const bool object = text_[container.begin] == '{';
  std::size_t at = skip_space(container.begin + 1);
  while (at + 1 < container.end) {
    Child child{std::to_string(all.size()), at, {}};
    if (object) {
      const std::size_t end = string_end(at);
      child.name = OrderedJson::parse(text_.substr(at, end - at)).get<std::string>();
      at = skip_space(skip_space(end) + 1);
    }
    child.value = {at, value_end(at)};
    at = skip_space(child.value.end);
    all.push_back(std::move(child));
    if (text_[at] == ',') at = skip_space(at + 1);
  }
  return all;
}

JsonEdit::Span JsonEdit::find(const JsonPath& path) const {
  Span span = root();
  for (const std::string& name : path) {
    if (text_[span.begin] != '{' && text_[span.begin] != '[') return {0, 0};
    const auto all = children(span);
    // If a name occurs twice, the last member counts, as for readers of the file.
    const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Child& c) { return c.name == name; });
    if (found == all.rend()) return {0, 0};
    span = found->value;
  }
  return span;
}

OrderedJson JsonEdit::at(const JsonPath& path) const {
  const Span span = find(path);
  return span.end == 0 ? OrderedJson() : OrderedJson::parse(text_.substr(span.begin, span.end - span.begin));
}

std::string JsonEdit::indent_of_line(std::size_t at) const {
  const std::size_t line_start = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
  const std::size_t begin = line_start == std::string::npos ? 0 : line_start + 1;
  return text_.substr(begin, std::min(text_.find_first_not_of(" \t", begin), text_.size()) - begin);
}

std::string JsonEdit::indent_step() const {
  const auto all = children(root());
  const std::string first = all.empty() ? std::string() : indent_of_line(all.front().start);
  return first.empty() ? "  " : first;
}

std::string JsonEdit::dumped(const OrderedJson& value, const std::string& indent) const {
  const std::string step = indent_step();
  std::string text = value.dump(static_cast<int>(step.size()), step.front());
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 1 + indent.size()) {
    text.insert(at + 1, indent);
  }
  return text;
}

void JsonEdit::insert(Span container, const std::string& before_value, const OrderedJson& value) {
  const auto all = children(container);
  if (all.empty()) {
    const std::string outer = indent_of_line(container.begin), inner = outer + indent_step();
    const std::string inside = "\n" + inner + before_value + dumped(value, inner) + "\n" + outer;
    text_.replace(container.begin + 1, container.end - container.begin - 2, inside);
    return;
  }
  const std::size_t opening = text_.find_first_not_of(" \t\r", container.begin + 1);
  std::string entry;
  if (text_[opening] == '\n') {
    const std::string indent = indent_of_line(all.back().start);
    entry = ",\n" + indent + before_value + dumped(value, indent);
  } else {
    entry = ", " + before_value + value.dump();
  }
  text_.insert(all.back().value.end, entry);
}

Status JsonEdit::make(const JsonPath& path, char bracket) {
  JsonPath outside;
  for (std::size_t i = 0; i <= path.size(); ++i) {
    const bool last = i == path.size();
    const char wanted = last ? bracket : '{';
    const Span span = find(outside);
    if (text_[span.begin] != wanted) {
      return bad_settings(file_ + ":" + line_and_column(text_, span.begin),
                          outside.back() + (wanted == '{' ? " is not an object" : " is not a list"));
    }
    if (last) break;
    JsonPath next = outside;
    next.push_back(path[i]);
    if (find(next).end == 0) {
      const bool list = i + 1 == path.size() && bracket == '[';
      insert(span, OrderedJson(path[i]).dump() + ": ", list ? OrderedJson::array() : OrderedJson::object());
    }
    outside = std::move(next);
  }
  return {};
}

Status JsonEdit::set(const JsonPath& path, const std::string& name, const OrderedJson& value) {
  LUZIA_TRY(make(path, '{'));
  JsonPath whole = path;
  whole.push_back(name);
  if (const Span present = find(whole); present.end != 0) {
    const std::string indent = indent_of_line(present.begin);
    text_.replace(present.begin, present.end - present.begin, dumped(value, indent));
  } else {
    insert(find(path), OrderedJson(name).dump() + ": ", value);
  }
  return {};
}

Status JsonEdit::append(const JsonPath& path, const OrderedJson& value) {
  LUZIA_TRY(make(path, '['));
  insert(find(path), "", value);
  return {};
}

void JsonEdit::remove(JsonPath path) {
  while (!path.empty()) {
    const std::string name = path.back();
    path.pop_back();
    const Span container = find(path);
    if (container.end == 0) return;
    const auto all = children(container);
    const auto found = std::find_if(all.begin(), all.end(), [&](const Child& c) { return c.name == name; });
    if (found == all.end()) return;
    if (all.size() > 1) {
      const bool first = found == all.begin();
      const std::size_t begin = first ? found->start : std::prev(found)->value.end;
      const std::size_t end = first ? std::next(found)->start : found->value.end;
      text_.erase(begin, end - begin);
      return;
    }
    // Remove containers that became empty, from the inside out.
    text_.erase(container.begin + 1, container.end - container.begin - 2);
  }
}

}  // namespace luzia
