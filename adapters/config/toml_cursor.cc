#include "adapters/config/toml_cursor.h"

#include <algorithm>

#include "adapters/config/nearest.h"
#include "engine/base/characters.h"

namespace luzia {
namespace {

constexpr std::size_t kMaxNameBytes = 100;

}  // namespace

std::string listed_words(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : ", ") + word;
  return joined;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  return near.empty() ? "known here: " + listed_words(known) : "did you mean " + near + "?";
}

std::string TomlCursor::full_name(std::string_view key) const {
  return frame_.path.empty() ? std::string(key) : frame_.path + "." + std::string(key);
}

std::string TomlCursor::where(TomlPlace place) const {
  return file_name_ + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

void TomlCursor::wrong(TomlPlace place, const char* code, const std::string& what, const std::string& hint) {
  errors_.push_back(
      Error{ErrorKind::usage, code, "reading " + where(place) + ": " + one_line(what), one_line(hint)});
}

const TomlEntry* TomlCursor::find(const char* name) {
  know(name);
  if (frame_.table == nullptr) return nullptr;
  for (const TomlEntry& entry : frame_.table->entries) {
    if (entry.key == name) {
      note_place(entry);
      return &entry;
    }
  }
  return nullptr;
}

const TomlEntry* TomlCursor::find(const char* name, TomlKind kind) {
  const TomlEntry* entry = find(name);
  return entry != nullptr && check_kind(*entry, kind) ? entry : nullptr;
}

bool TomlCursor::check_kind(const TomlEntry& entry, TomlKind kind) {
  const bool fits =
      entry.value.kind == kind || (kind == TomlKind::real && entry.value.kind == TomlKind::integer);
  if (!fits) {
    wrong(entry.value.place, "config_type",
          full_name(entry.key) + " is " + std::string(kind_name(entry.value.kind)) + ", it must be " +
              std::string(kind_name(kind)));
  }
  return fits;
}

void TomlCursor::enter(const TomlEntry& entry, const std::function<void()>& body) {
  if (!check_kind(entry, TomlKind::table)) return;
  Frame outer = std::move(frame_);
  frame_ = {&entry.value, outer.path.empty() ? entry.key : outer.path + "." + entry.key, {}};
  places_[frame_.path] = where(entry.place);
  body();
  report_unknown_keys();
  frame_ = std::move(outer);
}

void TomlCursor::table(const char* name, const std::function<void()>& body) {
  if (const TomlEntry* entry = find(name)) enter(*entry, body);
}

void TomlCursor::each_entry(const char* name, const std::function<void(const TomlEntry&)>& body) {
  table(name, [&] {
    const TomlValue& here = *frame_.table;
    for (const TomlEntry& entry : here.entries) {
      frame_.known.push_back(entry.key);
      body(entry);
    }
  });
}

void TomlCursor::each_item(const char* name, const std::function<void(const TomlEntry&)>& body) {
  const TomlEntry* list = find(name, TomlKind::array);
  if (list == nullptr) return;
  for (const TomlValue& item : list->value.items) {
    if (item.kind != TomlKind::table) {
      wrong(item.place, "config_type",
            full_name(name) + " holds " + std::string(kind_name(item.kind)) + ", it must hold tables",
            "write [[" + std::string(name) + "]] and the keys below it");
      continue;
    }
    const auto at = std::find_if(item.entries.begin(), item.entries.end(),
                                 [](const TomlEntry& entry) { return entry.key == "name"; });
    if (at == item.entries.end() || at->value.kind != TomlKind::text) {
      wrong(item.place, "config_range", "a [[" + std::string(name) + "]] has no name",
            "add name = \"...\": under it the log keeps what was delivered");
      continue;
    }
    // Name its keys like those of a table [name.NAME].
    Frame outer = frame_;
    frame_.path = full_name(name);
    body({at->value.text, item.place, item});
    frame_ = std::move(outer);
  }
}

void TomlCursor::report_unknown_keys() {
  for (const TomlEntry& entry : frame_.table->entries) {
    if (std::find(frame_.known.begin(), frame_.known.end(), entry.key) == frame_.known.end()) {
      const std::string section = frame_.path.empty() ? "" : " in [" + frame_.path + "]";
      wrong(entry.place, "config_unknown_key", "unknown key '" + entry.key + "'" + section,
            did_you_mean(entry.key, frame_.known));
    }
  }
}

bool TomlCursor::check_name(const TomlEntry& entry) {
  const std::string& name = entry.key;
  if (name.empty() || name.size() > kMaxNameBytes || has_control_characters(name) || name.front() == '-' ||
      name.front() == '.' || name.find('/') != std::string::npos) {
    wrong(entry.place, "config_range", "'" + full_name(name) + "' cannot be a name",
          "use up to 100 characters without '/' and control characters, not starting with '-' or '.'");
    return false;
  }
  return true;
}

}  // namespace luzia
