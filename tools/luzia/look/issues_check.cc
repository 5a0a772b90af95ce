#include "tools/luzia/look/issues_check.h"

#include <algorithm>
#include <functional>
#include <set>

#include "adapters/issues/issue_pattern.h"
#include "engine/base/try.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"

namespace luzia {
namespace {

using Checked = Result<PatternFile>;
using Names = std::set<std::string, std::less<>>;

bool is_translated(const IssuePattern& pattern) {
  return std::ranges::any_of(pattern.regexes, &LineRegex::translated);
}

void add_names(const std::vector<IssuePattern>& patterns, Names& names) {
  for (const IssuePattern& pattern : patterns) names.insert(pattern.name);
}

/// The names that instead_of may use: shipped patterns, and those of the checked and the configured files.
Names known_names(Invocation& invocation, const std::vector<Checked>& checked) {
  Names names;
  for (const PatternFile& file : shipped_patterns()) add_names(file.patterns, names);
  for (const Checked& file : checked) {
    if (file) add_names(file->patterns, names);
  }
  const auto config = invocation.config();
  if (!config) return names;  // files can be checked without one
  for (const std::string& path : (*config)->issues.files) {
    if (const Checked file = read_pattern_file(path)) add_names(file->patterns, names);
  }
  return names;
}

std::string pattern_json(const IssuePattern& pattern, const Names& names) {
  JsonObject object;
  object.text("name", pattern.name);
  object.text("state", is_translated(pattern) ? "translated" : "ok");
  const auto unknown = unknown_instead_of(pattern, names);
  if (!unknown.empty()) object.strings("unknown_instead_of", unknown);
  return object.take();
}

std::string refused_json(const RefusedPattern& refused) {
  JsonObject object;
  object.text("name", refused.pattern);
  object.text("state", "refused");
  object.optional("regex", refused.regex);
  object.optional("position", refused.regex ? std::optional(refused.position) : std::nullopt);
  object.text("reason", refused.reason);
  return object.take();
}

std::string file_json(const std::string& path, const Checked& file, const Names& names) {
  JsonObject object;
  object.text("path", path);
  object.text_or_null("error", file ? "" : file.error().message);
  JsonWriter& patterns = object.at("patterns");
  patterns.begin_array();
  if (file) {
    for (const IssuePattern& pattern : file->patterns) patterns.raw(pattern_json(pattern, names));
    for (const RefusedPattern& refused : file->refused) patterns.raw(refused_json(refused));
  }
  patterns.end_array();
  return object.take();
}

void print_file(Invocation& invocation, const std::string& path, const Checked& file, const Names& names) {
  if (!file) {
    print_error("luzia", file.error(), false);
    return;
  }
  for (const IssuePattern& pattern : file->patterns) {
    print_line(make_harmless((is_translated(pattern) ? "translated  " : "ok          ") + pattern.name));
    for (const std::string& name : unknown_instead_of(pattern, names)) {
      print_line(make_harmless("warning     " + pattern.name + ": instead_of names " + name +
                               ", but no pattern has that name"));
    }
  }
  for (const RefusedPattern& refused : file->refused) {
    const std::string where = refused.regex ? ": error_patterns[" + std::to_string(*refused.regex) + "] at " +
                                                  std::to_string(refused.position)
                                            : "";
    print_line(make_harmless("refused     " + refused.pattern + where + ": " + refused.reason));
  }
  const std::size_t taken = file->patterns.size();
  invocation.say(path + ": " + std::to_string(taken) + (taken == 1 ? " pattern" : " patterns") + " taken, " +
                 std::to_string(file->listed - taken) + " refused");
}

int check_files(Invocation& invocation, const std::vector<std::string>& paths) {
  std::vector<Checked> files;
  for (const std::string& path : paths) files.push_back(read_pattern_file(path));
  const Names names = known_names(invocation, files);
  bool good = true;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Checked& file = files[i];
    good = good && file && file->refused.empty();
    if (invocation.json()) {
      shown.push_back(file_json(paths[i], file, names));
    } else {
      print_file(invocation, paths[i], file, names);
    }
  }
  if (invocation.json()) {
    JsonObject object;
    object.array("files", shown, std::identity());
    object.boolean("ok", good);
    print_line(object.take());
  }
  return good ? 0 : static_cast<int>(ErrorKind::usage);
}

}  // namespace

Result<int> check_issue_files(Invocation& invocation, std::vector<std::string> paths) {
  if (paths.empty()) {
    const auto config = LUZIA_TRY(invocation.config());
    paths = config->issues.files;
    if (paths.empty()) invocation.say("no file given, and [issues] files in the configuration is empty");
  }
  return check_files(invocation, paths);
}

}  // namespace luzia
