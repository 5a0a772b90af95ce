// Which device a token belongs to. The daemon knows; its answer is kept for a few seconds, and forgotten at
// once when it reports that a device was revoked. Tokens are kept as hashes. Any thread.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "engine/base/hash.h"
#include "tools/luzia-web/daemon_door.h"
#include "tools/luzia-web/routes.h"

namespace luzia::web {

struct Device {
  std::string id, name, person;
  Role role = Role::viewer;
  std::vector<std::string> projects;  // empty: all
};

struct Admission {
  Device device;
  std::string token;
};

class Devices {
 public:
  static constexpr std::int64_t kKeptUs = 5'000'000;

  explicit Devices(const DaemonDoor& door) : door_(door) {}

  /// The kept answer; nullopt: the daemon must be asked. `now_us` never goes back.
  std::optional<Device> known(const std::string& token, const std::string& address, std::int64_t now_us);
  /// Whether the token was good when the daemon was asked last. Then it does not count as a guess.
  bool was_good(const std::string& token);
  /// Asks the daemon: waits for it. `device_unknown` (refused).
  Result<Device> check(const std::string& token, const std::string& address, std::int64_t now_us);
  /// Forgets what is kept about every device: one of them was revoked.
  void forget();
  /// How often it was done.
  std::uint64_t forgotten();

  /// Redeems a code; waits for the daemon. Errors are the daemon's.
  Result<Admission> pair(const std::string& code, const std::string& name, const std::string& address);

 private:
  struct Kept {
    Device device;
    std::int64_t until_us = 0;
  };
  static Hash key_of(const std::string& token, const std::string& address);

  const DaemonDoor& door_;
  std::mutex mutex_;
  std::uint64_t forgotten_ = 0;  // an answer from before that is not kept
  std::map<Hash, Kept> kept_;
  std::set<Hash> good_;
};

/// {"device","name","person","role","projects"}.
std::string me_json(const Device& device);

/// Offers a pairing in the name of a device: answers {"code","until","role"}; waits for the daemon.
Answer offer_pairing(const DaemonDoor& door, const std::string& device, const Match& match,
                     const Request& request);

}  // namespace luzia::web
