// A fake daemon on a real socket: records the clients' requests and answers as the test says. It runs on its
// own loop and thread and calls the test's functions there, one at a time.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "adapters/socket/server.h"
#include "projections/rows/row_bytes.h"
#include "view.fb.h"

namespace luzia {

class RecordingDaemon {
 public:
  /// Returns the replies to a request (their ids are filled in), or nothing to close the connection. A reply
  /// without a body closes the connection after the replies before it.
  using Answer = std::function<std::vector<wire::ReplyUnion>(const wire::ClientFrameT&)>;

  /// `welcome`: the reply to a Hello. Hellos are neither recorded nor passed to `answer`.
  RecordingDaemon(const std::string& store, Answer answer, wire::WelcomeT welcome = {});
  ~RecordingDaemon();
  RecordingDaemon(const RecordingDaemon&) = delete;
  RecordingDaemon& operator=(const RecordingDaemon&) = delete;

  /// Requests so far, oldest first. Any thread.
  std::vector<std::shared_ptr<wire::ClientFrameT>> requests() const;

 private:
  void received(ConnectionId connection, const wire::ClientFrame& frame);

  Answer answer_;
  wire::WelcomeT welcome_;
  uv_loop_t loop_{};
  uv_async_t stop_{};
  std::unique_ptr<SocketServer> server_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<wire::ClientFrameT>> requests_;
  std::thread thread_;
};

template <class Body>
wire::ReplyUnion reply_of(Body body) {
  wire::ReplyUnion reply;
  reply.Set(std::move(body));
  return reply;
}

/// A page of rows of any table, valid at position 9.
template <class Native>
wire::ReplyUnion rows_of(const std::vector<Native>& natives, wire::RowType type,
                         const std::string& next = {}) {
  wire::RowsT rows;
  rows.type = type;
  rows.next = next;
  rows.position = 9;
  for (const Native& native : natives) {
    const std::string bytes = row_bytes(native);
    auto row = std::make_unique<wire::RowT>();
    row->data.assign(bytes.begin(), bytes.end());
    rows.rows.push_back(std::move(row));
  }
  return reply_of(std::move(rows));
}

wire::ReplyUnion accepted(std::vector<std::string> ids);
wire::ReplyUnion refused(const std::string& code, ErrorKind kind);
/// An overview: its jobs and another part.
wire::ReplyUnion with_part(wire::ReplyUnion rows, const wire::ReplyUnion& part);
wire::ReplyUnion job_rows(const std::vector<view::JobT>& jobs, const std::string& next = {});

}  // namespace luzia
