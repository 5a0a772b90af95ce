// One client of the SocketServer: its bytes in both directions. Loop thread only; used by server.cc alone.
#pragma once

#include <uv.h>

#include <string>

#include "adapters/socket/frame.h"

namespace luzia {

class Connection {
 public:
  /// What the connection tells its server. All are called from libuv callbacks.
  struct Events {
    std::function<void(Connection&, const wire::ClientFrame&)> received;
    std::function<void(Connection&)> drained;
    std::function<void(Connection&)> lingers;  // leaving, but bytes still wait
    std::function<void(Connection&)> closed;   // last call; the connection may be destroyed in it
  };
  struct Limits {
    std::size_t full, resume, most;
  };

  Connection(std::uint64_t id, const Events& events, Limits limits);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  uv_pipe_t* pipe() { return &pipe_; }
  std::uint64_t id() const { return id_; }
  /// `scratch` is shared by all connections: bytes are taken from it before read callbacks return.
  Status start_reading(uv_buf_t scratch);
  /// Keeps bytes for the next flush(). False: nothing more may be sent (leaving, or too much is waiting).
  bool add(const flatbuffers::FlatBufferBuilder& finished);
  bool add(std::string_view bytes);
  void flush();
  bool full() const { return full_; }
  /// Closes when everything added has left.
  void leave();
  /// Closes now, whatever is waiting.
  void drop();
  bool leaving() const { return leaving_; }
  /// Loop time of leave(), milliseconds.
  std::uint64_t leaving_since() const { return leaving_since_; }

 private:
  void read(ssize_t count, const uv_buf_t* bytes);
  void refuse(const Error& error);
  void wrote(int status);
  bool keep_reading();
  void settle();
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
  std::uint64_t leaving_since_ = 0;
};

}  // namespace luzia
