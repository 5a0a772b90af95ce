// import, against a recorded daemon: what one request holds.
#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

TEST_F(Program, AnImportSendsAtMostFourMebibytesOfTasksAtOnce) {
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

}  // namespace
}  // namespace luzia
