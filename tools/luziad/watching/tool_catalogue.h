// The tools that projects name in their settings, recorded when they are news: [projects.NAME] tools, a
// project's .mcp.json, the servers of ~/.claude.json. Loop thread; files are read on workers.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>

#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/parts.h"

namespace luzia {

class ToolCatalogue final : public Follower {
 public:
  explicit ToolCatalogue(Parts& parts) : parts_(parts), timer_(std::make_unique<Timer>(parts.loop)) {}

  /// Looks at every project of the configuration, at the daemon's start and after a change of it. What is
  /// recorded as it is, less than a day ago, is left as it is.
  void look();
  void config_changed() override { look(); }
  /// A job of a project is about to start.
  void job_changed(const JobState& job) override;
  /// The loop can end.
  void close() override { timer_.reset(); }

 private:
  /// Looks at the project once more where its files have changed since, now or, where it has just been looked
  /// at, in a second: a look costs a worker and a turn of the loop, which a dispatch should not.
  void job_queued(const std::string& project);
  /// What tells that a file is another one than before; 0 of all: there is none.
  using FileMark = std::array<std::int64_t, 4>;
  using Marks = std::array<FileMark, 2>;  // .mcp.json, ~/.claude.json
  struct Look;
  struct Seen {
    std::optional<Marks> marks;
    int looks = 0;       // under way
    TimeUs begun = 0;    // the last one, by the monotonic clock
    bool again = false;  // when the pause is over
  };

  static FileMark mark_of(const std::string& path);
  static void read_files(Look& look);
  void start(const std::vector<std::string>& projects, bool changed_only);
  void finish(Look& look);
  void look_again();
  void record(const std::string& project, std::vector<schema::ToolCataloguedT> tools);

  Parts& parts_;
  std::map<std::string, Seen> seen_;  // by project
  std::unique_ptr<Timer> timer_;      // until some are looked at again; null: closed
};

/// "psql: a shell for the database" of [projects.NAME] tools, taken apart.
schema::ToolCataloguedT configured_tool(const std::string& words);

}  // namespace luzia
