#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "adapters/issues/issue_pattern.h"
#include "engine/base/characters.h"
#include "engine/base/descriptor.h"
#include "engine/base/lower_case.h"

namespace luzia {
namespace {

using Json = nlohmann::json;

constexpr char kShape[] = R"(write {"patterns": [{"name": "...", "error_patterns": ["..."]}, ...]})";

std::optional<schema::Severity> severity_of(std::string_view written) {
  const std::string word = lower_case(written);
  if (word == "info") return schema::Severity::info;
  if (word == "warning") return schema::Severity::warning;
  if (word == "error") return schema::Severity::error;
  if (word == "critical") return schema::Severity::critical;
  return std::nullopt;
}

std::optional<schema::IssueRank> rank_of(std::string_view written) {
  const std::string word = lower_case(written);
  if (word == "cause") return schema::IssueRank::cause;
  if (word == "test") return schema::IssueRank::test;
  if (word == "clue") return schema::IssueRank::clue;
  if (word == "consequence") return schema::IssueRank::consequence;
  return std::nullopt;
}

/// Whether it is a valid name of a pattern, project or family: names appear in lists, one per line.
bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxPatternNameBytes && !has_control_characters(name);
}

/// Reads one element of "patterns"; errors go to `refused`.
class PatternReader {
 public:
  PatternReader(const std::string& file, std::size_t index, std::vector<RefusedPattern>& refused)
      : file_(file), name_("#" + std::to_string(index + 1)), refused_(refused) {}

  std::optional<IssuePattern> read(const Json& json) {
    const std::size_t refused_before = refused_.size();
    if (!json.is_object()) {
      refuse("it is not an object");
      return std::nullopt;
    }
    IssuePattern pattern;
    text(json, "name", pattern.name, kMaxPatternNameBytes);
    if (is_name(pattern.name)) {
      name_ = pattern.name;
    } else {
      refuse("it has no name of 1 to 128 bytes without control characters");
    }
    text(json, "description", pattern.description, kMaxPatternTextBytes);
    text(json, "fix", pattern.fix, kMaxPatternTextBytes);
    text(json, "fix_command", pattern.fix_command, kMaxPatternTextBytes);
    text(json, "project", pattern.project, kMaxPatternNameBytes);
    text(json, "family", pattern.family, kMaxPatternNameBytes);
    read_rest(json, pattern);
    read_instead_of(json, pattern);
    read_regexes(json, pattern);
    read_earlier(json, pattern);
    pattern.file = file_;
    if (refused_.size() != refused_before) return std::nullopt;
    return pattern;
  }

 private:
  void refuse(std::string reason, std::optional<std::size_t> regex = {}, std::size_t position = 0) {
    refused_.push_back({file_, name_, regex, position, std::move(reason)});
  }

  void text(const Json& json, const char* key, std::string& value, std::size_t most) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) return;
    if (!found->is_string()) return refuse(std::string(key) + " is not a string");
    value = found->get_ref<const std::string&>();
    if (value.size() > most || value.find('\0') != std::string::npos) {
      refuse(std::string(key) + " is longer than " + std::to_string(most) + " bytes or has a NUL in it");
    }
  }

  void boolean(const Json& json, const char* key, bool& value) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) return;
    if (!found->is_boolean()) return refuse(std::string(key) + " is not true or false");
    value = found->get<bool>();
  }

  void read_rest(const Json& json, IssuePattern& pattern) {
    std::string severity = "error";
    text(json, "severity", severity, kMaxPatternNameBytes);
    const auto known = severity_of(severity);
    if (!known) refuse("its severity is not info, warning, error or critical");
    pattern.severity = known.value_or(schema::Severity::error);
    std::string rank;
    text(json, "rank", rank, kMaxPatternNameBytes);
    if (!rank.empty()) {
      const auto ranked = rank_of(rank);
      if (!ranked) refuse("its rank is not cause, test, clue or consequence");
      pattern.rank = ranked.value_or(schema::IssueRank::none);
    }
    boolean(json, "auto_fixable", pattern.auto_fixable);
    boolean(json, "one_issue", pattern.one_issue);
    if (pattern.auto_fixable && pattern.fix_command.empty()) {
      refuse("it is auto_fixable and has no fix_command");
    }
  }

  void read_instead_of(const Json& json, IssuePattern& pattern) {
    const auto names = json.find("instead_of");
    if (names == json.end() || names->is_null()) return;
    if (!names->is_array() || names->size() > kMaxInsteadOf) {
      return refuse("instead_of is not a list of up to " + std::to_string(kMaxInsteadOf) +
                    " names of patterns");
    }
    for (const Json& name : *names) {
      if (!name.is_string() || !is_name(name.get_ref<const std::string&>())) {
        return refuse("instead_of holds something else than names of patterns");
      }
      pattern.instead_of.push_back(name.get<std::string>());
    }
  }

  void read_regexes(const Json& json, IssuePattern& pattern) {
    const auto regexes = json.find("error_patterns");
    if (regexes == json.end() || !regexes->is_array() || regexes->empty()) {
      return refuse("error_patterns is not a list of regular expressions");
    }
    if (regexes->size() > kMaxRegexesInPattern) {
      return refuse("error_patterns are more than " + std::to_string(kMaxRegexesInPattern));
    }
    for (std::size_t i = 0; i < regexes->size(); ++i) {
      const Json& regex = (*regexes)[i];
      if (!regex.is_string()) {
        refuse("it is not a string", i);
        continue;
      }
      auto translated = translate_python_regex(regex.get_ref<const std::string&>());
      if (translated) {
        pattern.regexes.push_back(std::move(*translated));
      } else {
        refuse(translated.error().reason, i, translated.error().position);
      }
    }
  }

  std::optional<LineRegex> earlier_regex(const Json& json, const char* key, const std::string& where) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string()) {
      refuse(where + " has no regular expression as its " + key);
      return std::nullopt;
    }
    auto translated = translate_python_regex(found->get_ref<const std::string&>());
    if (translated) return std::move(*translated);
    refuse(where + "." + key + " at " + std::to_string(translated.error().position) + ": " +
           translated.error().reason);
    return std::nullopt;
  }

  void read_earlier(const Json& json, IssuePattern& pattern) {
    const auto rules = json.find("earlier");
    if (rules == json.end() || rules->is_null()) return;
    if (!rules->is_array() || rules->size() > kMaxEarlierRules) {
      return refuse("earlier is not a list of up to " + std::to_string(kMaxEarlierRules) + " objects");
    }
    for (std::size_t i = 0; i < rules->size(); ++i) {
      const Json& rule = (*rules)[i];
      const std::string where = "earlier[" + std::to_string(i) + "]";
      if (!rule.is_object()) {
        refuse(where + " is not an object");
        continue;
      }
      EarlierLine& earlier = pattern.earlier.emplace_back();
      if (auto line = earlier_regex(rule, "line", where)) earlier.line = std::move(*line);
      if (rule.contains("except")) earlier.except = earlier_regex(rule, "except", where);
      if (rule.contains("until")) earlier.until = earlier_regex(rule, "until", where);
      const auto within = rule.find("within");
      if (within == rule.end() || !within->is_number_unsigned() || *within < 1 ||
          *within > kMaxEarlierLines) {
        refuse(where + ".within is not a number of lines from 1 to " + std::to_string(kMaxEarlierLines));
      } else {
        earlier.within = within->get<std::size_t>();
      }
      boolean(rule, "first", earlier.first);
      boolean(rule, "shown", earlier.shown);
    }
  }

  const std::string& file_;
  std::string name_;
  std::vector<RefusedPattern>& refused_;
};

Result<Json> parse_json(std::string_view text, const std::string& path) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    // The exception's own text quotes raw bytes of the file.
    const auto* parsing = dynamic_cast<const Json::parse_error*>(&error);
    const std::size_t byte = parsing == nullptr ? 0 : std::min(parsing->byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n');
    return fail(
        ErrorKind::usage, "pattern_file_syntax",
        "reading " + path + ": no JSON at line " + std::to_string(line) + ", byte " + std::to_string(byte),
        kShape);
  }
}

}  // namespace

std::string RefusedPattern::text() const {
  std::string text = file + ": pattern " + pattern + ": ";
  if (regex) text += "error_patterns[" + std::to_string(*regex) + "] at " + std::to_string(position) + ": ";
  return text + reason;
}

Result<PatternFile> parse_pattern_file(std::string_view text, const std::string& path) {
  if (text.size() > kMaxPatternFileBytes) {
    return fail(ErrorKind::usage, "pattern_file_too_large", "reading " + path + ": it is larger than 4 MiB");
  }
  const auto json = LUZIA_TRY(parse_json(text, path));
  const auto list = json.is_object() ? json.find("patterns") : json.end();
  if (!json.is_object() || list == json.end() || !list->is_array()) {
    return fail(ErrorKind::usage, "pattern_file_shape", "reading " + path + ": it has no list of patterns",
                kShape);
  }
  if (list->size() > kMaxPatternsInFile) {
    return fail(ErrorKind::usage, "pattern_file_too_large",
                "reading " + path + ": more than 10,000 patterns");
  }
  PatternFile file{path, {}, {}, list->size()};
  std::set<std::pair<std::string, std::string>> names;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto pattern = PatternReader(path, i, file.refused).read((*list)[i]);
    if (!pattern) continue;
    if (!names.insert({pattern->name, pattern->project}).second) {
      file.refused.push_back({path, pattern->name, {}, 0, "the file has a pattern of this name already"});
      continue;
    }
    file.patterns.push_back(std::move(*pattern));
  }
  return file;
}

Result<PatternFile> read_pattern_file(const std::string& path) {
  const Descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!opened) return fail_errno(errno, "pattern_file_unreadable", "reading " + path);
  struct stat status;
  if (::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return fail(ErrorKind::usage, "pattern_file_unreadable",
                "reading " + path + ": it is not a regular file");
  }
  const auto text = read_up_to(opened.get(), kMaxPatternFileBytes + 1);
  if (!text) return fail_errno(errno, "pattern_file_unreadable", "reading " + path);
  return parse_pattern_file(*text, path);
}

std::vector<PatternFile> shipped_patterns() {
  std::vector<PatternFile> files;
  for (const ShippedFile& file : shipped_pattern_files()) {
    // A test ensures that each of them loads completely.
    if (auto read = parse_pattern_file(file.json, "shipped/" + std::string(file.name))) {
      for (IssuePattern& pattern : read->patterns) pattern.shipped = true;
      files.push_back(std::move(*read));
    }
  }
  return files;
}

std::vector<std::string> unknown_instead_of(const IssuePattern& pattern,
                                            const std::set<std::string, std::less<>>& names) {
  std::vector<std::string> unknown;
  std::ranges::copy_if(pattern.instead_of, std::back_inserter(unknown),
                       [&](const std::string& name) { return !names.contains(name); });
  return unknown;
}

}  // namespace luzia
