// Queries and commands to the daemon that several commands share. One thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/socket/client.h"
#include "projections/rows/json.h"
#include "projections/rows/row_bytes.h"
#include "projections/rows/row_tables.h"
#include "tools/cli/invocation.h"
#include "tools/read/daemon_source.h"
#include "tools/read/options.h"
#include "view.fb.h"

namespace luzia {

/// A page of rows. Owns the frame that the rows point into.
class Page {
 public:
  explicit Page(std::unique_ptr<wire::ServerFrameT> frame) : frame_(std::move(frame)) {}

  std::uint64_t position() const { return rows().position; }
  /// The number of rows with an unreadable text.
  std::uint64_t unreadable() const;
  const std::string& next() const { return rows().next; }
  std::size_t size() const { return rows().rows.size(); }
  /// Of all rows.
  std::size_t bytes() const;
  wire::RowType type() const { return rows().type; }
  /// The rows as type Row, valid as long as the page. Damaged rows are left out.
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

template <class Row>
std::string rows_json(std::string_view plural, const std::vector<const Row*>& rows, const Page& page,
                      std::string (*json)(const Row&)) {
  std::vector<std::string> objects;
  for (const Row* row : rows) objects.push_back(json(*row));
  return list_json(plural, objects, page.position(), page.next());
}

/// Prints the table, or says `none` if it is empty, and names the cursor of the next page.
void print_rows(Invocation& invocation, const Table& table, const Page& page, const std::string& none);

/// The rows of an answer; `unexpected_reply` (trouble): the daemon sent something else.
Result<Page> page_of(Result<std::unique_ptr<wire::ServerFrameT>> answer);
Result<Page> ask_rows(Client& client, const wire::QueryT& query);
/// If the daemon goes away, asks the next one, up to 8 times; `client` is then the new connection.
Result<Page> ask_rows(Invocation& invocation, Client& client, const wire::QueryT& query);
/// Asks for all rows, page by page. `too_much` (trouble): another machine has more than kMostCarriedBytes.
Status for_each_page(Invocation& invocation, Client& client, wire::QueryT query,
                     const std::function<void(Page)>& visit);
/// Whether a long task is cut, as lists show it.
enum class TaskText { shown, whole };
/// The row of one job by id, prefix or @last; `no_such_job` (not_found).
Result<Page> ask_job(Invocation& invocation, Client& client, const std::string& job,
                     TaskText task = TaskText::shown);
/// The query for pauses: of everything, and of the projects in the filter.
wire::QueryT pauses_query(const Arguments& args);
/// The rows of the answer to pauses_query(); empty for another answer or none.
std::vector<const view::QueueSwitch*> pauses_of(const Page* answer);
/// The full id of a job. Asks the daemon only if `job` is not a full id.
Result<std::string> full_id(Invocation& invocation, Client& client, const std::string& job);

/// As Invocation::connect(), for queries with filter_of(). `unknown_project` (not_found): --project names an
/// unknown project (check_known_projects()). If the daemon's configuration is not known here, that is only a
/// note on standard error.
Result<Client> connect_to_ask(Invocation& invocation);

/// The filter of --job, --project, --agent, --tag, --state, --since and --until.
std::unique_ptr<wire::FilterT> filter_of(const Arguments& args);

/// A new random command id. A command sent twice with the same id is carried out once. Never empty.
std::string fresh_command_id();
/// --command-id, else a fresh one.
std::string command_id_of(const Arguments& args);
inline constexpr Option kCommandIdOption{"--command-id", ValueKind::text, "ID",
                                         "repeating a command id has no further effect"};

/// Asks for an action that is answered by one frame.
Result<std::unique_ptr<wire::ServerFrameT>> ask_control(Client& client, wire::ControlAction action,
                                                        const std::string& argument = {});
/// What the daemon says of itself, as lines and as facts; nothing to callers other than its owner.
wire::ProgressedT ask_description(Client& client);

/// Whether a query, or a command with a command id, can be sent again to the next daemon after this error.
bool is_repeatable(const Error& error);

/// Sends a command with a command id. If the daemon goes away, or cannot say whether the command is in the
/// log, sends the same command to the next daemon, up to 8 times. If that fails, the error names the command
/// id.
Result<wire::AcceptedT> send_command(Invocation& invocation, Client& client,
                                     const wire::RequestUnion& request);

/// {"id","position","repeated"} for an accepted command about one thing, and its "machine" if it is another.
std::string accepted_json(const wire::AcceptedT& accepted, const Machine* machine = nullptr);

/// The exit code for a job's outcome: 0 if it completed, else 1. `own`: its process's code, or 128 + signal
/// if it was killed; 1 if the process exited with 0 but the job did not complete (it was stopped, or reported
/// a failure itself).
int exit_code_of(const view::Job& job, bool own);

}  // namespace luzia
