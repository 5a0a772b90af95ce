#include "projections/ends.h"

#include "engine/event/job_state.h"

namespace luzia {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

class EndsReport : public OneView<JobReport, view::LastEnd, kEndsView> {
 public:
  using OneView::OneView;

  void note(const JobStep& step) override {
    if (step.job == nullptr) return;
    const bool had_ended = step.outcome_before.has_value(), has_ended = is_terminal(step.job->state);
    const TimeUs before = had_ended ? step.outcome_before->ended_us : 0;
    if (had_ended == has_ended && before == (has_ended ? step.job->ended_us : 0)) return;
    if (had_ended) rows_.erase_unread(key_of_end(before, step.job->id));
    if (has_ended) rows_.add(key_of_end(step.job->ended_us, step.job->id));
  }
};

}  // namespace

std::string key_of_end(TimeUs ended_us, std::string_view job) {
  // Times before 1970 come first.
  return big_endian_64(static_cast<std::uint64_t>(ended_us) ^ kSignBit).append(job);
}

std::string_view job_of_end(std::string_view key) {
  return key.substr(sizeof(TimeUs));
}

std::unique_ptr<JobReport> make_ends_report(const ViewReaderSource& rows) {
  return std::make_unique<EndsReport>(rows);
}

}  // namespace luzia
