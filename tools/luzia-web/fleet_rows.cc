#include "tools/luzia-web/fleet_rows.h"

#include "adapters/config/config.h"
#include "engine/base/try.h"
#include "projections/rows/json_object.h"
#include "tools/luzia-web/far_machines.h"

namespace luzia::web {
namespace {

/// As long as luzia-fleet tries to reach one host of the database.
constexpr std::chrono::milliseconds kFleetPatience{5'000};

}  // namespace

Result<std::shared_ptr<FleetReader>> FleetRows::take() {
  std::shared_ptr<FleetReader> reader;
  {
    const std::lock_guard lock(mutex_);
    if (!kept_.empty()) {
      reader = std::move(kept_.back());
      kept_.pop_back();
    }
  }
  // One that was kept may have ended.
  if (reader && reader->find_sites(kFleetPatience)) return reader;
  reader = LUZIA_TRY(FleetReader::start(config_file_));
  LUZIA_TRY(reader->find_sites(kFleetPatience));
  return reader;
}

void FleetRows::give_back(std::shared_ptr<FleetReader> reader) {
  const std::lock_guard lock(mutex_);
  if (reader->is_idle() && kept_.size() < kMostKept) kept_.push_back(std::move(reader));
}

Result<Answer> FleetRows::with_sites(const std::function<Answer(const std::vector<MachineToAsk>&)>& read) {
  auto reader = LUZIA_TRY(take());
  Answer answer = read(reader->to_ask());
  give_back(std::move(reader));
  return answer;
}

Answer FleetRows::list(const Device& device) {
  const auto config = load_config(config_file_);
  if (!config) return problem(config.error());
  std::shared_ptr<FleetReader> reader;
  const bool has_fleet = !config->fleet.url.empty() || !config->fleet.people_url.empty();
  if (has_fleet && may_ask_fleet(device)) {
    auto taken = take();
    if (!taken) return problem(taken.error());
    reader = std::move(*taken);
  }
  Answer answer;
  JsonObject object(answer.body);
  const auto sites = reader ? reader->sites() : std::vector<const wire::FleetSiteT*>();
  object.objects("sites", sites, [](JsonObject& json, const wire::FleetSiteT* site) {
    json.text("site", site->name);
    json.text("host", site->host);
    json.text("version", site->version);
    json.number("position", site->position);
    json.time("as_of", "as_of_us", site->as_of_us);
    json.boolean("unreachable", site->unreachable);
    json.text_or_null("fault", site->fault);
  });
  object.end();
  answer.body += '\n';
  if (reader) give_back(std::move(reader));
  return answer;
}

Status may_ask_fleet(const Device& device) {
  LUZIA_TRY(may_ask_far(device));
  if (device.role == Role::admin) return {};
  return fail(ErrorKind::refused, "device_not_allowed",
              "device " + device.name + " does not see the fleet, which has machines of others",
              "pair it again as an administrator's: luzia web pair --role admin");
}

}  // namespace luzia::web
