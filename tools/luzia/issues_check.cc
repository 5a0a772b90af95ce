#include "tools/luzia/issues_check.h"

#include <algorithm>

#include "adapters/issues/issue_pattern.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_writer.h"

namespace luzia {
namespace {

using Checked = Result<PatternFile>;

bool is_translated(const IssuePattern& pattern) {
  return std::ranges::any_of(pattern.regexes, &LineRegex::translated);
}

void write_taken(JsonWriter& json, const IssuePattern& pattern) {
  json.begin_object();
  json.key("name");
  json.text(pattern.name);
  json.key("state");
  json.text(is_translated(pattern) ? "translated" : "ok");
  json.end_object();
}

void write_refused(JsonWriter& json, const RefusedPattern& refused) {
  json.begin_object();
  json.key("name");
  json.text(refused.pattern);
  json.key("state");
  json.text("refused");
  json.key("regex");
  refused.regex ? json.number(*refused.regex) : json.null();
  json.key("position");
  refused.regex ? json.number(refused.position) : json.null();
  json.key("reason");
  json.text(refused.reason);
  json.end_object();
}

void write_file(JsonWriter& json, const std::string& path, const Checked& file) {
  json.begin_object();
  json.key("path");
  json.text(path);
  json.key("error");
  json.text_or_null(file ? "" : file.error().message);
  json.key("patterns");
  json.begin_array();
  if (file) {
    for (const IssuePattern& pattern : file->patterns) write_taken(json, pattern);
    for (const RefusedPattern& refused : file->refused) write_refused(json, refused);
  }
  json.end_array();
  json.end_object();
}

void print_file(Invocation& invocation, const std::string& path, const Checked& file) {
  if (!file) {
    print_error(file.error(), false);
    return;
  }
  for (const IssuePattern& pattern : file->patterns) {
    print_line(make_harmless((is_translated(pattern) ? "translated  " : "ok          ") + pattern.name));
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
  bool good = true;
  std::string object;
  JsonWriter json(object);
  json.begin_object();
  json.key("files");
  json.begin_array();
  for (const std::string& path : paths) {
    const Checked file = read_pattern_file(path);
    good = good && file && file->refused.empty();
    if (invocation.json()) {
      write_file(json, path, file);
    } else {
      print_file(invocation, path, file);
    }
  }
  json.end_array();
  json.key("ok");
  json.boolean(good);
  json.end_object();
  if (invocation.json()) print_line(object);
  return good ? 0 : static_cast<int>(ErrorKind::usage);
}

}  // namespace

Result<int> check_issue_files(Invocation& invocation, std::vector<std::string> paths) {
  if (paths.empty()) {
    const auto config = invocation.config();
    if (!config) {
      return tl::unexpected(config.error());
    }
    paths = (*config)->issues.files;
    if (paths.empty()) {
      invocation.say("no file is named, and [issues] files of the configuration is empty");
    }
  }
  return check_files(invocation, paths);
}

}  // namespace luzia
