#include "tools/luziad/attempts/check_report.h"

#include <algorithm>
#include <optional>

#include "adapters/output_log/log_file.h"
#include "adapters/output_log/redacted_read.h"
#include "engine/base/characters.h"
#include "engine/base/escape_sequences.h"
#include "engine/base/utf8.h"
#include "engine/job/first_cause.h"

namespace luzia {
namespace {

constexpr std::uint64_t kMostRead = 4 << 20;
constexpr std::size_t kMostTail = 8 << 10, kMostTailLine = kMostTail - 8;
constexpr std::size_t kMostFound = 20, kMostOfLine = 300;  // lines that name known problems, and their bytes

struct Printed {
  std::string text;
  std::uint64_t skipped = 0;  // earlier bytes of the checks, which were not read
};

/// Short reads end it: the attempt is over, so the file can only have been cut.
std::optional<Printed> read_printed(const std::string& job_dir, std::uint32_t uid,
                                    const schema::AttemptEndedT& end, const Redactor* redactor) {
  const LogFile file(job_dir, uid);
  if (file.state() != LogFile::State::readable) return std::nullopt;
  const std::uint64_t size = end.output_bytes - std::min(end.output_bytes, end.checks_from);
  Printed printed;
  printed.skipped = size - std::min(size, kMostRead);
  printed.text.resize(size - printed.skipped);
  const ssize_t size_read = read_redacted(redactor, file.descriptor(), end.checks_from + printed.skipped,
                                          std::span(printed.text), false);
  printed.text.resize(static_cast<std::size_t>(std::max<ssize_t>(size_read, 0)));
  return printed;
}

/// Its line without terminal sequences and other control characters, but for tabs. Indented, so that nothing
/// that is printed looks like a heading or an end of what the agent is told.
std::string plain_line(std::string_view line, std::size_t most) {
  std::string plain;
  append_without_escapes(line, plain);
  plain = bounded_utf8(plain, most);
  std::erase_if(plain, [](char c) { return is_control(c) && c != '\t'; });
  return plain.empty() ? "\n" : "    " + plain + "\n";
}

struct Tail {
  std::string text;
  std::size_t begins = 0;  // in what was printed
};

/// The last lines, whole; a longer one is cut.
Tail plain_tail(std::string_view text) {
  Tail tail;
  std::size_t end = text.ends_with('\n') ? text.size() - 1 : text.size();
  tail.begins = text.size();
  while (tail.begins > 0) {
    const std::size_t before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string line = plain_line(text.substr(begin, end - begin), kMostTailLine);
    if (tail.text.size() + line.size() > kMostTail) break;
    tail.text.insert(0, line);
    tail.begins = begin;
    end = before;
  }
  return tail;
}

std::vector<schema::IssueDetectedT> find_problems(const IssueMatcher& matcher, std::string_view text) {
  std::vector<schema::IssueDetectedT> found;
  std::size_t looked_at = 0;
  constexpr std::size_t kMostFacts = 1'000;
  while (looked_at < text.size() && found.size() < kMostFacts) {
    const std::size_t step =
        matcher.match({text.substr(looked_at), looked_at, 1}, kMostFacts - found.size(), found);
    if (step == 0) break;
    looked_at += step;
  }
  return found;
}

/// The lines with errors that begin before `tail_begins`.
std::string earlier_problems(const std::vector<schema::IssueDetectedT>& found, std::size_t tail_begins) {
  std::string lines;
  std::size_t count = 0;
  std::uint64_t last = ~std::uint64_t{0};
  for (const schema::IssueDetectedT& issue : found) {
    const bool is_earlier = issue.offset < tail_begins && issue.offset != last;
    if (issue.severity < schema::Severity::error || !is_earlier) continue;
    if (++count > kMostFound) break;
    last = issue.offset;
    lines += plain_line(issue.line, kMostOfLine);
  }
  return lines;
}

/// The first cause among the problems; empty: there is none, or `said` has the line already.
std::string first_failure(const std::vector<schema::IssueDetectedT>& found, const std::string& said) {
  std::vector<SeenIssue> seen;
  for (const schema::IssueDetectedT& issue : found) {
    seen.push_back(seen_issue(issue, issue.line_no, issue.offset));
  }
  const auto failure = first_cause(std::move(seen));
  return failure && said.find(failure->summary) == std::string::npos ? failure->summary : std::string();
}

}  // namespace

std::string check_report(const std::string& job_dir, std::uint32_t uid, const schema::AttemptEndedT& end,
                         const IssueMatcher* matcher, const Redactor* redactor) {
  std::string report = "Your work was checked after you had ended, and the " + end.check_error + ".\n";
  const auto printed = read_printed(job_dir, uid, end, redactor);
  if (!printed) return report + "What it printed cannot be read.\n";
  const Tail tail = plain_tail(printed->text);
  const auto found =
      matcher == nullptr ? std::vector<schema::IssueDetectedT>() : find_problems(*matcher, printed->text);
  const std::string problems = earlier_problems(found, tail.begins);
  const std::string first = first_failure(found, problems + tail.text);
  if (!first.empty()) report += "\nWhat failed first:\n\n" + plain_line(first, kMostOfLine * 3);
  if (!problems.empty()) report += "\nProblems that it named earlier:\n\n" + problems;
  if (!tail.text.empty()) report += "\nThe end of what it printed:\n\n" + tail.text;
  // Without terminal sequences a value may be whole that was not found before.
  if (redactor != nullptr) redactor->black_out(report, false);
  return report + "\nCorrect the cause, not the check, and end when the work is done.\n";
}

}  // namespace luzia
