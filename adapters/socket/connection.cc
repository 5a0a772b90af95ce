#include "adapters/socket/connection.h"

#include <poll.h>

#include <algorithm>
#include <optional>

#include "engine/base/time.h"

namespace luzia {
namespace {

// Buffers that grew beyond this are freed once empty.
constexpr std::size_t kKeptBytes = 256 << 10;

void clear(std::string& buffer) {
  if (buffer.capacity() > kKeptBytes) {
    std::string().swap(buffer);
  } else {
    buffer.clear();
  }
}

/// Distinguishes a client that has closed from one that only finished sending.
bool has_reader(const uv_pipe_t& pipe) {
  uv_os_fd_t fd = -1;
  if (uv_fileno(reinterpret_cast<const uv_handle_t*>(&pipe), &fd) != 0) return false;
  pollfd look{fd, 0, 0};
  return ::poll(&look, 1, 0) == 0;
}

}  // namespace

Connection::Connection(std::uint64_t id, const Events& events, Limits limits, Budgets& budgets)
    : id_(id), events_(events), limits_(limits), unfinished_(budgets.unfinished), unread_(budgets.unread) {
  pipe_.data = this;
  write_.data = this;
  reader_.limit(kFirstFrameBytes);
}

void Connection::belongs_to(uid_t user) {
  unfinished_.belongs_to(user);
  unread_.belongs_to(user);
}

Status Connection::start_reading(uv_buf_t scratch) {
  scratch_ = scratch;
  if (!keep_reading()) {
    return fail(ErrorKind::trouble, "socket_read", "reading from a client: the kernel refuses");
  }
  return {};
}

bool Connection::keep_reading() {
  if (reading_ || leaving_ || half_closed_) return true;
  const int status = uv_read_start(
      stream(),
      [](uv_handle_t* handle, size_t, uv_buf_t* buffer) {
        *buffer = static_cast<Connection*>(handle->data)->scratch_;
      },
      [](uv_stream_t* stream, ssize_t count, const uv_buf_t* bytes) {
        static_cast<Connection*>(stream->data)->read(count, bytes);
      });
  reading_ = status == 0;
  progress_at_ = uv_now(pipe_.loop);
  if (within_frame()) events_.lingers(*this);
  return reading_;
}

void Connection::read(ssize_t count, const uv_buf_t* bytes) {
  if (count == 0 || dropped_) return;
  if (count == UV_EOF) {
    input_over();
    return;
  }
  if (count < 0) {
    drop();
    return;
  }
  progress_at_ = uv_now(pipe_.loop);
  const Status taken =
      take({reinterpret_cast<const std::uint8_t*>(bytes->base), static_cast<std::size_t>(count)});
  if (leaving_) return;
  if (!taken) {
    refuse(taken.error());
  } else if (!unfinished_.hold(reader_.held())) {
    refuse({ErrorKind::refused, "too_much_unfinished",
            "reading a request: your requests that are not whole yet take too much memory",
            "send one after the other"});
  } else if (within_frame()) {
    events_.lingers(*this);
  }
}

Status Connection::take(Bytes arrived) {
  std::optional<Error> garbage;
  const Status fed = reader_.feed(arrived, [&](Bytes frame) {
    if (leaving_ || garbage) return;
    auto parsed = parse_client_frame(frame);
    if (const auto redactor = parsed ? events_.redactor(*this, **parsed) : nullptr) {
      // Texts stand in it as they are, and keep their sizes. The memory is ours.
      redactor->black_out({const_cast<char*>(as_text(frame).data()), frame.size()}, false);
      parsed = parse_client_frame(frame);
    }
    if (!parsed) {
      garbage = parsed.error();
      return;
    }
    open_.asked(**parsed);
    events_.received(*this, **parsed);
    reader_.limit(may_send_much_ ? kMaxFrameBytes : kFirstFrameBytes);
  });
  return garbage ? tl::unexpected(std::move(*garbage)) : fed;
}

void Connection::look_for_progress() {
  if (!within_frame() || uv_now(pipe_.loop) - progress_at_ < limits_.half_frame_ms) return;
  refuse({ErrorKind::usage, "half_frame",
          "reading a request: " + std::to_string(reader_.arrived()) +
              " bytes of it have come, and no more for " +
              format_duration(static_cast<TimeUs>(limits_.half_frame_ms) * kMillisecondUs),
          "send it again, whole"});
}

void Connection::input_over() {
  if (!open_.any() || !has_reader(pipe_)) {
    leave();
    return;
  }
  half_closed_ = true;
  uv_read_stop(stream());
  reading_ = false;
  events_.lingers(*this);
}

void Connection::look_for_reader() {
  if (!has_reader(pipe_)) leave();
}

void Connection::refuse(const Error& error) {
  flatbuffers::FlatBufferBuilder builder;
  const auto refused = wire::CreateRefusedDirect(builder, error.code.c_str(), error.message.c_str(),
                                                 error.hint.c_str(), static_cast<std::uint8_t>(error.kind));
  builder.Finish(wire::CreateServerFrame(builder, 0, wire::Reply::Refused, refused.Union()));
  add(builder);
  leave();
}

bool Connection::add(const flatbuffers::FlatBufferBuilder& finished) {
  if (leaving_ || finished.GetSize() > kMaxFrameBytes) return false;
  append_frame(out_, finished);
  const bool has_room = unread_.hold(queued());
  open_.answered(*flatbuffers::GetRoot<wire::ServerFrame>(finished.GetBufferPointer()));
  settle();
  if (half_closed_ && !open_.any()) leave();
  return has_room && queued() <= limits_.most;
}

void Connection::settle() {
  const std::size_t waiting = queued();
  unread_.hold(waiting);
  if (!full_ && waiting > limits_.full) {
    full_ = true;
    // A client that does not take answers may not send further requests.
    if (reading_) {
      uv_read_stop(stream());
      reading_ = false;
    }
  } else if (full_ && waiting < limits_.resume && !leaving_) {
    full_ = false;
    keep_reading();
    events_.drained(*this);
  }
}

void Connection::flush() {
  if (writing_ || dropped_) return;
  if (!out_.empty()) {
    uv_buf_t buffer = uv_buf_init(out_.data(), static_cast<unsigned>(out_.size()));
    const int taken = uv_try_write(stream(), &buffer, 1);
    if (taken < 0 && taken != UV_EAGAIN) {
      drop();
      return;
    }
    const auto written = static_cast<std::size_t>(std::max(taken, 0));
    if (written < out_.size()) {
      in_flight_.swap(out_);
      buffer = uv_buf_init(in_flight_.data() + written, static_cast<unsigned>(in_flight_.size() - written));
      writing_ = true;
      const int queued_status = uv_write(&write_, stream(), &buffer, 1, [](uv_write_t* request, int status) {
        static_cast<Connection*>(request->data)->wrote(status);
      });
      if (queued_status != 0) {
        writing_ = false;
        drop();
      }
      return;
    }
    clear(out_);
  }
  if (leaving_) {
    drop();
  } else {
    settle();
  }
}

void Connection::wrote(int status) {
  writing_ = false;
  clear(in_flight_);
  if (dropped_) return;
  if (status != 0) {
    drop();
    return;
  }
  flush();
}

void Connection::leave() {
  if (leaving_) return;
  leaving_ = true;
  leaving_since_ = uv_now(pipe_.loop);
  if (reading_) {
    uv_read_stop(stream());
    reading_ = false;
  }
  flush();
  if (!dropped_) events_.lingers(*this);
}

void Connection::drop() {
  if (dropped_) return;
  leaving_ = true;
  dropped_ = true;
  uv_close(reinterpret_cast<uv_handle_t*>(&pipe_), [](uv_handle_t* handle) {
    auto* connection = static_cast<Connection*>(handle->data);
    // A copy: the owner of the events may be destroyed with its last connection.
    const auto closed = connection->events_.closed;
    closed(*connection);
  });
}

}  // namespace luzia
