// Pushes to the device that asks: its state, its subscription, a sample. A device sees and changes its own
// alone. Waits for the daemon: for worker threads.
#pragma once

#include <mutex>
#include <string>

#include "tools/luzia-web/daemon_door.h"
#include "tools/luzia-web/routes.h"

namespace luzia::web {

/// The public key of the store, by which services know the sender; made when it is first needed, and read
/// each time: another backup may have been restored. Any thread.
class PushKey {
 public:
  /// `store`: empty: unknown.
  explicit PushKey(const std::string& store) : store_(store) {}
  /// In base64url. `no_store` (trouble), and as vapid_key().
  Result<std::string> get();

 private:
  const std::string& store_;
  std::mutex mutex_;
};

/// {"key","subscribed","service","kinds","ended","delivered","given_up","last_failure"}. `ended`: why it
/// takes no pushes any more.
Answer push_state(const DaemonDoor& door, const std::string& device, PushKey& key);

/// {"delivered","message"}. `no_push` (refused): the device takes none.
Answer push_test(const DaemonDoor& door, const std::string& device);

/// What a body asks of the daemon. `bad_field` (usage): keys that are no base64url.
Result<wire::RequestUnion> push_change(const Match& match, const nlohmann::json& body,
                                       const std::string& command_id);

}  // namespace luzia::web
