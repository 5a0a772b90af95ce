// audit: lists decisions about questions and approvals.
#include <algorithm>
#include <charconv>
#include <functional>

#include "engine/base/try.h"
#include "projections/rows/audit_rows.h"
#include "projections/rows/input_rows.h"
#include "tools/read/commands.h"
#include "tools/read/listing.h"

namespace luzia {
namespace {

/// The sort key of a decision: newest first; at the same time, the one asked last first.
struct AuditPlace {
  TimeUs decided = 0;
  Position asked = 0;
  auto operator<=>(const AuditPlace&) const = default;
};

/// Parses the cursor "DECIDED-ASKED" (microseconds, position). Without a cursor: before the whole list.
Result<AuditPlace> audit_place(const std::string& cursor) {
  AuditPlace place{std::numeric_limits<TimeUs>::max(), 0};
  if (cursor.empty()) return place;
  const char* end = cursor.data() + cursor.size();
  const auto [dash, error] = std::from_chars(cursor.data(), end, place.decided);
  if (error == std::errc{} && dash != end && *dash == '-') {
    const auto [stop, wrong] = std::from_chars(dash + 1, end, place.asked);
    if (wrong == std::errc{} && stop == end) return place;
  }
  return fail(ErrorKind::usage, "bad_cursor", "'" + cursor + "' is not a cursor of this list",
              "give the \"next\" value of the previous page");
}

/// Keeps the newest decisions of all rows it is given.
class Audit {
 public:
  Audit(const Options& options, AuditPlace before)
      : before_(before),
        since_(options.filter.since_us),
        until_(options.filter.until_us),
        limit_(options.limit.value_or(kDefaultLimit)) {}

  /// Adds the rows of a page. `bad_row`: a row is of another type.
  template <class Row>
  Status take(const RowPage& page) {
    for (const std::string& bytes : page.rows) {
      const Row* row = verified_row<Row>(as_bytes(bytes));
      if (row == nullptr) return bad_row();
      const AuditPlace place{decision_time(*row), row->position()};
      const bool in_time = place.decided >= since_ && (until_ == 0 || place.decided < until_);
      if (place.decided == 0 || !in_time || place >= before_) continue;
      kept_.push_back({place, bytes, page.type});
    }
    position_ = page.position;
    if (limit_ != 0 && kept_.size() > 2 * limit_ + kMaxLimit) cut();
    return {};
  }
  void finish() {
    cut();
    for (const Kept& kept : kept_) {
      AuditEntry entry;
      if (kept.type == wire::RowType::question) {
        entry.question = flatbuffers::GetRoot<view::Question>(kept.bytes.data());
      } else {
        entry.approval = flatbuffers::GetRoot<view::Approval>(kept.bytes.data());
      }
      entries_.push_back(entry);
    }
  }
  const std::vector<AuditEntry>& entries() const { return entries_; }
  /// The log position of the answer and the cursor of the next page; no rows.
  RowPage place() const {
    RowPage page;
    page.position = position_;
    if (is_cut_) {
      const AuditPlace& last = kept_.back().place;
      page.next = std::to_string(last.decided) + "-" + std::to_string(last.asked);
    }
    return page;
  }

 private:
  struct Kept {
    AuditPlace place;
    std::string bytes;
    wire::RowType type;
  };

  void cut() {
    std::ranges::sort(kept_, std::greater<>(), &Kept::place);
    if (limit_ == 0 || kept_.size() <= limit_) return;
    kept_.resize(limit_);
    is_cut_ = true;
  }

  AuditPlace before_;
  TimeUs since_, until_;
  std::size_t limit_;
  std::vector<Kept> kept_;
  std::vector<AuditEntry> entries_;
  Position position_ = 0;
  bool is_cut_ = false;
};

template <class Row>
Status take_all(Session& session, Source& source, wire::View view, Audit& audit) {
  wire::QueryT query = session.query(view);
  query.cursor.clear();
  query.filter->since_us = 0;  // --since is about the decision, which may be much later than the question
  return visit_pages(source, std::move(query), 0, [&](const RowPage& page) { return audit.take<Row>(page); });
}

Status print_audit(Session& session, const Audit& audit) {
  Console& console = session.console();
  const RowPage place = audit.place();
  switch (session.options().format) {
    case Format::json: {
      std::vector<std::string> objects;
      for (const AuditEntry& entry : audit.entries()) objects.push_back(audit_json(entry));
      return console.write_line(list_json("audit", objects, place.position, place.next));
    }
    case Format::csv:
      return console.write(audit_table(audit.entries(), Form::data).csv());
    case Format::table:
      break;
  }
  if (audit.entries().empty()) {
    console.say("no decisions");
  } else if (Status written = console.write(audit_table(audit.entries()).text(console.style())); !written) {
    return written;
  }
  report_place(session, place);
  return {};
}

Result<int> run_audit(Session& session) {
  Source* const source = LUZIA_TRY(session.source());
  const auto before = LUZIA_TRY(audit_place(session.options().cursor));
  Audit audit(session.options(), before);
  LUZIA_TRY(take_all<view::Question>(session, *source, wire::View::questions, audit));
  LUZIA_TRY(take_all<view::Approval>(session, *source, wire::View::approvals, audit));
  audit.finish();
  LUZIA_TRY(print_audit(session, audit));
  return 0;
}

constexpr Option kAuditOptions[] = {
    kJobFilter,    kProjectFilter,
    kAgentFilter,  kTagFilter,
    kStateFilter,  {"--since", ValueKind::moment, "TIME", "only decisions since then (30d, 2026-11-21)"},
    kUntilFilter,  kLimitOption,
    kCursorOption, kAtOption,
    kCsvOption};

}  // namespace

const Command kAuditCommand = {"audit",
                               "Look",
                               "[filters] [--limit N] [--at TIME]",
                               "list decisions, newest first: who, when, what and why",
                               "",
                               "luzia audit\n"
                               "luzia audit --project web --since 30d --csv\n"
                               "luzia audit --limit 0 --json",
                               kAuditOptions,
                               {},
                               reading<run_audit>,
                               kNeedsStore};

}  // namespace luzia
