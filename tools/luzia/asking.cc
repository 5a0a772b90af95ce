#include "tools/luzia/asking.h"

#include <sys/random.h>

#include "projections/rows/names.h"

namespace luzia {
namespace {

tl::unexpected<Error> unexpected_reply() {
  return fail(ErrorKind::trouble, "unexpected_reply",
              "asking the daemon: it answered something else than was asked for",
              "luzia daemon restart starts the installed version; running jobs are not touched");
}

}  // namespace

Result<Page> ask_rows(Client& client, wire::QueryT query) {
  auto frame = client.ask(request_of(std::move(query)));
  if (!frame) {
    return tl::unexpected(frame.error());
  }
  if ((*frame)->reply.type != wire::Reply::Rows) {
    return unexpected_reply();
  }
  return Page(std::move(*frame));
}

Result<Page> ask_job(Client& client, const std::string& job) {
  wire::QueryT query;
  query.view = wire::View::jobs;
  query.filter = std::make_unique<wire::FilterT>();
  query.filter->jobs = {job};
  auto page = ask_rows(client, std::move(query));
  if (page && page->as<view::Job>().empty()) {
    return fail(ErrorKind::not_found, "no_such_job", "no job '" + job + "'", "luzia jobs --all lists them");
  }
  return page;
}

Result<wire::AcceptedT> ask_accepted(Client& client, const wire::RequestUnion& request) {
  auto frame = client.ask(request);
  if (!frame) {
    return tl::unexpected(frame.error());
  }
  if ((*frame)->reply.type != wire::Reply::Accepted) {
    return unexpected_reply();
  }
  return std::move(*(*frame)->reply.AsAccepted());
}

std::unique_ptr<wire::FilterT> filter_of(const Arguments& args) {
  const auto list = [&](std::string_view option) {
    std::vector<std::string> all;
    for (const std::string& text : args.texts(option)) {
      for (std::string& piece : split_list(text)) {
        all.push_back(std::move(piece));
      }
    }
    return all;
  };
  auto filter = std::make_unique<wire::FilterT>();
  filter->jobs = list("job");
  filter->projects = list("project");
  filter->agents = list("agent");
  filter->tags = list("tag");
  filter->states = args.states("state");
  filter->since_us = args.moment("since").value_or(0);
  filter->until_us = args.moment("until").value_or(0);
  return filter;
}

std::string fresh_command_id() {
  std::uint8_t random[12] = {};
  if (::getrandom(random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) {
    return {};
  }
  std::string id = "cli-";
  for (const std::uint8_t byte : random) {
    constexpr char kDigits[] = "0123456789abcdef";
    id += kDigits[byte >> 4];
    id += kDigits[byte & 15];
  }
  return id;
}

Result<wire::AcceptedT> order(Invocation& invocation, Client& client, const wire::RequestUnion& request) {
  auto accepted = ask_accepted(client, request);
  if (accepted || accepted.error().code != "connection_lost") {
    return accepted;
  }
  auto again = invocation.connect();
  if (!again) {
    return tl::unexpected(again.error());
  }
  client = std::move(*again);
  return ask_accepted(client, request);
}

int exit_code_of(const view::Job& job, bool own) {
  constexpr int kSignalBase = 128;
  if (own && job.exit_code()) {
    return *job.exit_code();
  }
  if (own && job.signal() != 0) {
    return kSignalBase + job.signal();
  }
  return job.state() == schema::JobState::completed ? 0 : 1;
}

}  // namespace luzia
