#include "tools/luzia-query/source.h"

#include <algorithm>
#include <array>

#include "adapters/socket/socket_path.h"
#include "tools/luzia-query/daemon_source.h"
#include "tools/luzia-query/store_source.h"

namespace luzia {

bool is_finding(const Error& error) {
  static constexpr std::array<std::string_view, 8> kFindings = {
      "log_corrupt",        "log_shorter_than_watermark",
      "watermark_mismatch", "watermark_missing",
      "watermark_damaged",  "views_differ",
      "text_damaged",       "log_rolled_back"};
  return std::ranges::find(kFindings, error.code) != kFindings.end();
}

Status need_store(const std::string& store) {
  if (!store.empty()) return {};
  return fail(ErrorKind::trouble, "no_store",
              "LUZIA_SOCKET tells where the daemon listens, not where its store is",
              "name the store: --store DIR");
}

Result<std::unique_ptr<Source>> open_source(const SourceOptions& options,
                                            std::function<void(std::string)> note, ProgressSink progress) {
  if (!options.offline) {
    auto socket = options.socket.empty() ? socket_path(options.store) : Result<std::string>(options.socket);
    if (!socket) return tl::unexpected(socket.error());
    auto client = Client::connect(*socket, options.silence);
    if (client) return std::make_unique<DaemonSource>(std::move(*client), *socket, options.silence);
    if (client.error().code != "no_daemon" || options.store.empty()) return tl::unexpected(client.error());
  }
  if (Status known = need_store(options.store); !known) return tl::unexpected(known.error());
  return std::make_unique<StoreSource>(options, std::move(note), std::move(progress));
}

}  // namespace luzia
