#include "tools/read/machine_source.h"

#include "engine/base/try.h"
#include "tools/read/daemon_source.h"

namespace luzia {

Result<std::unique_ptr<Source>> open_machine(const Machine& machine, const SilenceLimit& silence) {
  auto far = LUZIA_TRY(connect_by_ssh(machine, silence));
  const auto again = [machine, silence] {
    return connect_by_ssh(machine, silence).map([](FarDaemon&& next) { return std::move(next.client); });
  };
  return std::make_unique<DaemonSource>(std::move(far.client), again);
}

}  // namespace luzia
