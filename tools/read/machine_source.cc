#include "tools/read/machine_source.h"

#include "engine/base/try.h"
#include "tools/read/daemon_source.h"

namespace luzia {
namespace {

/// A machine whose pages never end is left once they do not fit into one answer.
class FarSource : public DaemonSource {
 public:
  using DaemonSource::DaemonSource;
  Result<RowPage> query(const wire::QueryT& query) override {
    constexpr std::size_t kBytesOfAnyPage = 1 << 10;  // empty ones end, too
    if (query.cursor.empty()) bytes_ = 0;
    auto page = DaemonSource::query(query);
    if (!page) return page;
    bytes_ += kBytesOfAnyPage;
    for (const std::string& row : page->rows) bytes_ += row.size();
    if (bytes_ <= kMaxFrameBytes) return page;
    return fail(ErrorKind::trouble, "too_much", "it has more rows than fit into one answer",
                "a filter or --limit N takes fewer");
  }

 private:
  std::size_t bytes_ = 0;  // of all pages of an answer
};

}  // namespace

Result<std::unique_ptr<Source>> open_machine(const Machine& machine, const SilenceLimit& silence) {
  auto far = LUZIA_TRY(connect_by_ssh(machine, silence));
  const auto again = [machine, silence] {
    return connect_by_ssh(machine, silence).map([](FarDaemon&& next) { return std::move(next.client); });
  };
  return std::make_unique<FarSource>(std::move(far.client), again);
}

}  // namespace luzia
