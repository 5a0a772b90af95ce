#include "tools/luzia-web/routes.h"

#include <set>

#include "tests/matchers.h"
#include "tools/luzia-web/actions.h"
#include "tools/luzia-web/readings.h"

namespace luzia::web {
namespace {

std::string pattern_of(std::string_view method, std::string_view path) {
  const auto match = find_route(method, path);
  return match ? std::string(match->route->pattern) : match.error().code;
}

const Route& route_of(std::string_view method, std::string_view pattern) {
  for (const Route& route : all_routes()) {
    if (route.method == method && route.pattern == pattern) return route;
  }
  ADD_FAILURE() << method << " " << pattern;
  return all_routes().front();
}

std::string body_error(const Route& route, const std::string& body) {
  const auto checked = checked_body(route, body);
  return checked ? "ok" : checked.error().code + ": " + checked.error().message;
}

TEST(Routes, PathsLeadToTheirRoute) {
  EXPECT_EQ(pattern_of("GET", "/v1/jobs"), "/v1/jobs");
  EXPECT_EQ(pattern_of("HEAD", "/v1/jobs"), "/v1/jobs");
  EXPECT_EQ(pattern_of("GET", "/v1/jobs/1qx3adnc00ke8"), "/v1/jobs/{job}");
  EXPECT_EQ(pattern_of("GET", "/v1/jobs/1qx3adnc00ke8/why"), "/v1/jobs/{job}/why");
  EXPECT_EQ(pattern_of("POST", "/v1/jobs/@last/cancel"), "/v1/jobs/{job}/cancel");
  EXPECT_EQ(pattern_of("POST", "/v1/jobs/@last"), "bad_method");
  for (const char* none : {"", "/", "/v1", "/v1/", "v1/jobs", "Xv1/jobs", "/v1/jobs/", "/v1/jobs//why",
                           "/v1/jobs/a/b/c", "/V1/jobs", "/v2/jobs"})
    EXPECT_EQ(pattern_of("GET", none), "no_such_route") << none;
  EXPECT_EQ(find_route("GET", "/v1/jobs/abc/why")->values.at("job"), "abc");
}

TEST(Routes, EachHasARoleThatFitsWhatItDoes) {
  const std::set<std::string_view> open = {"/healthz", "/v1/openapi.json", "/v1/pair"};
  std::set<std::string> seen;
  for (const Route& route : all_routes()) {
    const std::string name = std::string(route.method) + " " + std::string(route.pattern);
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_EQ(route.role == Role::anyone, open.contains(route.pattern)) << name;
    // A device may end itself, and say whether it wants pushes.
    const bool own = route.handler == Handler::revoke || route.handler == Handler::push_change ||
                     route.handler == Handler::push_test;
    const bool changes = route.method == "POST" && route.role != Role::anyone && !own;
    EXPECT_TRUE(!changes || route.role >= Role::op) << name;
    const bool runs = route.handler == Handler::read || route.handler == Handler::events ||
                      route.handler == Handler::search;
    EXPECT_EQ(runs, route.command != nullptr) << name;
  }
}

TEST(Routes, NoParameterReachesFilesOrTerminals) {
  const std::set<std::string_view> kept = {"out",   "export", "csv",  "watch",
                                           "store", "config", "plot", "table"};
  for (const Route& route : all_routes()) {
    for (const Field& field : parameters_of(route))
      EXPECT_FALSE(kept.contains(field.name)) << route.pattern << " " << field.name;
  }
}

TEST(Routes, UnknownParametersAreRefused) {
  Request request;
  const Route& jobs = route_of("GET", "/v1/jobs");
  request.query = {{"project", "web"}, {"project", "api"}, {"state", "failed"}, {"limit", "5"}};
  EXPECT_TRUE(checked_parameters(jobs, request));
  request.query = {{"projekt", "web"}};
  EXPECT_EQ(checked_parameters(jobs, request).error().hint, "did you mean project?");
  request.query = {{"limit", "5"}, {"limit", "6"}};
  EXPECT_EQ(checked_parameters(jobs, request).error().code, "repeated_parameter");
}

TEST(Routes, ValuesOfParametersStayValues) {
  Request request;
  request.query = {{"project", "--store=/tmp/x"}, {"limit", "7"}, {"all", "1"}};
  const auto words = words_of(*route_of("GET", "/v1/jobs").command, request);
  ASSERT_TRUE(words);
  EXPECT_THAT(*words, testing::UnorderedElementsAre("--project=--store=/tmp/x", "--limit=7", "--all"));
  for (const char* bad : {"0", "1001", "-1", "x", ""}) {
    request.query = {{"limit", bad}};
    EXPECT_EQ(words_of(*route_of("GET", "/v1/jobs").command, request).error().code, "bad_value") << bad;
  }
}

TEST(Routes, BodiesAreCheckedByTheTable) {
  const Route& dispatch = route_of("POST", "/v1/jobs");
  EXPECT_EQ(body_error(dispatch, R"({"project":"web","task":"t","tags":["a"],"priority":7})"), "ok");
  EXPECT_THAT(body_error(dispatch, R"({"project":"web"})"), HasSubstr("lacks the field task"));
  EXPECT_THAT(body_error(dispatch, R"({"project":"web","task":1})"), HasSubstr("task must be a string"));
  EXPECT_THAT(body_error(dispatch, R"({"project":"web","task":"t","priority":-1})"),
              HasSubstr("whole number"));
  EXPECT_THAT(body_error(dispatch, R"({"project":"web","task":"t","tags":[1]})"),
              HasSubstr("list of strings"));
  for (const char* field : {"user", "env", "dir", "interactive", "flow", "command_id"})
    EXPECT_THAT(body_error(dispatch, R"({"project":"web","task":"t",")" + std::string(field) + R"(":"x"})"),
                HasSubstr("unknown field"))
        << field;
  for (const std::string& bad : {std::string("[]"), std::string("{"), std::string("1"), std::string("{} {}"),
                                 std::string(100'000, '[')})
    EXPECT_THAT(body_error(dispatch, bad), HasSubstr("bad_json")) << bad.substr(0, 20);
}

TEST(Routes, ObjectsInBodiesAreCheckedToo) {
  const Route& flows = route_of("POST", "/v1/flows");
  const auto error = [&](const std::string& steps) {
    return body_error(flows, R"({"project":"web","steps":[)" + steps + "]}");
  };
  EXPECT_EQ(error(R"({"name":"a"},{"name":"b","needs":["a"],"prompt":"make","priority":9})"), "ok");
  EXPECT_THAT(error(R"({"name":"a"},{"prompt":"make"})"), HasSubstr("steps[1] lacks the field name"));
  EXPECT_THAT(error(R"({"name":"a","needs":"b"})"),
              HasSubstr("the field needs of steps[0] must be a list of strings"));
  for (const char* field : {"permissions", "user", "env", "dir", "prompt_file"})
    EXPECT_THAT(error(R"({"name":"a",")" + std::string(field) + R"(":"x"})"), HasSubstr("unknown field"));
  EXPECT_THAT(error("1"), HasSubstr("steps must be a list of objects"));
  EXPECT_THAT(body_error(route_of("POST", "/v1/batch"), R"({"jobs":[{"project":"p"}]})"),
              HasSubstr("jobs[0] lacks the field task"));
}

TEST(Routes, ADispatchTakesLimits) {
  const auto job = dispatch_of({{"project", "p"},
                                {"task", "t"},
                                {"memory_bytes", 4ULL << 30},
                                {"cpu_percent", 200},
                                {"processes", 500},
                                {"disk_bytes", 1ULL << 30}},
                               "id");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->memory_bytes, 4ULL << 30);
  EXPECT_EQ(job->cpu_percent, 200u);
  EXPECT_EQ(job->most_processes, 500u);
  EXPECT_EQ(job->disk_bytes, 1ULL << 30);
  EXPECT_EQ(dispatch_of({{"project", "p"}, {"task", "t"}}, "id")->memory_bytes, 0u);
}

TEST(Routes, AFieldGivenTwiceIsRefused) {
  const Route& flows = route_of("POST", "/v1/flows");
  EXPECT_EQ(body_error(flows, R"({"project":"web","steps":[{"name":"a"},{"name":"b"}],"agent":"name"})"),
            "ok");
  for (const char* body : {R"({"project":"web","steps":[],"project":"shop"})",
                           R"({"project":"web","steps":[{"name":"a","na\u006de":"b"}]})",
                           R"({"project":"web","steps":[{"name":"a"}],"steps":[]})"})
    EXPECT_THAT(body_error(flows, body), HasSubstr("a field twice")) << body;
}

TEST(Routes, FlowsAreThoseOfFlowFiles) {
  const auto flow = flow_of(nlohmann::json::parse(R"({"project":"web","agent":"claude","tags":["t"],
      "max_running":2,"keep_going":true,"steps":[{"name":"a","prompt":"make","timeout_ms":9},
      {"name":"b","needs":["a"],"agent":"codex","gate":"ship","retries":3,"priority":1,"tags":["s"]}],
      "follow_ups":[{"text":"tell them","after":"b","when":"failed"},{"text":"rest"}]})"),
                            "id");
  ASSERT_TRUE(flow) << flow.error().message;
  EXPECT_TRUE(flow->runs && flow->keep_going);
  EXPECT_EQ(flow->max_running, 2U);
  EXPECT_EQ(flow->command_id, "id");
  ASSERT_EQ(flow->steps.size(), 2U);
  EXPECT_EQ(flow->steps[0]->agent, "claude");
  EXPECT_EQ(flow->steps[0]->priority, 255);
  EXPECT_EQ(flow->steps[0]->timeout_ms, 9U);
  EXPECT_EQ(flow->steps[1]->agent, "codex");
  EXPECT_EQ(flow->steps[1]->gate, "ship");
  EXPECT_EQ(flow->steps[1]->retries, 3U);
  EXPECT_EQ(flow->steps[1]->priority, 1);
  EXPECT_THAT(flow->steps[1]->needs, testing::ElementsAre("a"));
  ASSERT_EQ(flow->follow_ups.size(), 2U);
  EXPECT_EQ(flow->follow_ups[0]->when, schema::StepState::failed);
  EXPECT_EQ(flow->follow_ups[1]->step, "");
  const auto code = [](const std::string& step, const std::string& more = "") {
    const auto wrong =
        flow_of(nlohmann::json::parse(R"({"project":"p","steps":[)" + step + "]" + more + "}"), "");
    return wrong ? "ok" : wrong.error().code;
  };
  EXPECT_EQ(code(R"({"name":"a"})"), "ok");
  EXPECT_EQ(code(R"({"name":"a","prompt":" "})"), "empty_task");
  EXPECT_EQ(code(R"({"name":"a","retries":1001})"), "bad_field");
  EXPECT_EQ(code(R"({"name":"a","priority":10})"), "bad_field");
  EXPECT_EQ(code(R"({"name":"a"})", R"(,"follow_ups":[{"text":"x","when":"never"}])"), "bad_field");
  EXPECT_EQ(code(R"({"name":"a"})", R"(,"follow_ups":[{"text":""}])"), "bad_field");
}

TEST(Routes, SchedulesRunPauseAndResumeByName) {
  const DaemonDoor nobody("/nonexistent");
  const auto act = [&](const std::string& verb, const nlohmann::json& body) {
    const auto match = find_route("POST", "/v1/schedules/each morning/" + verb);
    EXPECT_TRUE(match) << verb;
    const auto request = request_for(nobody, "d-1", *match, body, "id");
    EXPECT_TRUE(request) << verb;
    return *request->AsActOnSchedule();
  };
  EXPECT_EQ(act("run", nlohmann::json::object()).action, wire::ScheduleAction::run);
  EXPECT_EQ(act("resume", nlohmann::json::object()).action, wire::ScheduleAction::resume);
  const auto pause = act("pause", {{"note", "until the release"}});
  EXPECT_EQ(pause.action, wire::ScheduleAction::pause);
  EXPECT_EQ(pause.schedule, "each morning");
  EXPECT_EQ(pause.note, "until the release");
  EXPECT_EQ(pause.command_id, "id");
  EXPECT_EQ(pattern_of("POST", "/v1/schedules/morning/remove"), "no_such_route");
  EXPECT_THAT(body_error(route_of("POST", "/v1/schedules/{schedule}/run"), R"({"task":"x"})"),
              HasSubstr("unknown field"));
}

TEST(Routes, JobsAreFilteredByScheduleModelAndStep) {
  for (const char* path : {"/v1/jobs", "/v1/search/tasks", "/v1/search/outputs"}) {
    Request request;
    request.query = {{"schedule", "morning"}, {"model", "small"}, {"step", "build it"}, {"words", "x y"}};
    const Route& route = route_of("GET", path);
    if (path == std::string_view("/v1/jobs")) request.query.pop_back();
    EXPECT_TRUE(checked_parameters(route, request)) << path;
    const auto options = options_in(*route.command, request);
    ASSERT_TRUE(options) << path;
    EXPECT_THAT(options->filter.schedules, testing::ElementsAre("morning"));
    EXPECT_THAT(options->filter.models, testing::ElementsAre("small"));
    EXPECT_THAT(options->filter.steps, testing::ElementsAre("build it"));
  }
}

TEST(Routes, DevicesGiveNoFullPermissions) {
  const auto code = [](const std::string& permissions) {
    const auto job = dispatch_of({{"project", "p"}, {"task", "t"}, {"permissions", permissions}}, "id");
    return job ? "ok" : job.error().code;
  };
  EXPECT_EQ(code("plan"), "ok");
  EXPECT_EQ(code("edits"), "ok");
  EXPECT_EQ(code("bypass"), "not_from_the_web");
  EXPECT_EQ(code("Bypass"), "not_from_the_web");
}

TEST(Routes, AJobTakesItsChecksInTheirOrder) {
  const auto job = dispatch_of(
      {{"project", "p"}, {"task", "t"}, {"verify", {"make test", "git diff --check"}}, {"sandbox", "strict"}},
      "id");
  ASSERT_TRUE(job);
  EXPECT_THAT(job->verify, testing::ElementsAre("make test", "git diff --check"));
  EXPECT_EQ(job->sandbox, "strict");
}

TEST(Routes, CommandIdsBelongToTheirDevice) {
  Request request;
  EXPECT_EQ(command_id_of("d-1", request).error().code, "idempotency_key_missing");
  request.headers["idempotency-key"] = "abc";
  EXPECT_EQ(*command_id_of("d-1", request), "d-1:abc");
  EXPECT_NE(*command_id_of("d-1", request), *command_id_of("d-2", request));
  for (const std::string& bad :
       {std::string("a b"), std::string("a\n"), std::string(129, 'a'), std::string("\xc3\xa4")}) {
    request.headers["idempotency-key"] = bad;
    EXPECT_EQ(command_id_of("d-1", request).error().code, "bad_idempotency_key") << bad;
  }
}

TEST(Routes, TheNextPageIsTheCursorBehindTheRows) {
  EXPECT_EQ(next_cursor(R"({"jobs":[{"task":"\"next\":\"x\"","next":"y"}],"position":7,"next":"abc"})"),
            "abc");
  EXPECT_EQ(next_cursor(R"({"jobs":[{"next":"y"}],"position":7,"next":null})"), "");
  EXPECT_EQ(next_cursor(R"({"id":"1","next":"x"})"), "x");
  Request request;
  request.path = "/v1/jobs";
  request.query = {{"project", "a b&c"}, {"cursor", "old"}};
  EXPECT_EQ(next_page(request, "n=1"), "</v1/jobs?cursor=n%3D1&project=a%20b%26c>; rel=\"next\"");
  request.path = "/v1/jobs/a\r\nb";
  EXPECT_THAT(next_page(request, "n"), HasSubstr("</v1/jobs/a%0D%0Ab?cursor=n"));
}

TEST(Routes, TheDocumentNamesEveryRoute) {
  const auto document = nlohmann::json::parse(openapi_document());
  std::size_t operations = 0;
  for (const auto& [path, methods] : document["paths"].items()) operations += methods.size();
  EXPECT_EQ(operations, all_routes().size());
  for (const Route& route : all_routes()) {
    const auto& operation =
        document["paths"][std::string(route.pattern)][route.method == "GET" ? "get" : "post"];
    EXPECT_EQ(operation["x-role"], name_of(route.role)) << route.pattern;
    EXPECT_EQ(operation.contains("requestBody"), route.method == "POST") << route.pattern;
  }
}

}  // namespace
}  // namespace luzia::web
