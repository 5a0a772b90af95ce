// A daemon with hooks whose commands write notes to the project's folder.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/e2e/daemon_fixture.h"

namespace luzia {

class HooksTest : public DaemonTest {
 protected:
  /// A hook `name` that runs the shell code `script`; $D holds the path of the project's folder.
  std::string hook(const std::string& name, const std::string& on, const std::string& script,
                   const std::string& more = "") const {
    return "[[hooks]]\nname = \"" + name + "\"\non = [" + on +
           "]\ncommand = [\"sh\", \"-c\", '''D=" + project() + "; " + script + "''']\n" + more;
  }
  /// Whether the job has ended. Unlike ended() it keeps no client connected, because a connected client
  /// counts as an observer.
  bool is_over(const std::string& job) const {
    return wait_until([&] { return !events_of(job, "JobEnded").empty(); });
  }
  std::string in_project(const std::string& name) const { return project() + "/" + name; }
  bool appears(const std::string& name) const {
    return wait_until([&] { return ::access(in_project(name).c_str(), F_OK) == 0; });
  }
  Words lines(const std::string& name) const { return lines_of(read_text(in_project(name))); }
  /// Whole ones: a hook may be writing the next.
  bool gets_lines(const std::string& name, std::size_t count) const {
    return wait_until([&] {
      const std::string text = read_text(in_project(name));
      return static_cast<std::size_t>(std::ranges::count(text, '\n')) >= count;
    });
  }
  /// All events of this type about a hook.
  std::vector<Json> facts(const std::string& type) const {
    std::vector<Json> found;
    for (const Json& event : events({"--since", "0"})) {
      if (event["type"] == type) found.push_back(event);
    }
    return found;
  }
  bool records(std::size_t count) const {
    return wait_until([&] { return facts("HookDelivered").size() >= count; });
  }
};

}  // namespace luzia
