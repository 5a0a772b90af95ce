// Runs whole luzia command lines in this process, with their own store and configuration.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/base/time.h"
#include "tests/scratch.h"
#include "tests/tools/luzia/recording_daemon.h"
#include "tools/cli/program.h"
#include "tools/luzia/families.h"

namespace luzia {

inline view::JobT job(const std::string& id, schema::JobState state) {
  view::JobT row;
  row.id = id;
  row.project = "web";
  row.state = state;
  row.queued_us = row.started_us = 1'800'000'000 * kSecondUs;
  if (state == schema::JobState::failed) {
    row.exit_code = 7;
  }
  return row;
}

struct Ran {
  int code;
  std::string out, err;
};

class ProgramTest : public ScratchTest {
 protected:
  void SetUp() override {
    for (const char* name :
         {"LUZIA_SOCKET", "LUZIA_ON", "LUZIA_STORE", "LUZIA_JOB_ID", "LUZIA_ATTEMPT", "LUZIA_CONFIG"}) {
      ::unsetenv(name);
    }
    ::setenv("XDG_CONFIG_HOME", store_.c_str(), 1);
  }

  /// Writes the configuration of the user at the command line.
  void configure(const std::string& toml) const {
    std::filesystem::create_directories(store_ + "/luzia");
    std::ofstream(store_ + "/luzia/luzia.toml") << toml;
  }

  Ran run(std::vector<std::string> words) const {
    words.insert(words.begin(), {"--store", store_});
    return run_as_typed(std::move(words));
  }
  /// Runs without a --store option: the environment decides on the store.
  static Ran run_as_typed(std::vector<std::string> words) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    Ran ran{run_program(kLuzia, process_surroundings(std::move(words))), {}, {}};
    ran.out = ::testing::internal::GetCapturedStdout();
    ran.err = ::testing::internal::GetCapturedStderr();
    return ran;
  }

  const std::string store_ = scratch_;
};

}  // namespace luzia
