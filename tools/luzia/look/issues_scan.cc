#include "tools/luzia/look/issues_scan.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <system_error>

#include "adapters/issues/project_matcher.h"
#include "engine/base/counted.h"
#include "engine/base/try.h"
#include "engine/job/first_cause.h"
#include "projections/rows/issue_rows.h"
#include "projections/rows/json.h"
#include "projections/rows/row_bytes.h"
#include "tools/read/options.h"

namespace luzia {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;     // a longer line is searched in pieces
constexpr std::size_t kContextBytes = 16 << 10;  // kept for patterns that look at earlier lines
constexpr std::size_t kMostFacts = 1'000;        // of one call of the matcher
constexpr std::size_t kMostProblems = 10'000;    // further ones are only counted
constexpr std::uint64_t kShownProblems = 50;     // without --limit, as in lists

/// The problems of a text, each once, in the order of their first lines.
class Problems {
 public:
  void add(schema::IssueDetectedT&& fact) {
    ++occurrences_;
    const auto known = places_.find(fact.fingerprint);
    if (known != places_.end()) {
      ++rows_[known->second].count;
      return;
    }
    if (rows_.size() == kMostProblems) {
      ++left_out_;
      return;
    }
    places_.emplace(fact.fingerprint, rows_.size());
    view::IssueT& row = rows_.emplace_back();
    row.pattern = std::move(fact.pattern);
    row.severity = fact.severity;
    row.rank = fact.rank;
    row.fingerprint = std::move(fact.fingerprint);
    row.count = 1;
    row.first_line = fact.line_no;
    row.first_offset = fact.offset;
    row.line = std::move(fact.line);
    row.captures = std::move(fact.captures);
    row.fix = std::move(fact.fix);
    row.fix_command = std::move(fact.fix_command);
    row.auto_fixable = fact.auto_fixable;
    row.description = std::move(fact.description);
  }

  /// At the end: removes those that a failed attempt would fold; returns how many.
  std::size_t fold() {
    std::vector<SeenIssue> seen;
    for (const view::IssueT& row : rows_) {
      seen.push_back(seen_issue(row, row.first_line, row.first_offset, row.count));
    }
    const auto failure = first_cause(seen);
    if (!failure) return 0;
    const std::vector<IssueFold> folds = fold_issues(seen, &*failure);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].folded = folds[i].folded;
      rows_[i].similar = folds[i].similar;
    }
    return std::erase_if(rows_, [](const view::IssueT& row) { return row.folded; });
  }

  std::size_t size() const { return rows_.size(); }
  std::uint64_t occurrences() const { return occurrences_; }
  std::uint64_t left_out() const { return left_out_; }
  /// The first `most` rows (0: all), encoded.
  std::vector<std::string> encoded(std::size_t most) const {
    std::vector<std::string> encoded;
    for (const view::IssueT& row : rows_) {
      if (most != 0 && encoded.size() == most) break;
      encoded.push_back(row_bytes(row));
    }
    return encoded;
  }

 private:
  std::vector<view::IssueT> rows_;
  std::map<std::string, std::size_t, std::less<>> places_;  // by fingerprint
  std::uint64_t occurrences_ = 0, left_out_ = 0;
};

/// Searches a text that arrives in pieces, by whole lines.
class TextScan {
 public:
  TextScan(const IssueMatcher& matcher, Problems& problems) : matcher_(matcher), problems_(problems) {}

  void add(std::string_view piece) {
    rest_.append(piece);
    const std::size_t newline = rest_.rfind('\n');
    const std::size_t whole = newline == std::string::npos ? 0 : newline + 1;
    const bool is_long = whole <= looked_ && rest_.size() - looked_ > kBlockBytes;
    search(is_long ? rest_.size() : whole);
  }
  void finish() { search(rest_.size()); }

 private:
  /// Searches rest_ up to `end`, and keeps the last lines before that as context.
  void search(std::size_t end) {
    std::vector<schema::IssueDetectedT> found;
    const std::string_view text = std::string_view(rest_).substr(0, end);
    while (looked_ < end) {
      found.clear();
      const std::size_t looked = matcher_.match({text, offset_, line_, looked_}, kMostFacts, found);
      for (schema::IssueDetectedT& fact : found) problems_.add(std::move(fact));
      if (looked <= looked_) break;
      looked_ = looked;
    }
    std::size_t kept = end;
    if (text.ends_with('\n')) {
      const std::size_t from = end > kContextBytes ? text.find('\n', end - kContextBytes - 1) + 1 : 0;
      kept = std::min(from, end);
    }
    line_ += static_cast<std::uint64_t>(std::ranges::count(text.substr(0, kept), '\n'));
    offset_ += kept;
    rest_.erase(0, kept);
    looked_ = end - kept;
  }

  const IssueMatcher& matcher_;
  Problems& problems_;
  std::string rest_;
  std::size_t looked_ = 0;  // bytes of rest_ that were searched before
  std::uint64_t offset_ = 0, line_ = 1;
};

Status read_through(const std::string& path, TextScan& scan) {
  const bool from_stdin = path == "-";
  const int fd = from_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  int reason = fd < 0 ? errno : 0;
  std::string piece(256 << 10, '\0');
  while (reason == 0) {
    const ssize_t count = ::read(fd, piece.data(), piece.size());
    if (count == 0) break;
    if (count > 0) {
      scan.add(std::string_view(piece).substr(0, static_cast<std::size_t>(count)));
    } else if (errno != EINTR) {
      reason = errno;
    }
  }
  if (fd >= 0 && !from_stdin) ::close(fd);
  if (reason != 0) {
    return fail(
        ErrorKind::usage, "unreadable",
        "reading " + (from_stdin ? "standard input" : path) + ": " + std::generic_category().message(reason),
        "luzia issues scan FILE, or - for standard input");
  }
  scan.finish();
  return {};
}

/// The matcher of the shipped patterns and of [issues] files. A file that cannot be read is named and left
/// out.
Result<std::shared_ptr<const IssueMatcher>> matcher_for(Invocation& invocation, const std::string& project) {
  const Config* const config = LUZIA_TRY(invocation.config());
  std::vector<PatternFile> files = shipped_patterns();
  for (const std::string& path : config->issues.files) {
    auto file = read_pattern_file(path);
    if (!file) {
      invocation.say(file.error().message);
      continue;
    }
    for (const RefusedPattern& refused : file->refused) invocation.say("refused: " + refused.text());
    files.push_back(std::move(*file));
  }
  std::vector<std::string> replaced;
  const auto patterns = CompiledPatterns::uncompiled(merged_patterns(files, replaced));
  return project_matcher(patterns, project);
}

int print_problems(Invocation& invocation, const Problems& problems, std::size_t folded) {
  const Arguments& args = invocation.args();
  const std::size_t most = args.number("limit").value_or(kShownProblems);
  const auto encoded = problems.encoded(invocation.json() && !args.has("limit") ? 0 : most);
  std::vector<const view::Issue*> rows;
  std::vector<std::string> objects;
  for (const std::string& bytes : encoded) {
    const auto* row = flatbuffers::GetRoot<view::Issue>(bytes.data());
    rows.push_back(row);
    if (invocation.json()) objects.push_back(issue_json(*row));
  }
  if (invocation.json()) {
    print_line(list_json("issues", objects, 0, ""));
    return 0;
  }
  if (args.has("csv")) {
    print(issues_data(rows).csv());
    return 0;
  }
  print(issues_text(rows, invocation.terminal().style()));
  if (problems.size() == 0) {
    invocation.say("no known problem");
  } else {
    const std::size_t hidden = problems.size() - rows.size();
    invocation.say(counted(problems.size(), "problem") + ", in " + counted(problems.occurrences(), "line") +
                   (hidden == 0 ? "" : "; " + std::to_string(hidden) + " more: --limit 0"));
  }
  if (folded > 0) {
    invocation.say(counted(folded, "problem") + " folded, which others explain or outweigh: --all");
  }
  if (problems.left_out() > 0) {
    invocation.say("further " + counted(problems.left_out(), "line") +
                   " with other problems are not told apart");
  }
  return 0;
}

}  // namespace

Result<int> scan_text(Invocation& invocation, const std::string& path) {
  const Arguments& args = invocation.args();
  LUZIA_TRY(refuse_filters(invocation.command(), args,
                           {"job", "agent", "tag", "state", "since", "until", "open", "by", "at", "cursor"},
                           "scan looks at a text, not at jobs", "leave it out, or leave out scan FILE"));
  const auto projects = args.list("project");
  if (projects.size() > 1) {
    return fail(ErrorKind::usage, "bad_usage", "issues scan takes one --project, whose patterns apply");
  }
  const auto matcher = LUZIA_TRY(matcher_for(invocation, projects.empty() ? "" : projects.front()));
  Problems problems;
  if (matcher) {
    TextScan scan(*matcher, problems);
    LUZIA_TRY(read_through(path, scan));
  }
  return print_problems(invocation, problems, args.has("all") ? 0 : problems.fold());
}

}  // namespace luzia
