// Pairs, recognizes and revokes devices. Codes are kept here, in memory only; devices are events. Loop
// thread.
#pragma once

#include <functional>

#include "engine/base/ids.h"
#include "engine/device/pairing.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/queries/queries.h"

namespace luzia {

class DeviceRequests final : public Follower {
 public:
  /// `revoked` is called once a device's revocation is durable.
  DeviceRequests(const Store& store, const Desk& desk, Queries& queries, IdSource& ids,
                 std::function<void(const std::string& device)> revoked)
      : store_(store), desk_(desk), queries_(queries), ids_(ids), revoked_(std::move(revoked)) {}

  /// Only root, the daemon's user and devices that may grant it; never from within a job.
  Status offer(const RequestId& to, const Caller& caller, const wire::OfferPairing& request);
  /// A code is taken before anything is recorded, so a crash may lose it, but none pairs two devices.
  Status pair(const RequestId& to, const Caller& caller, const wire::PairDevice& request);
  Status check(const RequestId& to, const Caller& caller, const wire::CheckDevice& request);
  /// By root, the daemon's user, devices that may grant as much, and the device itself.
  Status revoke(const RequestId& to, const Caller& caller, const wire::RevokeDevice& request);
  /// For the device of the connection alone.
  Status act_on_push(const RequestId& to, const Caller& caller, const wire::ActOnPush& request);
  void committed(const std::shared_ptr<const Group>& group) override;

 private:
  Status submit_revocation(const RequestId& to, const Caller& caller, const wire::RevokeDeviceT& request);

  Store store_;
  Desk desk_;
  Queries& queries_;
  IdSource& ids_;
  std::function<void(const std::string&)> revoked_;
  PairingOffers offers_;
};

/// `device_unknown`: there is none, or it was revoked.
Error device_unknown();

}  // namespace luzia
