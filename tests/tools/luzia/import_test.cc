// import, against a fake daemon: the content of each request.
#include <nlohmann/json.hpp>

#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

TEST_F(ProgramTest, ImportSendsAtMostFourMebibytesOfTasks) {
  for (const char* name : {"a", "b", "c"}) {
    const std::string folder = store_ + "/older/" + name;
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/meta.json") << R"({"project":"web","started":"2025-06-01T10:00:00Z"})";
    std::ofstream(folder + "/prompt.txt") << std::string(3U << 20, 'x');
  }
  const RecordingDaemon daemon(store_, [](const wire::ClientFrameT& request) {
    const auto* import = request.request.AsImportJobs();
    return std::vector{accepted(std::vector<std::string>(import == nullptr ? 0 : import->jobs.size(), "id"))};
  });
  EXPECT_EQ(run({"import", store_ + "/older"}).code, 0);
  std::size_t jobs = 0;
  for (const auto& request : daemon.requests()) {
    std::size_t bytes = 0;
    for (const auto& each : request->request.AsImportJobs()->jobs) bytes += each->task.size();
    jobs += request->request.AsImportJobs()->jobs.size();
    EXPECT_LE(bytes, 4U << 20);
  }
  EXPECT_EQ(jobs, 3U);
}

TEST_F(ProgramTest, RefusedImportAffectsNoOtherJob) {
  for (const char* name : {"a", "b", "c"}) {
    std::filesystem::create_directories(store_ + "/older/" + name);
    std::ofstream(store_ + "/older/" + name + "/meta.json") << R"({"project":"web","task":"x"})";
  }
  const RecordingDaemon daemon(store_, [](const wire::ClientFrameT& request) {
    const auto& jobs = request.request.AsImportJobs()->jobs;
    for (const auto& job : jobs) {
      if (job->source.ends_with("/b")) return std::vector{refused("too old", ErrorKind::usage)};
    }
    return std::vector{accepted(std::vector<std::string>(jobs.size(), "id"))};
  });
  const Ran ran = run({"import", store_ + "/older", "--json"});
  EXPECT_EQ(ran.code, 1) << ran.err;
  const auto report = nlohmann::json::parse(ran.out, nullptr, false);
  EXPECT_EQ(report["imported"], 2);
  ASSERT_EQ(report["skipped"].size(), 1U);
  EXPECT_EQ(report["skipped"][0]["path"], store_ + "/older/b");
}

}  // namespace
}  // namespace luzia
