// One client of the SocketServer: its bytes in both directions. Loop thread only; used by server.cc alone.
#pragma once

#include <uv.h>

#include <string>

#include "adapters/socket/buffer_budget.h"
#include "adapters/socket/frame.h"

namespace luzia {

class Connection {
 public:
  /// What the connection tells its server. All are called from libuv callbacks.
  struct Events {
    std::function<void(Connection&, const wire::ClientFrame&)> received;
    std::function<void(Connection&)> drained;
    std::function<void(Connection&)> lingers;  // leaving, but bytes still wait; half closed; within a frame
    std::function<void(Connection&)> closed;   // last call; the connection may be destroyed in it
  };
  struct Limits {
    std::size_t full, resume, most;
    std::uint64_t half_frame_ms;  // without a further byte
  };
  /// What all connections share.
  struct Budgets {
    BufferBudget unfinished, unread;
  };

  Connection(std::uint64_t id, const Events& events, Limits limits, Budgets& budgets);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  uv_pipe_t* pipe() { return &pipe_; }
  std::uint64_t id() const { return id_; }
  /// Whose budget it uses; before start_reading().
  void belongs_to(uid_t user);
  /// Frames stay at kFirstFrameBytes, else they may be kMaxFrameBytes after the first whole request.
  void keep_frames_small() { may_send_much_ = false; }
  /// `scratch` is shared by all connections: bytes are taken from it before read callbacks return.
  Status start_reading(uv_buf_t scratch);
  /// Keeps a frame for the next flush(). False: nothing more may be sent (leaving, or too much is waiting).
  bool add(const flatbuffers::FlatBufferBuilder& finished);
  void flush();
  /// Its client sends no more, but may still read: the connection stays until the last answer is out.
  bool half_closed() const { return half_closed_ && !leaving_; }
  /// Looks whether that client has gone for good, and then closes. Nothing else would tell.
  void look_for_reader();
  bool full() const { return full_; }
  /// A frame has begun, its end is missing, and we do read.
  bool within_frame() const { return reading_ && reader_.within_frame(); }
  /// Refuses it when nothing has come of it for too long.
  void look_for_progress();
  /// Closes when everything added has left.
  void leave();
  /// Closes now, whatever is waiting.
  void drop();
  bool leaving() const { return leaving_; }
  /// Loop time of leave(), milliseconds.
  std::uint64_t leaving_since() const { return leaving_since_; }

 private:
  void read(ssize_t count, const uv_buf_t* bytes);
  Status take(Bytes arrived);
  void refuse(const Error& error);
  void wrote(int status);
  bool keep_reading();
  void settle();
  void input_over();
  bool has_reader();
  void asked(const wire::ClientFrame& frame);
  void answered(const wire::ServerFrame& frame);
  std::size_t queued() const { return uv_stream_get_write_queue_size(stream()) + out_.size(); }
  uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&pipe_); }
  const uv_stream_t* stream() const { return reinterpret_cast<const uv_stream_t*>(&pipe_); }

  std::uint64_t id_;
  const Events& events_;
  Limits limits_;
  uv_pipe_t pipe_{};
  uv_write_t write_{};
  uv_buf_t scratch_{};
  FrameReader reader_;
  std::string out_;        // added since the last flush
  std::string in_flight_;  // what the kernel did not take; libuv writes it
  bool writing_ = false;
  bool reading_ = false;
  bool full_ = false;
  bool leaving_ = false;
  bool dropped_ = false;
  bool half_closed_ = false;
  std::uint64_t unanswered_ = 0;  // requests; kOpenEnded for one that goes on until it is forgotten
  std::uint64_t leaving_since_ = 0;
  std::uint64_t progress_at_ = 0;  // loop time of the last bytes, or since when they are read
  bool may_send_much_ = true;
  BufferShare unfinished_, unread_;
};

}  // namespace luzia
