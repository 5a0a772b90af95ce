#include "tools/luzia-web/machine.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "engine/base/try.h"
#include "projections/rows/json.h"
#include "projections/rows/json_object.h"
#include "tools/read/pages.h"

namespace luzia::web {
namespace {

/// A value of /proc/meminfo in bytes; nullopt: the kernel does not say.
std::optional<std::uint64_t> meminfo_bytes(std::string_view key) {
  constexpr std::uint64_t kKib = 1024;
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kib = 0;
    if (words >> name >> kib && name == key) return kib * kKib;
  }
  return std::nullopt;
}

void put_machine(JsonObject& json, const std::string& store) {
  double load = 0;
  const bool known = ::getloadavg(&load, 1) == 1;
  json.optional("load", known ? std::optional(load) : std::nullopt);
  json.number("cores", std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  json.optional("memory_bytes", meminfo_bytes("MemTotal:"));
  json.optional("memory_available_bytes", meminfo_bytes("MemAvailable:"));
  struct statvfs disk {};
  const bool stands = !store.empty() && ::statvfs(store.c_str(), &disk) == 0;
  const auto bytes = [&](std::uint64_t blocks) {
    return stands ? std::optional<std::uint64_t>(blocks * disk.f_frsize) : std::nullopt;
  };
  json.optional("disk_bytes", bytes(disk.f_blocks));
  json.optional("disk_available_bytes", bytes(disk.f_bavail));
}

Result<std::string> machine_json(const DaemonDoor& door, const std::string& store, const Device& device) {
  wire::ControlT ping;
  ping.action = wire::ControlAction::ping;
  const auto reply = LUZIA_TRY(door.ask_as(device.id, request_of(std::move(ping))));
  const auto* daemon = reply->reply.AsWelcome();
  if (daemon == nullptr) return tl::unexpected(unexpected_answer());
  RowPage page;
  if (device.projects.empty()) {
    const auto source = LUZIA_TRY(door.source_as(device.id));
    page = LUZIA_TRY(source->query(view_query(wire::View::hooks)));
  }
  const auto hooks = LUZIA_TRY(rows_of<view::HookCursor>(page));
  std::string out;
  JsonObject json(out);
  put_machine(json, store);
  json.begin("daemon");
  json.number("pid", daemon->pid);
  json.text("version", daemon->version);
  json.end();
  json.array("hooks", hooks,
             [&page](const view::HookCursor* hook) { return hook_json(*hook, page.position); });
  json.end();
  return out + "\n";
}

}  // namespace

Answer machine_answer(const DaemonDoor& door, const std::string& store, const Device& device) {
  return answer_with(machine_json(door, store, device));
}

}  // namespace luzia::web
