#include "tools/read/machine_source.h"

#include <algorithm>
#include <utility>

#include "engine/base/try.h"

namespace luzia {
namespace {

class FarSource : public DaemonSource {
 public:
  FarSource(Client client, Reconnect again, std::size_t most_bytes)
      : DaemonSource(std::move(client), std::move(again)), pages_(most_bytes) {}
  Result<RowPage> query(const wire::QueryT& query) override {
    auto page = DaemonSource::query(query);
    if (!page || query.view == wire::View::events) return page;
    std::size_t bytes = 0;
    for (const std::string& row : page->rows) bytes += row.size();
    LUZIA_TRY(pages_.add(query.cursor, bytes));
    return page;
  }

 private:
  FarPages pages_;
};

}  // namespace

Status FarPages::add(std::string_view cursor, std::size_t bytes) {
  constexpr std::size_t kBytesOfAnyPage = 64 << 10;  // small and empty ones end, too
  if (cursor.empty()) bytes_ = 0;
  bytes_ += std::max(bytes, kBytesOfAnyPage);
  if (bytes_ <= most_bytes_) return {};
  return fail(ErrorKind::trouble, "too_much", "it has more rows than fit into one answer",
              "a filter or --limit N takes fewer");
}

std::unique_ptr<Source> far_source(Client client, DaemonSource::Reconnect again, std::size_t most_bytes) {
  return std::make_unique<FarSource>(std::move(client), std::move(again), most_bytes);
}

Result<std::unique_ptr<Source>> open_machine(const Machine& machine, const SilenceLimit& silence) {
  if (!machine.fleet.empty()) {
    return fail(ErrorKind::refused, "not_an_order", machine.name + " takes orders only, and shows nothing",
                "the tables of the fleet's database have the rows of all machines; or name a machine of "
                "luzia machine list");
  }
  auto far = LUZIA_TRY(connect_by_ssh(machine, silence));
  const auto again = [machine, silence] {
    return connect_by_ssh(machine, silence).map([](FarDaemon&& next) { return std::move(next.client); });
  };
  return far_source(std::move(far.client), again, kMaxFrameBytes);
}

}  // namespace luzia
