#include "tools/luzia-web/descriptor_watch.h"

#include <uv.h>

#include <memory>

namespace luzia::web {

struct DescriptorWatch::Handle {
  uv_poll_t poll{};
  std::function<void()> readable;
};

DescriptorWatch::DescriptorWatch(uv_loop_s* loop, int descriptor, std::function<void()> readable)
    : handle_(nullptr) {
  auto handle = std::make_unique<Handle>();
  if (uv_poll_init(loop, &handle->poll, descriptor) != 0) return;
  handle->readable = std::move(readable);
  handle->poll.data = handle.get();
  handle_ = handle.release();
  uv_poll_start(&handle_->poll, UV_READABLE, [](uv_poll_t* poll, int /*status*/, int /*events*/) {
    static_cast<Handle*>(poll->data)->readable();
  });
}

DescriptorWatch::~DescriptorWatch() {
  if (handle_ == nullptr) return;
  uv_poll_stop(&handle_->poll);
  uv_close(reinterpret_cast<uv_handle_t*>(&handle_->poll), [](uv_handle_t* closed) {
    const std::unique_ptr<Handle> over(static_cast<Handle*>(closed->data));
  });
}

}  // namespace luzia::web
