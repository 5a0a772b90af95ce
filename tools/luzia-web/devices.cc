#include "tools/luzia-web/devices.h"

#include "engine/base/try.h"
#include "engine/device/device.h"
#include "projections/rows/json_object.h"
#include "projections/rows/row_bytes.h"
#include "view_flow.fb.h"

namespace luzia::web {
namespace {

constexpr std::size_t kMostKept = 1'024;

Role role_of(schema::DeviceRole role) {
  switch (role) {
    case schema::DeviceRole::viewer:
      return Role::viewer;
    case schema::DeviceRole::operator_:
      return Role::op;
    case schema::DeviceRole::admin:
      return Role::admin;
  }
  return Role::viewer;
}

}  // namespace

Hash Devices::key_of(const std::string& token, const std::string& address) {
  return blake2b({as_bytes(token), as_bytes("\n"), as_bytes(address)});
}

std::optional<Device> Devices::known(const std::string& token, const std::string& address,
                                     std::int64_t now_us) {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(key_of(token, address));
  if (found == kept_.end() || found->second.until_us <= now_us) return std::nullopt;
  return found->second.device;
}

bool Devices::was_good(const std::string& token) {
  const std::lock_guard lock(mutex_);
  return good_.contains(key_of(token, {}));
}

Result<Device> Devices::check(const std::string& token, const std::string& address, std::int64_t now_us) {
  std::uint64_t forgotten = 0;
  {
    const std::lock_guard lock(mutex_);
    forgotten = forgotten_;
  }
  wire::CheckDeviceT ask;
  ask.token = token;
  ask.address = address;
  auto answered = door_.ask_as({}, request_of(std::move(ask)));
  if (!answered && answered.error().code == "device_unknown") {
    const std::lock_guard lock(mutex_);
    good_.erase(key_of(token, {}));
  }
  const auto reply = LUZIA_TRY(std::move(answered));
  const auto* rows = reply->reply.AsRows();
  if (rows == nullptr || rows->rows.size() != 1) return tl::unexpected(unexpected_answer());
  const auto* row =
      verified_row<view::Device>({rows->rows.front()->data.data(), rows->rows.front()->data.size()});
  if (row == nullptr) return tl::unexpected(unexpected_answer());
  web::Device device{std::string(text(row->device())),
                     std::string(text(row->name())),
                     std::string(text(row->person())),
                     role_of(row->role()),
                     {}};
  if (row->projects() != nullptr) {
    for (const auto* project : *row->projects()) device.projects.push_back(project->str());
  }
  const std::lock_guard lock(mutex_);
  if (forgotten != forgotten_) return device;
  if (kept_.size() >= kMostKept) kept_.clear();
  if (good_.size() >= kMostKept) good_.clear();
  kept_[key_of(token, address)] = {device, now_us + kKeptUs};
  good_.insert(key_of(token, {}));
  return device;
}

void Devices::forget() {
  const std::lock_guard lock(mutex_);
  ++forgotten_;
  kept_.clear();
}

std::uint64_t Devices::forgotten() {
  const std::lock_guard lock(mutex_);
  return forgotten_;
}

Result<Admission> Devices::pair(const std::string& code, const std::string& name,
                                const std::string& address) {
  auto client = LUZIA_TRY(door_.connect_as({}));
  wire::PairDeviceT ask;
  ask.code = code;
  ask.name = name;
  ask.address = address;
  const auto reply = LUZIA_TRY(client.ask(request_of(std::move(ask))));
  const auto* admitted = reply->reply.AsDeviceAdmitted();
  if (admitted == nullptr) return tl::unexpected(unexpected_answer());
  const std::lock_guard lock(mutex_);
  good_.insert(key_of(admitted->token, {}));
  return Admission{{admitted->device, admitted->name, {}, Role::viewer, {}}, admitted->token};
}

std::string me_json(const Device& device) {
  std::string out;
  JsonObject object(out);
  object.text("device", device.id);
  object.text("name", device.name);
  object.text("person", device.person);
  object.text("role", name_of(device.role));
  object.strings("projects", device.projects);
  object.end();
  return out + "\n";
}

Answer offer_pairing(const DaemonDoor& door, const std::string& device, const Match& match,
                     const Request& request) {
  const auto body = checked_body(*match.route, request.body);
  if (!body) return problem(body.error());
  wire::OfferPairingT offer;
  const std::string role = body->value("role", "viewer");
  const auto known = parse_role(role);
  if (!known)
    return problem({ErrorKind::usage, "bad_field", "the field role must be viewer, operator or admin", ""});
  offer.role = *known;
  offer.name = body->value("name", "");
  offer.person = body->value("person", "");
  offer.projects = body->value("projects", std::vector<std::string>());
  auto client = door.connect_as(device);
  if (!client) return problem(client.error());
  const auto reply = client->ask(request_of(std::move(offer)));
  if (!reply) return problem(reply.error());
  const auto* offered = (*reply)->reply.AsPairingOffered();
  if (offered == nullptr) return problem(unexpected_answer());
  Answer answer;
  answer.status = match.route->success;
  JsonObject object(answer.body);
  object.text("code", offered->code);
  object.text("role", role);
  object.time("until", offered->until_us);
  object.end();
  answer.body += '\n';
  answer.headers.emplace_back("Cache-Control", "no-store");
  return answer;
}

}  // namespace luzia::web
