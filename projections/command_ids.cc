#include "projections/command_ids.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "engine/flow/flow.h"

namespace luzia {
namespace {

constexpr TimeUs kPeriodUs = 8 * kDayUs;
constexpr TimeUs kMostBetweenUs = kHourUs;   // most that the time between two commands counts
constexpr TimeUs kNotedEveryUs = kMinuteUs;  // smaller changes do not write the row

/// Keys erased with each command. Several times what a command adds, and few enough for a replay's batch of
/// 16,384 commands not to take much more memory.
constexpr std::size_t kErasedAtOnce = 8;

/// Longer than a period and a uid, so it equals no command's key. Keeps the name it had in version 1.
constexpr std::string_view kPeriodKey = "\xff week of the log";

std::string command_key(std::uint32_t period, std::uint32_t uid, std::string_view command_id) {
  return big_endian_32(period).append(big_endian_32(uid)).append(command_id);
}

class CommandIds : public Projection {
 public:
  explicit CommandIds(const ViewReaderSource& rows)
      : records_(kCommandIdsView, rows), period_(kCommandIdsView, rows) {}
  std::vector<ProjectionInfo> views() const override { return {kCommandIdsView}; }

  void fold(const schema::Event& event) override {
    const std::string_view command_id = text(event.command_id());
    if (command_id.empty()) return;
    const std::uint32_t period = advance(std::max<TimeUs>(0, event.time_us()));
    const std::uint32_t uid = event.actor() ? event.actor()->uid() : 0;
    view::CommandRecordT& record = record_of(event, period, uid, command_id);
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
  void flush(RowBatch& batch) override {
    records_.flush(batch);
    period_.flush(batch);
    unflushed_.reset();
  }

 private:
  /// Returns the present period.
  std::uint32_t advance(TimeUs time) {
    const view::CommandPeriodT* period = period_.find(kPeriodKey);
    if (!period || std::abs(time - period->noted_us) >= kNotedEveryUs) period = &note_time(time);
    if (!period->erased_to.empty()) erase_some();
    return static_cast<std::uint32_t>(period->period);
  }

  view::CommandPeriodT& note_time(TimeUs time) {
    view::CommandPeriodT& period = period_.edit(kPeriodKey);
    period.lasted_us += std::clamp<TimeUs>(time - period.noted_us, 0, kMostBetweenUs);
    period.noted_us = time;
    if (period.lasted_us < kPeriodUs) return period;
    period.lasted_us = 0;
    ++period.period;
    unflushed_.reset();
    if (period.period > 1 && period.erased_to.empty()) {
      period.erased_to = big_endian_32(static_cast<std::uint32_t>(period.period - 2));
    }
    return period;
  }

  /// Erases the same keys however events are divided into batches: the first keys of the stored and the not
  /// yet written rows together. Nothing is added to a past period.
  void erase_some() {
    view::CommandPeriodT& period = period_.edit(kPeriodKey);
    const std::string end = big_endian_32(static_cast<std::uint32_t>(period.period - 1));
    if (!unflushed_) unflushed_ = records_.changed_keys(period.erased_to, end);
    const auto stored = records_.stored_keys(period.erased_to, end, kErasedAtOnce + 1);
    std::set<std::string> first(stored.begin(), stored.end());
    auto next = std::ranges::lower_bound(*unflushed_, period.erased_to);
    for (std::size_t n = 0; n <= kErasedAtOnce && next != unflushed_->end(); ++n) first.insert(*next++);
    period.erased_to.clear();
    std::size_t erased = 0;
    for (const std::string& key : first) {
      if (erased++ == kErasedAtOnce) {
        period.erased_to = key;
        return;
      }
      records_.erase_unread(key);
    }
  }

  /// A command's first event has its digest, and its record does not exist yet. The command's other events
  /// may reach into the next period but belong to the same record.
  view::CommandRecordT& record_of(const schema::Event& event, std::uint32_t period, std::uint32_t uid,
                                  std::string_view command_id) {
    const std::string key = command_key(period, uid, command_id);
    if (event.command_digest()) return records_.overwrite(key);
    if (period == 0 || records_.find(key)) return records_.edit(key);
    view::CommandRecordT* before = records_.edit_existing(command_key(period - 1, uid, command_id));
    return before ? *before : records_.edit(key);
  }

  RowTable<view::CommandRecord> records_;
  RowTable<view::CommandPeriod> period_;
  std::optional<std::vector<std::string>> unflushed_;  // keys of past periods; nullopt: not known
};

}  // namespace

std::unique_ptr<Projection> make_command_ids_projection(ViewReaderSource rows) {
  return std::make_unique<CommandIds>(rows);
}

std::optional<view::CommandRecordT> find_command(const ViewReader& rows, std::uint32_t uid,
                                                 std::string_view command_id) {
  const auto period = read_row<view::CommandPeriod>(rows, kCommandIdsView, kPeriodKey);
  if (!period) return std::nullopt;
  const auto now = static_cast<std::uint32_t>((*period)->period());
  for (std::uint32_t back = 0; back <= std::min(now, 1U); ++back) {
    const auto row =
        read_row<view::CommandRecord>(rows, kCommandIdsView, command_key(now - back, uid, command_id));
    if (row) return row->native();
  }
  return std::nullopt;
}

}  // namespace luzia
