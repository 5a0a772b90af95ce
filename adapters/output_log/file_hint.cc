#include "adapters/output_log/file_hint.h"

namespace luzia {

FileHint::FileHint(uv_loop_t* loop, std::uint64_t watch, std::string job_dir, const Hint* hint)
    : watch_(watch), job_dir_(std::move(job_dir)), hint_(hint) {
  uv_fs_event_init(loop, &handle_);  // cannot fail
  handle_.data = this;
}

int FileHint::arm(Target target) {
  uv_fs_event_stop(&handle_);
  target_ = target;
  const std::string path = target == Target::file ? job_dir_ + "/output.log" : job_dir_;
  const int status = uv_fs_event_start(&handle_, on_event, path.c_str(), 0);
  armed_ = status == 0;
  return status;
}

void FileHint::on_event(uv_fs_event_t* handle, const char* name, int events, int) {
  const FileHint& self = *static_cast<const FileHint*>(handle->data);
  if (self.target_ == Target::directory && name != nullptr && !self.concerns_output(name)) return;
  (*self.hint_)(self.watch_, (events & UV_RENAME) != 0);
}

bool FileHint::concerns_output(std::string_view name) const {
  const std::string_view directory = job_dir_;  // events of the directory itself carry its own name
  return name == "output.log" || name == directory.substr(directory.rfind('/') + 1);
}

void FileHint::close(std::unique_ptr<FileHint> hint, std::function<void()> closed) {
  FileHint* leaving = hint.release();
  leaving->closed_ = std::move(closed);
  uv_close(reinterpret_cast<uv_handle_t*>(&leaving->handle_), [](uv_handle_t* handle) {
    const std::unique_ptr<FileHint> gone(static_cast<FileHint*>(handle->data));
    gone->closed_();
  });
}

}  // namespace luzia
