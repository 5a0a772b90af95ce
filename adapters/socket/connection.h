// One client of the SocketServer: its bytes in both directions. Loop thread only; used only by server.cc.
#pragma once

#include <uv.h>

#include <memory>
#include <string>

#include "adapters/socket/buffer_budget.h"
#include "adapters/socket/frame.h"
#include "adapters/socket/open_requests.h"
#include "engine/base/redactor.h"

namespace luzia {

class Connection {
 public:
  /// Notifications to the server. All are called from libuv callbacks.
  struct Events {
    std::function<void(Connection&, const wire::ClientFrame&)> received;
    /// See SocketServer::Handlers.
    std::function<std::shared_ptr<const Redactor>(Connection&, const wire::ClientFrame&)> redactor;
    std::function<void(Connection&)> drained;
    std::function<void(Connection&)> lingers;  // leaving with bytes to send; half closed; or within a frame
    std::function<void(Connection&)> closed;   // last call; the connection may be destroyed in it
  };
  struct Limits {
    std::size_t full, resume, most;
    std::uint64_t half_frame_ms;  // longest pause within a frame
  };
  /// Shared by all connections.
  struct Budgets {
    BufferBudget unfinished, unread;
  };

  Connection(std::uint64_t id, const Events& events, Limits limits, Budgets& budgets);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  uv_pipe_t* pipe() { return &pipe_; }
  std::uint64_t id() const { return id_; }
  /// Sets the user whose budget it uses; call before start_reading().
  void belongs_to(uid_t user);
  /// Limits all frames to kFirstFrameBytes. Otherwise they may have kMaxFrameBytes after the first whole
  /// request.
  void keep_frames_small() { may_send_much_ = false; }
  /// `scratch` is shared by all connections: its bytes are consumed before the read callback returns.
  Status start_reading(uv_buf_t scratch);
  /// Queues a frame for the next flush(). False: nothing more may be sent (leaving, or too much is waiting).
  bool add(const flatbuffers::FlatBufferBuilder& finished);
  void flush();
  /// The client has stopped sending but may still read: the connection stays until the last answer is sent.
  bool half_closed() const { return half_closed_ && !leaving_; }
  /// Checks whether such a client is gone for good, and then closes. No event reports that.
  void look_for_reader();
  bool full() const { return full_; }
  /// A frame has begun but not ended, and we are reading.
  bool within_frame() const { return reading_ && reader_.within_frame(); }
  /// Refuses the connection if such a frame has made no progress for too long.
  void look_for_progress();
  /// Closes when everything queued was sent.
  void leave();
  /// Closes now and drops queued bytes.
  void drop();
  bool leaving() const { return leaving_; }
  /// Loop time of leave() in milliseconds.
  std::uint64_t leaving_since() const { return leaving_since_; }

 private:
  void read(ssize_t count, const uv_buf_t* bytes);
  Status take(Bytes arrived);
  void refuse(const Error& error);
  void wrote(int status);
  bool keep_reading();
  void settle();
  void input_over();
  std::size_t queued() { return uv_stream_get_write_queue_size(stream()) + out_.size(); }
  uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&pipe_); }

  std::uint64_t id_;
  const Events& events_;
  Limits limits_;
  uv_pipe_t pipe_{};
  uv_write_t write_{};
  uv_buf_t scratch_{};
  FrameReader reader_;
  std::string out_;        // added since the last flush
  std::string in_flight_;  // bytes the kernel did not accept; libuv writes them
  bool writing_ = false;
  bool reading_ = false;
  bool full_ = false;
  bool leaving_ = false;
  bool dropped_ = false;
  bool half_closed_ = false;
  OpenRequests open_;
  std::uint64_t leaving_since_ = 0;
  std::uint64_t progress_at_ = 0;  // loop time of the last bytes, or of the start of reading
  bool may_send_much_ = true;
  BufferShare unfinished_, unread_;
};

}  // namespace luzia
