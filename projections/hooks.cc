#include "projections/hooks.h"

#include "engine/event/event.h"
#include "engine/hook/hook_events.h"

namespace luzia {
namespace {

class HookCursors : public OneView<Projection, view::HookCursor, kHooksView> {
 public:
  using OneView::OneView;

  void fold(const schema::Event& event) override {
    const auto* system = event.payload_as_SystemEvent();
    if (!system) return;
    if (const auto* registered = system->fact_as_HookRegistered()) {
      view::HookCursorT& row = advance(text(registered->hook()), registered->position());
      // Rows of other queues stay as earlier versions folded them.
      if (row.hook.ends_with(kDigestSuffix) && row.registered_us == 0) row.registered_us = event.time_us();
    } else if (const auto* due = system->fact_as_DigestDue()) {
      advance(text(due->hook()), 0).digest_us = event.time_us();
    } else if (const auto* told = system->fact_as_HookDelivered()) {
      note(advance(text(told->hook()), told->position()), *told, event.time_us());
    }
  }

 private:
  view::HookCursorT& advance(std::string_view hook, Position position) {
    view::HookCursorT& row = rows_.edit(hook);
    row.hook = hook;
    row.position = std::max(row.position, position);
    return row;
  }

  static void note(view::HookCursorT& row, const schema::HookDelivered& told, TimeUs time) {
    switch (told.outcome()) {
      case schema::HookOutcome::delivered:
        ++row.delivered;
        row.last_us = time;
        if (row.hook.ends_with(kDigestSuffix)) row.digest_told = told.position();
        return;
      case schema::HookOutcome::given_up:
        ++row.given_up;
        row.last_us = row.failed_us = time;
        row.last_failure = text(told.detail());
        return;
      case schema::HookOutcome::suppressed:
        ++row.suppressed;
        return;
    }
  }
};

}  // namespace

std::unique_ptr<Projection> make_hooks_projection(ViewReaderSource rows) {
  return std::make_unique<HookCursors>(std::move(rows));
}

std::vector<view::HookCursorT> hook_cursors(const ViewReader& rows) {
  return all_rows<view::HookCursor>(rows, kHooksView);
}

}  // namespace luzia
