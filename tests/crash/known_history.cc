#include "tests/crash/known_history.h"

#include <algorithm>

#include "adapters/memory/memory_view_store.h"
#include "engine/view/fold.h"
#include "projections/registry.h"
#include "tests/projections/random_history.h"
#include "tests/simulation/dice.h"

namespace luzia::test {

/// Copies every group that goes into the log to memory.
class KnownHistory::Recorder : public EventLog {
 public:
  explicit Recorder(KnownHistory& history) : history_(history) {}
  Tip tip() const override { return log().tip(); }
  Tip base() const override { return log().base(); }
  Result<std::shared_ptr<const Group>> append(const PendingGroup& group) override {
    auto appended = log().append(group);
    if (appended) {
      history_.groups_.push_back(group);
      history_.tips_.push_back(log().tip());
    }
    return appended;
  }
  std::unique_ptr<GroupCursor> read_from(Position first) const override { return log().read_from(first); }
  Result<std::optional<StoredEvent>> event(Position position) const override { return log().event(position); }
  Status visit_text_row(Position event, const std::function<void(std::string_view)>& visit) const override {
    return log().visit_text_row(event, visit);
  }
  Status erase_blob(Position event, std::uint32_t index) override { return log().erase_blob(event, index); }
  Status drop_erased() override { return log().drop_erased(); }
  Status sync_watermark() override { return log().sync_watermark(); }

 private:
  MemoryEventLog& log() const { return history_.memory_; }
  KnownHistory& history_;
};

std::unique_ptr<KnownHistory> KnownHistory::of_jobs(unsigned seed, std::size_t events) {
  auto history = std::make_unique<KnownHistory>();
  Recorder recorder(*history);
  RandomHistory(recorder, seed).write(events);
  return history;
}

std::unique_ptr<KnownHistory> KnownHistory::of_large_texts(unsigned seed, std::size_t groups) {
  auto history = std::make_unique<KnownHistory>();
  Recorder recorder(*history);
  LogWriter writer(recorder);
  Dice dice(seed);
  for (std::size_t i = 0; i < groups; ++i) {
    std::string text(50'000 + dice.below(850'000), '\0');
    for (std::size_t at = 0; at + 8 <= text.size(); at += 8) {  // incompressible
      const std::uint64_t noise = dice.next();
      std::copy_n(reinterpret_cast<const char*>(&noise), 8, text.begin() + static_cast<std::ptrdiff_t>(at));
    }
    writer.write(kSecondUs, queued("large" + std::to_string(i), "alpha", "shell", text));
  }
  return history;
}

int KnownHistory::groups_until(const Tip& tip) const {
  const auto found = std::ranges::find(tips_, tip);
  return found == tips_.end() ? -1 : static_cast<int>(found - tips_.begin());
}

std::string differences_from_replay(const EventLog& history, Position until, const ViewReader& rows) {
  MemoryViewStore replayed;
  if (auto caught_up = catch_up(history, all_projections(), replayed, until); !caught_up)
    return "the replay failed: " + caught_up.error().message;
  std::string text;
  for (const std::string& difference : compare_rows(rows, *replayed.snapshot())) text += difference + "\n";
  return text;
}

}  // namespace luzia::test
