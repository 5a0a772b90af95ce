#include "projections/command_ids.h"

#include <algorithm>

#include "engine/flow/flow.h"

namespace luzia {
namespace {

constexpr TimeUs kWeekUs = 7 * kDayUs;

/// Row that remembers the log's week (in `position`). Longer than a week and a uid, so no command's key
/// equals it.
constexpr std::string_view kWeekKey = "\xff week of the log";

std::string command_key(std::uint32_t week, std::uint32_t uid, std::string_view command_id) {
  return big_endian_32(week).append(big_endian_32(uid)).append(command_id);
}

class CommandIds : public Projection {
 public:
  explicit CommandIds(ViewReaderSource rows) : records_(kCommandIdsView, std::move(rows)) {}
  std::vector<ProjectionInfo> views() const override { return {kCommandIdsView}; }

  void fold(const schema::Event& event) override {
    const std::string_view command_id = text(event.command_id());
    if (command_id.empty()) return;
    const std::uint32_t week = advance_week(event.time_us());
    const std::uint32_t uid = event.actor() ? event.actor()->uid() : 0;
    view::CommandRecordT& record = record_of(event, week, uid, command_id);
    if (record.position == 0) {
      record.position = event.position();
      record.time_us = event.time_us();
      if (const auto* digest = event.command_digest()) record.digest.assign(digest->begin(), digest->end());
    }
    const std::string made(subject_of_stream(text(event.stream()), record.result));
    if (!made.empty() && std::ranges::find(record.result, made) == record.result.end()) {
      record.result.push_back(made);
    }
  }
  void flush(RowBatch& batch) override { records_.flush(batch); }

 private:
  /// The log's week, which only goes forward; what is too old leaves when it does.
  std::uint32_t advance_week(TimeUs time) {
    const auto now = static_cast<std::uint64_t>(std::max<TimeUs>(0, time) / kWeekUs);
    view::CommandRecordT* week = records_.find(kWeekKey);
    if (week && week->position >= now) return static_cast<std::uint32_t>(week->position);
    records_.edit(kWeekKey).position = now;
    if (now > 1) records_.erase_range(big_endian_32(0), big_endian_32(static_cast<std::uint32_t>(now - 1)));
    return static_cast<std::uint32_t>(now);
  }

  /// The digest is on a command's first event: a record that is not there yet. Its other events, which may
  /// reach into the next week, belong to that record.
  view::CommandRecordT& record_of(const schema::Event& event, std::uint32_t week, std::uint32_t uid,
                                  std::string_view command_id) {
    const std::string key = command_key(week, uid, command_id);
    if (event.command_digest()) return records_.overwrite(key);
    if (week == 0 || records_.find(key)) return records_.edit(key);
    view::CommandRecordT* before = records_.edit_existing(command_key(week - 1, uid, command_id));
    return before ? *before : records_.edit(key);
  }

  RowTable<view::CommandRecord> records_;
};

}  // namespace

std::unique_ptr<Projection> make_command_ids_projection(ViewReaderSource rows) {
  return std::make_unique<CommandIds>(std::move(rows));
}

std::optional<view::CommandRecordT> find_command(const ViewReader& rows, std::uint32_t uid,
                                                 std::string_view command_id) {
  const auto week = read_row<view::CommandRecord>(rows, kCommandIdsView, kWeekKey);
  if (!week) return std::nullopt;
  const auto now = static_cast<std::uint32_t>((*week)->position());
  for (std::uint32_t back = 0; back <= std::min(now, 1U); ++back) {
    const auto row =
        read_row<view::CommandRecord>(rows, kCommandIdsView, command_key(now - back, uid, command_id));
    if (row) return row->native();
  }
  return std::nullopt;
}

}  // namespace luzia
