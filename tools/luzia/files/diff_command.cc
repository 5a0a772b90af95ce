// diff: shows which files changed since an attempt began.
#include <map>

#include "adapters/git/restore.h"
#include "engine/base/try.h"
#include "engine/base/whole_number.h"
#include "projections/rows/harmless.h"
#include "projections/rows/json_object.h"
#include "projections/rows/table.h"
#include "tools/cli/pager.h"
#include "tools/luzia/families.h"
#include "tools/luzia/files/job_files.h"
#include "tools/read/commands.h"

namespace luzia {
namespace {

constexpr std::size_t kMostOfALine = 64 << 10;

constexpr Option kDiffOptions[] = {
    {"--attempt", ValueKind::number, "N", "compare with the files before this attempt (default: the last)"},
    {"--stat", ValueKind::flag, "", "show how much has changed in each file"},
    {"--name-only", ValueKind::flag, "", "show only file names"},
    {"--no-pager", ValueKind::flag, "", "use no pager on a terminal"},
    kFromOption,
    kToOption,
    {"--job", ValueKind::list, "JOB", "with --from: only these jobs", "", Completes::job},
    {"--project", ValueKind::list, "NAME", "with --from: only these projects", "", Completes::project},
    {"--agent", ValueKind::list, "NAME", "with --from: only these agents", "", Completes::agent},
    {"--tag", ValueKind::list, "TAG", "with --from: only jobs with all of these tags"},
    {"--state", ValueKind::states, "STATE", "with --from: only jobs in these states at its end"},
    {"--limit", ValueKind::number, "N", "with --from: at most N jobs, flows and problems (default: all)"},
};

Colour line_colour(std::string_view line) {
  if (line.starts_with("+++") || line.starts_with("---") || line.starts_with("diff ")) return Colour::bold;
  if (line.starts_with("@@")) return Colour::cyan;
  return line.starts_with('+') ? Colour::green : line.starts_with('-') ? Colour::red : Colour::none;
}

/// Prints git's output line by line: made harmless, and in our own colors.
class DiffLines {
 public:
  DiffLines(Pager& pager, const TableStyle& style, bool coloured)
      : pager_(pager), style_(style), coloured_(coloured) {}

  bool add(std::string_view piece) {
    while (!piece.empty()) {
      const std::size_t end = piece.find('\n');
      line_.append(piece.substr(0, end));
      piece.remove_prefix(end == std::string_view::npos ? piece.size() : end + 1);
      const bool whole = end != std::string_view::npos;
      if ((whole || line_.size() >= kMostOfALine) && !show(whole)) return false;
    }
    return true;
  }
  void finish() {
    if (!line_.empty()) show(true);
  }

 private:
  bool show(bool whole) {
    const std::string shown = make_harmless(line_, {.unicode = style_.unicode});
    const bool read = pager_.write(
        coloured(shown, coloured_ ? line_colour(line_) : Colour::none, coloured_ && style_.colour) +
        (whole ? "\n" : ""));
    line_.clear();
    return read;
  }

  Pager& pager_;
  TableStyle style_;
  bool coloured_;
  std::string line_;
};

/// "ADDED\tREMOVED" by path, from git's numstat; dashes for binary files.
std::map<std::string, std::string> numbers_by_path(const std::string& text) {
  std::map<std::string, std::string> numbers;
  for (const std::string& entry : split_at_nul(text)) {
    const std::size_t tab = entry.find('\t', entry.find('\t') + 1);
    if (tab != std::string::npos) numbers[entry.substr(tab + 1)] = entry.substr(0, tab);
  }
  return numbers;
}

Result<std::string> diff_json(const ChangesSince& since, const JobPlace& place, std::uint32_t attempt,
                              const Snapshot& snapshot) {
  std::string text;
  LUZIA_TRY(print_changes(since, DiffForm::numbers, [&](std::string_view piece) {
    text += piece;
    return true;
  }));
  const auto numbers = numbers_by_path(text);
  JsonObject object;
  object.text("job", place.job.id);
  object.number("attempt", attempt);
  object.text("repository", place.repository.top);
  object.text("snapshot", snapshot.commit);
  object.objects("files", since.changes, [&](JsonObject& file, const FileChange& change) {
    const auto found = numbers.find(change.path);
    const std::string_view number = found == numbers.end() ? "-\t-" : std::string_view(found->second);
    file.text("path", change.path);
    file.text("change", change_word(change.kind));
    file.optional("added", leading_number<std::uint64_t>(number));
    file.optional("removed", leading_number<std::uint64_t>(number.substr(number.find('\t') + 1)));
  });
  object.strings("left_out", since.left_alone);
  return object.take();
}

void say_left_out(const Invocation& invocation, const ChangesSince& since) {
  constexpr std::size_t kMostNamed = 5;
  std::string names;
  for (std::size_t i = 0; i < since.left_alone.size() && i < kMostNamed; ++i) {
    names += (i == 0 ? "" : ", ") + make_harmless(since.left_alone[i]);
  }
  if (!names.empty()) {
    const bool more = since.left_alone.size() > kMostNamed;
    invocation.say("not compared (too large, unreadable, or a repository inside): " + names +
                   (more ? ", ..." : ""));
  }
}

Result<int> run_diff(Invocation& invocation) {
  const Arguments& args = invocation.args();
  if (args.has("from")) return run_reading(invocation, show_changes);
  if (args.positionals().empty()) {
    return fail(ErrorKind::usage, "bad_usage", "diff needs a JOB or --from TIME", "luzia diff --help");
  }
  if (args.has("stat") && args.has("name-only")) {
    return fail(ErrorKind::usage, "bad_usage", "--stat and --name-only exclude each other");
  }
  auto client = LUZIA_TRY(invocation.connect());
  const auto place = LUZIA_TRY(find_job_place(invocation, client, args.positionals().front(), JobUse::look));
  const auto attempt = LUZIA_TRY(attempt_of(args, place.job));
  const auto snapshot = LUZIA_TRY(snapshot_before(place, attempt));
  const auto paths = LUZIA_TRY(paths_in(place, {args.positionals().begin() + 1, args.positionals().end()}));
  const auto since =
      LUZIA_TRY(changes_since(place.repository, snapshot, paths, NewObjects::scratch, git_deadline()));
  LUZIA_TRY(check_paths(place, paths, since));
  if (invocation.json()) {
    const auto json = LUZIA_TRY(diff_json(since, place, attempt, snapshot));
    print_line(json);
    return 0;
  }
  say_left_out(invocation, since);
  const Terminal& terminal = invocation.terminal();
  const DiffForm form = args.has("stat")        ? DiffForm::stat
                        : args.has("name-only") ? DiffForm::names
                                                : DiffForm::patch;
  Pager pager(terminal.out_is_terminal && !args.has("no-pager"));
  DiffLines lines(pager, terminal.style(), form == DiffForm::patch);
  LUZIA_TRY(print_changes(since, form, [&](std::string_view piece) { return lines.add(piece); }));
  lines.finish();
  return 0;
}

}  // namespace

const Command kDiffCommand = {
    "diff",
    "Files",
    "JOB [--attempt N] [--stat | --name-only] [-- PATH...]\n--from TIME [--to TIME] [filters]",
    "show what changed since a job began, or between two moments",
    "Compares the current files, including untracked ones, with the snapshot taken before the attempt; for "
    "a job with its own worktree, the files there. Changes by other jobs and people are included. The "
    "project must be in a git repository. With --from the command compares two moments instead: what "
    "changed in jobs, flows, known problems and costs.",
    "luzia diff @last\n"
    "luzia diff 0kx8 --stat\n"
    "luzia diff 0kx8 --attempt 1 -- src/main.c\n"
    "luzia diff --from yesterday --project web",
    kDiffOptions,
    {0, -1, Completes::job},
    run_diff,
    kNeedsStore,
    kTwoMoments};

}  // namespace luzia
