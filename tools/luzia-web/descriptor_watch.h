// Hears when a descriptor can be read, on the server's loop. Loop thread; may be destroyed in its own call.
#pragma once

#include <functional>

struct uv_loop_s;

namespace luzia::web {

class DescriptorWatch {
 public:
  /// Calls `readable` as long as there is something to read, an end or an error. The descriptor must stay
  /// open for as long as the watch lives.
  DescriptorWatch(uv_loop_s* loop, int descriptor, std::function<void()> readable);
  ~DescriptorWatch();
  DescriptorWatch(const DescriptorWatch&) = delete;
  DescriptorWatch& operator=(const DescriptorWatch&) = delete;

 private:
  struct Handle;
  Handle* handle_;  // null: it could not begin; freed by the loop
};

}  // namespace luzia::web
