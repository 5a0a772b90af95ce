#include "tools/luziad/base/caller.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>

namespace luzia {
namespace {

std::string user_name(std::uint32_t uid) {
  const passwd* entry = getpwuid(uid);
  return entry != nullptr ? entry->pw_name : std::to_string(uid);
}

bool in_group(const Caller& caller, const std::string& group) {
  const struct group* entry = getgrnam(group.c_str());
  if (entry == nullptr) return false;
  if (entry->gr_gid == caller.gid) return true;
  for (char** member = entry->gr_mem; *member != nullptr; ++member) {
    if (caller.name == *member) return true;
  }
  return false;
}

}  // namespace

Caller identify(const Peer& peer) {
  Caller caller;
  caller.uid = peer.uid;
  caller.gid = peer.gid;
  caller.name = user_name(peer.uid);
  caller.trusted = peer.admitted && (peer.uid == 0 || peer.uid == geteuid());
  caller.admitted = peer.admitted;
  return caller;
}

Caller daemon_itself() {
  Caller caller;
  caller.uid = geteuid();
  caller.gid = getegid();
  caller.name = "luziad";
  caller.trusted = true;
  return caller;
}

bool may_use(const Config& config, const Caller& caller, std::string_view project) {
  if (caller.device && !caller.trusted) {
    return std::ranges::find(caller.device->projects, project) != caller.device->projects.end();
  }
  if (caller.trusted || (caller.scope && caller.scope->project == project)) return true;
  if (!caller.admitted) return false;
  const auto it = config.projects.find(std::string(project));
  if (it == config.projects.end()) return false;
  const ProjectConfig& rules = it->second;
  if (std::find(rules.users.begin(), rules.users.end(), caller.name) != rules.users.end()) return true;
  return std::any_of(rules.groups.begin(), rules.groups.end(),
                     [&](const std::string& group) { return in_group(caller, group); });
}

bool may_use_any(const Config& config, const Caller& caller) {
  return caller.trusted || caller.device || std::ranges::any_of(config.projects, [&](const auto& project) {
           return may_use(config, caller, project.first);
         });
}

}  // namespace luzia
