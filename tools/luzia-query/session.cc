#include "tools/luzia-query/session.h"

#include <unistd.h>

#include "adapters/socket/client.h"
#include "adapters/socket/socket_path.h"
#include "projections/query.h"
#include "projections/rows/unreadable.h"
#include "tools/luzia-query/pages.h"

namespace luzia {
namespace {

/// Counts the rows that have lost a text on their way.
class CountingSource : public Source {
 public:
  CountingSource(std::unique_ptr<Source> source, std::uint64_t& unreadable)
      : source_(std::move(source)), unreadable_(unreadable) {}
  bool is_daemon() const override { return source_->is_daemon(); }
  Result<Position> end() override { return source_->end(); }
  Result<RowPage> query(const wire::QueryT& query) override {
    auto page = source_->query(query);
    if (!page) return page;
    for (const std::string& row : page->rows) unreadable_ += has_unreadable_text(page->type, as_bytes(row));
    return page;
  }
  Result<std::string> verify(const ProgressSink& progress) override { return source_->verify(progress); }
  Result<std::string> rebuild(const ProgressSink& progress) override { return source_->rebuild(progress); }
  Result<std::string> backup(const std::string& target, const ProgressSink& progress) override {
    return source_->backup(target, progress);
  }

 private:
  std::unique_ptr<Source> source_;
  std::uint64_t& unreadable_;
};

}  // namespace

Result<std::unique_ptr<Source>> Session::open(const SourceOptions& place) {
  auto opened = open_source(
      place, [this](const std::string& line) { console_.say("luzia-query: " + line); }, progress());
  if (!opened) return opened;
  return std::make_unique<CountingSource>(std::move(*opened), unreadable_rows_);
}

ProgressSink Session::progress() const {
  return [this](std::string_view what, std::uint64_t done, std::uint64_t total) {
    console_.show_progress(what, done, total);
  };
}

Result<Source*> Session::source() {
  if (!source_) {
    auto opened = open(place_);
    if (!opened) return tl::unexpected(opened.error());
    source_ = std::move(*opened);
    if (!place_.offline && !source_->is_daemon()) {
      console_.say_to_person(
          "luzia-query: no daemon is running: this is read from the store, as of its last event");
    }
  }
  return source_.get();
}

Result<Source*> Session::still_source() {
  if (still_) return still_.get();
  const bool readable = !place_.store.empty() && access((place_.store + "/log").c_str(), R_OK | X_OK) == 0;
  if (!readable) return source();
  SourceOptions beside = place_;
  beside.offline = true;
  auto opened = open(beside);
  if (!opened) return tl::unexpected(opened.error());
  still_ = std::move(*opened);
  return still_.get();
}

void Session::leave_open() {
  (void)source_.release();
  (void)still_.release();
}

wire::QueryT Session::query(wire::View view) const {
  wire::QueryT query;
  query.view = view;
  query.filter = std::make_unique<wire::FilterT>(options_.filter);
  query.cursor = options_.cursor;
  query.at_position = options_.at.position;
  query.at_time_us = options_.at.time_us;
  return query;
}

wire::QueryT Session::history_query(wire::View view) const {
  wire::QueryT history = query(view);
  history.filter->ended = true;
  history.cursor.clear();
  if (view == wire::View::flows) history.text = kFlowsOfAllTime;
  return history;
}

Result<TimeUs> Session::as_of() {
  if (options_.at.position != 0) {
    auto asked = source();
    if (!asked) return tl::unexpected(asked.error());
    return time_of(**asked, options_.at.position);
  }
  return options_.at.time_us != 0 ? std::min(options_.at.time_us, now_) : now_;
}

Result<TimeUs> Session::seen_until() {
  if (!options_.at.is_now()) return as_of();
  auto asked = source();
  if (!asked) return tl::unexpected(asked.error());
  if ((*asked)->is_daemon()) return now_;
  if (!last_event_) {
    // Rows can be read where the end of the log cannot, and then are the answer; verify tells what is wrong.
    const auto end = (*asked)->end();
    if (!end || *end == 0) return now_;
    const auto time = time_of(**asked, *end);
    if (!time) return now_;
    last_event_ = std::min(*time, now_);
  }
  return *last_event_;
}

bool Session::is_unwatched() const {
  if (!source_ || source_->is_daemon()) return false;
  if (!place_.offline) return true;  // a daemon was looked for first
  const auto socket = socket_path(place_.store);
  return !socket || !Client::connect(*socket, place_.silence);
}

Result<Moment> Session::exported_moment() {
  auto still = still_source();
  if (!still) return tl::unexpected(still.error());
  wire::QueryT any = query(wire::View::jobs);
  any.filter = std::make_unique<wire::FilterT>();
  any.cursor.clear();
  any.limit = 1;
  const auto page = (*still)->query(any);
  if (!page) return tl::unexpected(page.error());
  const auto time = page->position == 0 ? now_ : time_of(**still, page->position);
  if (!time) return tl::unexpected(time.error());
  return Moment{page->position, *time};
}

Result<TimeUs> Session::time_of(Source& source, Position position) {
  wire::QueryT query;
  query.view = wire::View::events;
  query.filter = std::make_unique<wire::FilterT>();
  query.cursor = std::to_string(position - 1);
  query.at_position = position;
  query.limit = 1;
  const auto page = source.query(query);
  if (!page) return tl::unexpected(page.error());
  const auto events = events_of(*page);
  if (!events) return tl::unexpected(events.error());
  return events->empty() ? now_ : events->front()->time_us();
}

}  // namespace luzia
