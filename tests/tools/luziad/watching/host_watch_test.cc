// Hosts of running attempts, as they are told to the log.
#include "tools/luziad/watching/host_watch.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "adapters/launcher/host_record.h"
#include "tests/scratch.h"

namespace luzia {
namespace {

class HostWatchTest : public ScratchTest {
 protected:
  HostWatchTest() {
    uv_loop_init(&loop_);
    workers_ = std::make_unique<Workers>(&loop_);
    HostWatch::Hooks hooks;
    hooks.run_dir = scratch_;
    hooks.report = [this](const std::string& /*job*/, const ReportHosts& found) {
      for (const schema::HostUseT& use : found.hosts) reported_.push_back(use.host);
    };
    hooks.find_job = [](const std::string&) -> const JobState* { return nullptr; };
    watch_ = std::make_unique<HostWatch>(&loop_, *workers_, std::move(hooks));
  }
  ~HostWatchTest() override {
    watch_->close();
    uv_run(&loop_, UV_RUN_DEFAULT);
    watch_.reset();
    EXPECT_EQ(uv_loop_close(&loop_), 0);
  }

  JobState running() const {
    JobState state;
    state.job = "j1";
    state.state = schema::JobState::running;
    state.attempt = 1;
    state.pid = state.runner_pid = 17;
    state.spec = std::make_unique<schema::JobSpecT>();
    state.spec->sandbox = std::make_unique<schema::SandboxT>();
    state.spec->sandbox->hosts = {"example.org"};
    return state;
  }
  void contact(const std::string& host) const {
    std::ofstream file(scratch_ + "/j1.1.hosts");
    char head[host_record::kLineSize], line[host_record::kLineSize];
    std::snprintf(head, sizeof head, host_record::kHeadFormat, 0ULL);
    std::snprintf(line, sizeof line, host_record::kHostFormat, host_record::kAllowed, 443U, 1ULL, 2ULL,
                  host.c_str());
    for (const char* text : {head, line}) {
      std::string whole(text);
      whole.resize(host_record::kLineSize - 1, ' ');
      file << whole << '\n';
    }
  }
  /// Turns the loop until a host is reported, or for two looks.
  void turn() {
    bool over = false;
    Timer timer(&loop_);
    timer.start(2'500, [&over] { over = true; });
    while (reported_.empty() && !over) uv_run(&loop_, UV_RUN_ONCE);
  }

  uv_loop_t loop_{};
  std::unique_ptr<Workers> workers_;
  std::vector<std::string> reported_;
  std::unique_ptr<HostWatch> watch_;
};

TEST_F(HostWatchTest, NewHostIsToldWhileTheAttemptRuns) {
  contact("example.org");
  watch_->job_changed(running());
  turn();
  EXPECT_EQ(reported_, std::vector<std::string>{"example.org"});
}

TEST_F(HostWatchTest, JobThatGoesOnWithoutAListIsLookedAtNoMore) {
  watch_->job_changed(running());
  JobState other = running();
  other.attempt = 2;
  other.spec->sandbox.reset();
  watch_->job_changed(other);
  contact("example.org");
  turn();
  EXPECT_TRUE(reported_.empty()) << "that attempt is over";
}

}  // namespace
}  // namespace luzia
