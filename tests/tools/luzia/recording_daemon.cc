#include "tests/tools/luzia/recording_daemon.h"

#include <gtest/gtest.h>

#include <csignal>

namespace luzia {

RecordingDaemon::RecordingDaemon(const std::string& store, Answer answer, wire::WelcomeT welcome)
    : answer_(std::move(answer)), welcome_(std::move(welcome)) {
  std::signal(SIGPIPE, SIG_IGN);
  uv_loop_init(&loop_);
  uv_async_init(&loop_, &stop_, [](uv_async_t* async) {
    auto* daemon = static_cast<RecordingDaemon*>(async->data);
    daemon->server_->stop([daemon] {
      daemon->server_.reset();
      uv_close(reinterpret_cast<uv_handle_t*>(&daemon->stop_), nullptr);
    });
  });
  stop_.data = this;
  SocketServer::Handlers handlers;
  handlers.received = [this](ConnectionId connection, const wire::ClientFrame& frame) {
    received(connection, frame);
  };
  server_ = std::make_unique<SocketServer>(&loop_, std::move(handlers));
  const Status listening = server_->listen(store + "/socket", std::nullopt, std::nullopt);
  EXPECT_TRUE(listening.has_value()) << listening.error().message;
  thread_ = std::thread([this] { uv_run(&loop_, UV_RUN_DEFAULT); });
}

RecordingDaemon::~RecordingDaemon() {
  uv_async_send(&stop_);
  thread_.join();
  EXPECT_EQ(uv_loop_close(&loop_), 0);
}

void RecordingDaemon::received(ConnectionId connection, const wire::ClientFrame& frame) {
  const std::shared_ptr<wire::ClientFrameT> request(frame.UnPack());
  if (frame.request_type() == wire::Request::Hello) {
    wire::ServerFrameT welcome;
    welcome.reply.Set(welcome_);
    return server_->send(connection, welcome);
  }
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  std::vector<wire::ReplyUnion> replies = answer_(*request);
  if (replies.empty()) {
    server_->close(connection);
    return;
  }
  for (wire::ReplyUnion& reply : replies) {
    if (reply.type == wire::Reply::NONE) {
      server_->close(connection);
      return;
    }
    wire::ServerFrameT answer;
    answer.id = request->id;
    answer.reply = std::move(reply);
    server_->send(connection, answer);
  }
}

std::vector<std::shared_ptr<wire::ClientFrameT>> RecordingDaemon::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

wire::ReplyUnion accepted(std::vector<std::string> ids) {
  wire::AcceptedT reply;
  reply.ids = std::move(ids);
  reply.position = 7;
  return reply_of(std::move(reply));
}

wire::ReplyUnion refused(const std::string& code, ErrorKind kind) {
  wire::RefusedT reply;
  reply.code = code;
  reply.message = "the daemon says no";
  reply.hint = "try something else";
  reply.exit_code = static_cast<std::uint8_t>(kind);
  return reply_of(std::move(reply));
}

wire::ReplyUnion job_rows(const std::vector<view::JobT>& jobs, const std::string& next) {
  return rows_of(jobs, wire::RowType::job, next);
}

wire::ReplyUnion with_part(wire::ReplyUnion rows, const wire::ReplyUnion& part) {
  rows.AsRows()->parts.push_back(std::make_unique<wire::RowsT>(*part.AsRows()));
  return rows;
}

}  // namespace luzia
