#include "adapters/notify/desktop.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "adapters/notify/markup.h"
#include "projections/rows/harmless.h"

namespace luzia {
namespace {

constexpr std::string_view kBusVariable = "DBUS_SESSION_BUS_ADDRESS=";
constexpr std::string_view kRuntimeVariable = "XDG_RUNTIME_DIR=";
constexpr std::size_t kSaidBytes = 200;

std::string value_of(const std::vector<std::string>& environment, std::string_view variable) {
  for (const std::string& each : environment) {
    if (each.starts_with(variable)) return each.substr(variable.size());
  }
  return {};
}

bool is_socket(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

/// The path in "unix:path=/run/user/1000/bus,guid=..."; empty: it has none.
std::string path_of(std::string_view address) {
  constexpr std::string_view kPath = "unix:path=";
  if (!address.starts_with(kPath)) return {};
  address.remove_prefix(kPath.size());
  return std::string(address.substr(0, address.find_first_of(",;")));
}

const char* urgency(schema::Severity severity) {
  switch (severity) {
    case schema::Severity::info:
      return "low";
    case schema::Severity::warning:
    case schema::Severity::error:
      return "normal";
    case schema::Severity::critical:
      return "critical";
  }
  return "normal";
}

}  // namespace

std::optional<std::string> session_bus(const std::vector<std::string>& environment) {
  const std::string told = value_of(environment, kBusVariable);
  if (!told.empty()) {
    const std::string path = path_of(told);
    if (path.empty() || is_socket(path)) return told;  // an abstract address cannot be checked
  }
  std::string folder = value_of(environment, kRuntimeVariable);
  if (folder.empty()) folder = "/run/user/" + std::to_string(::geteuid());
  if (is_socket(folder + "/bus")) return "unix:path=" + folder + "/bus";
  return std::nullopt;
}

std::vector<std::string> desktop_command(const Notice& notice) {
  std::string title = "luzia: " + notice.event;
  std::ranges::replace(title, '_', ' ');
  return {
      "notify-send", "--app-name=luzia",         std::string("--urgency=") + urgency(notice.severity), "--",
      title,         without_markup(notice.text)};
}

Delivery show_on_desktop(const Desktop& desktop, const Notice& notice, const std::stop_token& stop) {
  const auto bus = session_bus(desktop.sender.environment);
  if (!bus) {
    Delivery nobody;
    nobody.result.nobody = true;
    nobody.result.detail = "there is no session on whose desktop it could be shown";
    return nobody;
  }
  HookCommand sender = desktop.sender;
  sender.command = desktop_command(notice);
  std::erase_if(sender.environment, [](const std::string& each) { return each.starts_with(kBusVariable); });
  sender.environment.push_back(std::string(kBusVariable) + *bus);
  const CommandRun run = run_command(sender, {}, stop);
  Delivery delivery;
  delivery.output = make_harmless(run.output, {.keep_newlines = true});
  delivery.result = {run.exit_code == 0, false, run.end, run.elapsed_ms};
  if (run.exit_code.value_or(0) != 0 && !run.output.empty()) {
    delivery.result.detail += ": " + make_harmless(run.output.substr(0, kSaidBytes));
  }
  return delivery;
}

}  // namespace luzia
