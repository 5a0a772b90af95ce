// What people at the command line are told of their mistakes: once, and in words that lead on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/luzia/program_fixture.h"

namespace luzia {
namespace {

TEST_F(Program, ProjectThatNobodyKnowsIsRefusedInsteadOfAnEmptyList) {
  configure("[projects.web]\npath = \"/srv/web\"\n");
  RecordingDaemon daemon(store_, [](const wire::ClientFrameT& frame) {
    const auto* query = frame.request.AsQuery();
    const bool has_jobs = query != nullptr && query->filter && query->filter->projects.front() == "gone";
    return std::vector{
        job_rows(has_jobs ? std::vector{job("a", schema::JobState::completed)} : std::vector<view::JobT>())};
  });
  for (const std::vector<std::string>& words : {std::vector<std::string>{"jobs"},
                                                {"status"},
                                                {"issues"},
                                                {"questions"},
                                                {"approvals"},
                                                {"flow", "list"},
                                                {"flow", "statistics"},
                                                {"tools"},
                                                {"gc"},
                                                {"follow"},
                                                {"watch"},
                                                {"cancel", "--yes"}}) {
    std::vector<std::string> asked = words;
    asked.insert(asked.end(), {"--project", "wbe"});
    const Ran ran = run(asked);
    EXPECT_EQ(ran.code, 2) << words.front();
    EXPECT_EQ(ran.err,
              "luzia: no project 'wbe' is configured, and none of that name has ever had a job\n"
              "  hint: did you mean web?\n");
    EXPECT_EQ(ran.out, "");
  }
  for (const auto& frame : daemon.requests()) {
    const auto view = frame->request.AsQuery()->view;
    EXPECT_TRUE(view == wire::View::totals || view == wire::View::flows) << "nothing else was asked";
  }
  EXPECT_EQ(run({"jobs", "--project", "web"}).code, 0) << "configured, and without jobs so far";
  EXPECT_EQ(run({"jobs", "--project", "gone"}).code, 0) << "not configured any more";
}

}  // namespace
}  // namespace luzia
