// Questions to the daemon that several commands put, and the rows they get.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/socket/client.h"
#include "projections/rows/row_bytes.h"
#include "projections/rows/row_tables.h"
#include "tools/cli/invocation.h"
#include "tools/read/daemon_source.h"
#include "tools/read/options.h"
#include "view.fb.h"

namespace luzia {

/// A page of rows, kept alive with its frame.
class Page {
 public:
  explicit Page(std::unique_ptr<wire::ServerFrameT> frame) : frame_(std::move(frame)) {}

  std::uint64_t position() const { return rows().position; }
  /// Rows with a text that could not be read.
  std::uint64_t unreadable() const;
  const std::string& next() const { return rows().next; }
  std::size_t size() const { return rows().rows.size(); }
  wire::RowType type() const { return rows().type; }
  /// Rows of that table; one that is not sound is left out.
  template <class Row>
  std::vector<const Row*> as() const {
    std::vector<const Row*> list;
    for (const auto& row : rows().rows) {
      if (const Row* verified = verified_row<Row>({row->data.data(), row->data.size()})) {
        list.push_back(verified);
      }
    }
    return list;
  }

 private:
  const wire::RowsT& rows() const { return *frame_->reply.AsRows(); }
  std::unique_ptr<wire::ServerFrameT> frame_;
};

/// The rows of an answer; `unexpected_reply` (trouble) when the daemon has answered with something else.
Result<Page> page_of(Result<std::unique_ptr<wire::ServerFrameT>> answer);
Result<Page> ask_rows(Client& client, const wire::QueryT& query);
/// When the daemon goes away the next one is asked, a few times: `client` is then another connection.
Result<Page> ask_rows(Invocation& invocation, Client& client, const wire::QueryT& query);
/// The row of one job by id, prefix or @last.
Result<Page> ask_job(Invocation& invocation, Client& client, const std::string& job);
/// The same with its whole task, however long that is.
Result<Page> ask_whole_job(Invocation& invocation, Client& client, const std::string& job);
/// What is paused: everything, and the projects that the filter lets through.
wire::QueryT pauses_query(const Arguments& args);
/// The rows of an answer to that; none for another answer or an error.
std::vector<const view::QueueSwitch*> pauses_of(const Result<Page>& answer);
std::vector<const view::QueueSwitch*> pauses_of(const Page& answer);
/// The full id of a job; asks only for what is none yet.
Result<std::string> full_id(Invocation& invocation, Client& client, const std::string& job);

/// A connection for a question that filter_of() narrows: as Invocation::connect(), and `unknown_project`
/// (usage) when --project names one that nobody knows (check_known_projects()). Where the daemon's
/// configuration is not known here, it is a word on standard error and no error.
Result<Client> connect_to_ask(Invocation& invocation);

/// The filter that --job --project --agent --tag --state --since --until describe.
std::unique_ptr<wire::FilterT> filter_of(const Arguments& args);

/// A fresh word that makes a command repeatable: sent twice, it is carried out once.
std::string fresh_command_id();
/// --command-id, else a fresh one.
std::string command_id_of(const Arguments& args);
inline constexpr Option kCommandIdOption{"--command-id", ValueKind::text, "ID",
                                         "repeating a command id has no further effect"};

/// A command with a command id may be sent again after this error, a question at any rate: the next daemon
/// takes it.
bool is_repeatable(const Error& error);

/// Sends a command that carries a command id. When the daemon goes away, or cannot say whether the command is
/// in the log, the same command goes to the next daemon, a few times; where that does not help the error
/// names the command id.
Result<wire::AcceptedT> order(Invocation& invocation, Client& client, const wire::RequestUnion& request);

/// The exit code that a job stands for. `own`: its process's code, 128 + signal when it was killed; a process
/// that ended with 0 although its job did not complete (it was stopped, or said itself that it failed) is 1.
int exit_code_of(const view::Job& job, bool own);

}  // namespace luzia
