#include "projections/hooks.h"

#include "engine/event/event.h"

namespace luzia {
namespace {

class HookCursors : public Projection {
 public:
  explicit HookCursors(ViewReaderSource rows) : hooks_(kHooksView, std::move(rows)) {}
  std::vector<ProjectionInfo> views() const override { return {kHooksView}; }

  void fold(const schema::Event& event) override {
    const auto* system = event.payload_as_SystemEvent();
    if (!system) return;
    if (const auto* registered = system->fact_as_HookRegistered()) {
      advance(text(registered->hook()), registered->position());
    } else if (const auto* told = system->fact_as_HookDelivered()) {
      note(advance(text(told->hook()), told->position()), *told, event.time_us());
    }
  }
  void flush(RowBatch& batch) override { hooks_.flush(batch); }

 private:
  view::HookCursorT& advance(std::string_view hook, Position position) {
    view::HookCursorT& row = hooks_.edit(hook);
    row.hook = hook;
    row.position = std::max(row.position, position);
    return row;
  }

  static void note(view::HookCursorT& row, const schema::HookDelivered& told, TimeUs time) {
    switch (told.outcome()) {
      case schema::HookOutcome::delivered:
        ++row.delivered;
        row.last_us = time;
        return;
      case schema::HookOutcome::given_up:
        ++row.given_up;
        row.last_us = time;
        row.last_failure = text(told.detail());
        return;
      case schema::HookOutcome::suppressed:
        ++row.suppressed;
        return;
    }
  }

  RowTable<view::HookCursor> hooks_;
};

}  // namespace

std::unique_ptr<Projection> make_hooks_projection(ViewReaderSource rows) {
  return std::make_unique<HookCursors>(std::move(rows));
}

std::vector<view::HookCursorT> hook_cursors(const ViewReader& rows) {
  std::vector<view::HookCursorT> hooks;
  rows.scan(row_key(kHooksView, ""), row_end(kHooksView), [&](std::string_view, std::string_view value) {
    hooks.push_back(StoredRow<view::HookCursor>(value).native());
    return true;
  });
  return hooks;
}

}  // namespace luzia
