#include "tools/luziad/intake/device_requests.h"

#include <algorithm>

#include "engine/base/base64url.h"
#include "engine/base/failpoint.h"
#include "engine/base/utf8.h"
#include "projections/devices.h"
#include "projections/rows/row_bytes.h"
#include "tools/luziad/base/command_meta.h"

namespace luzia {
namespace {

constexpr std::string_view kDeviceIdBegin = "d-";
constexpr std::size_t kTokenBytes = 32, kMaxTokenText = 128;

Status check_owner(const Caller& caller, const std::string& doing) {
  if (caller.trusted && caller.job.empty()) return {};
  return fail(ErrorKind::refused, "not_allowed", caller.name + " may not " + doing,
              "root and the daemon's user may, outside of jobs");
}

/// Whether the caller's own device, if it uses one, has at least these rights.
Status check_grants(const Desk& desk, const Caller& caller, const DeviceGrant& grant) {
  if (!caller.device) return check_owner(caller, "pair or revoke devices");
  const Device* own = desk.engine.devices().known().find(caller.device->id);
  if (own != nullptr && may_grant(*own, grant)) return {};
  return fail(ErrorKind::refused, "device_not_allowed",
              "device " + caller.device->name + " may not pair or revoke a device with these rights",
              "a device that is admin may, for its own projects");
}

DeviceGrant grant_of(const Device& device) {
  return {device.role, device.name, device.person, device.projects};
}

/// Resolves an id, the beginning of one, or the name of a device; those that are not revoked first.
Result<Device> resolve_device(const ViewReader& rows, const std::string& name) {
  std::vector<Device> paired, revoked;
  visit_devices(rows, [&](Device device) {
    const bool exact = device.device == name || device.name == name;
    if (name.empty() || (!exact && !device.device.starts_with(name))) return;
    (device.revoked_us == 0 ? paired : revoked).push_back(std::move(device));
  });
  LUZIA_TRY(rows.status());
  std::vector<Device>& found = paired.empty() ? revoked : paired;
  const auto is_exact = [&name](const Device& each) { return each.device == name || each.name == name; };
  if (const auto exact = std::ranges::find_if(found, is_exact); exact != found.end()) return *exact;
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return fail(ErrorKind::not_found, "no_such_device", "no device '" + name + "' is paired",
                "luzia web devices lists them");
  }
  return fail(ErrorKind::usage, "ambiguous_device", "'" + name + "' fits several devices",
              "type more of the id; luzia web devices lists them");
}

}  // namespace

Error device_unknown() {
  return {ErrorKind::refused, "device_unknown", "this device is not paired, or was revoked",
          "pair it again: luzia web pair"};
}

Status DeviceRequests::offer(const RequestId& to, const Caller& caller, const wire::OfferPairing& request) {
  wire::OfferPairingT copy;
  request.UnPackTo(&copy);
  const CommandMeta meta = meta_of(caller, schema::ActorKind::person);
  PairingOffer offer;
  offer.grant = {copy.role, copy.name, copy.person.empty() ? meta.actor_name : copy.person, copy.projects};
  offer.by.kind = meta.actor;
  offer.by.uid = meta.uid;
  offer.by.name = meta.actor_name;
  offer.by.device = meta.actor_device;
  LUZIA_TRY(check_grants(desk_, caller, offer.grant));
  LUZIA_TRY(check_grant(offer.grant));
  for (const std::string& project : offer.grant.projects) {
    if (desk_.config.projects.contains(project)) continue;
    return fail(ErrorKind::usage, "unknown_project", "no project '" + project + "' is configured",
                "luzia project lists them");
  }
  wire::PairingOfferedT offered;
  offered.code = offers_.offer(std::move(offer), random_bytes(PairingOffers::kCodeBytes), monotonic_now());
  offered.until_us = meta.now + PairingOffers::kValid;
  return send_reply(desk_, to, std::move(offered));
}

Status DeviceRequests::pair(const RequestId& to, const Caller& caller, const wire::PairDevice& request) {
  DeviceGrant named;
  named.name = bounded_utf8(text(request.name()), kMaxDeviceName);
  LUZIA_TRY(check_owner(caller, "pair devices"));
  LUZIA_TRY(check_grant(named));  // before the code is gone
  auto offer = LUZIA_TRY(offers_.redeem(text(request.code()), monotonic_now()));
  CommandMeta meta = meta_of(caller, offer.by.kind);
  meta.uid = offer.by.uid;
  meta.actor_name = offer.by.name;
  meta.actor_device = offer.by.device;
  PairDevice command;
  command.id = std::string(kDeviceIdBegin) + ids_.next(meta.now);
  command.grant = std::move(offer.grant);
  if (command.grant.name.empty()) command.grant.name = std::move(named.name);
  const std::string token = base64url(random_bytes(kTokenBytes));
  command.secret_hash = secret_hash(token);
  command.address = bounded_utf8(text(request.address()), kMaxDeviceAddress);
  desk_.engine.submit(meta, ToDevices{std::move(command)}, [this, to, token](const Result<Outcome>& done) {
    if (!done) return refuse(desk_, to, done.error());
    failpoint("pair.recorded");
    const Device* device = desk_.engine.devices().known().find(done->ids.front());
    wire::DeviceAdmittedT admitted;
    admitted.device = done->ids.front();
    admitted.token = token;
    if (device != nullptr) admitted.name = device->name;
    admitted.position = done->position;
    send_reply(desk_, to, std::move(admitted));
  });
  return {};
}

Status DeviceRequests::check(const RequestId& to, const Caller& caller, const wire::CheckDevice& request) {
  LUZIA_TRY(check_owner(caller, "check devices"));
  const std::string_view token = text(request.token());
  const Device* known = token.empty() || token.size() > kMaxTokenText
                            ? nullptr
                            : desk_.engine.devices().known().find_by_token(token);
  if (known == nullptr) return tl::unexpected(device_unknown());
  Device shown = *known;
  hide_secrets(shown);
  SeeDevice seen{known->device, std::string(text(request.address()))};
  desk_.engine.submit(by_daemon(wall_now()), ToDevices{std::move(seen)}, {});
  RowPage page;
  page.type = wire::RowType::device;
  page.rows.push_back(row_bytes(shown));
  page.position = desk_.engine.durable();
  return send_reply(desk_, to, rows_reply(page));
}

Status DeviceRequests::revoke(const RequestId& to, const Caller& caller, const wire::RevokeDevice& request) {
  const std::shared_ptr<wire::RevokeDeviceT> copy(request.UnPack());
  return queries_.when_current(to, [this, to, caller, copy] { return submit_revocation(to, caller, *copy); });
}

Status DeviceRequests::submit_revocation(const RequestId& to, const Caller& caller,
                                         const wire::RevokeDeviceT& request) {
  // Whoever may not revoke any device learns of none.
  if (!caller.device) {
    LUZIA_TRY(check_owner(caller, "revoke devices"));
  }
  const auto device = resolve_device(*store_.views.snapshot(), request.device);
  const bool itself = device && caller.device && caller.device->id == device->device;
  if (caller.device && !itself) {
    LUZIA_TRY(check_grants(desk_, caller, device ? grant_of(*device) : DeviceGrant{}));
  }
  if (!device) return tl::unexpected(device.error());
  const CommandMeta meta = meta_of(caller, request, schema::ActorKind::person);
  if (device->revoked_us != 0) {
    wire::AcceptedT accepted;
    accepted.ids = {device->device};
    accepted.position = device->position;
    accepted.known = true;
    return send_reply(desk_, to, std::move(accepted));
  }
  return submit_and_reply(desk_, to, meta, ToDevices{RevokeDevice{device->device, request.note}});
}

Status DeviceRequests::act_on_push(const RequestId& to, const Caller& caller,
                                   const wire::ActOnPush& request) {
  if (!caller.device)
    return fail(ErrorKind::refused, "no_device", "only a paired device can be notified by push",
                "open the page on it: Machine, Notify me on this device");
  wire::ActOnPushT copy;
  request.UnPackTo(&copy);
  const CommandMeta meta = meta_of(caller, copy, schema::ActorKind::person);
  if (copy.action == wire::PushAction::unsubscribe)
    return submit_and_reply(desk_, to, meta, ToDevices{EndPush{caller.device->id}});
  SubscribePush command{
      caller.device->id,
      {std::move(copy.endpoint), std::move(copy.key), std::move(copy.auth), std::move(copy.kinds)}};
  LUZIA_TRY(check_push(command.target));
  LUZIA_TRY(check_push_endpoint(command.target.endpoint, desk_.config.web.push_services));
  return submit_and_reply(desk_, to, meta, ToDevices{std::move(command)});
}

void DeviceRequests::committed(const std::shared_ptr<const Group>& group) {
  for (const schema::Event* event : group->events()) {
    const auto* device = event->payload_as_DeviceEvent();
    const auto* revoked = device == nullptr ? nullptr : device->fact_as_DeviceRevoked();
    if (revoked != nullptr) revoked_(std::string(text(revoked->device())));
  }
}

}  // namespace luzia
