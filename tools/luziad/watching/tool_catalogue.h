// Records new or changed tools of projects: [projects.NAME] tools, a project's .mcp.json, the servers in
// ~/.claude.json; of a project with a coding agent also that agent's built-in tools, and the commands that
// build and test the project by its files. Loop thread; files are read on workers.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>

#include "adapters/config/config.h"
#include "engine/core/engine.h"
#include "engine/view/view_store.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

class ToolCatalogue final : public Follower {
 public:
  ToolCatalogue(const Threads& threads, const ViewStore& views, const Config& config, Engine& engine)
      : threads_(threads),
        views_(views),
        config_(config),
        engine_(engine),
        timer_(std::make_unique<Timer>(threads.loop)) {}

  /// Checks every configured project, at the daemon's start and after a configuration change. Skips a record
  /// that is unchanged and less than a day old.
  void look();
  void config_changed() override { look(); }
  /// A project's job is about to start.
  void job_changed(const JobState& job) override;
  void close() override { timer_.reset(); }

 private:
  /// Checks the project again if its files have changed. If it was checked just now, waits a second: a check
  /// costs a worker and a loop turn, which a dispatch should not.
  void job_queued(const std::string& project);
  /// Identifies a version of a file; all 0: there is none.
  using FileMark = std::array<std::int64_t, 4>;
  using Marks = std::array<FileMark, 3>;  // .mcp.json, ~/.claude.json, package.json
  struct Look;
  struct Seen {
    std::optional<Marks> marks;
    int looks = 0;       // in progress
    TimeUs begun = 0;    // the last one, monotonic
    bool again = false;  // after the pause
  };

  static FileMark mark_of(const std::string& path);
  static void read_files(Look& look);
  void start(const std::vector<std::string>& projects, bool changed_only);
  void finish(Look& look);
  void look_again();
  void record(const std::string& project, std::vector<schema::ToolCataloguedT> tools);

  Threads threads_;
  const ViewStore& views_;
  const Config& config_;
  Engine& engine_;
  std::map<std::string, Seen> seen_;  // by project
  std::unique_ptr<Timer> timer_;      // until projects are checked again; null once closed
};

/// Parses an entry of [projects.NAME] tools: "psql: a shell for the database".
schema::ToolCataloguedT configured_tool(const std::string& words);

}  // namespace luzia
