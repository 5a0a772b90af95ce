#include "adapters/output_log/file_hint.h"

#include "adapters/output_log/request_marks.h"

namespace luzia {

FileHint::FileHint(uv_loop_t* loop, std::uint64_t watch, std::string job_dir, const Hint* hint,
                   const std::string& foreign_log)
    : watch_(watch),
      job_dir_(std::move(job_dir)),
      foreign_name_(foreign_log.substr(foreign_log.rfind('/') + 1)),
      hint_(hint) {
  uv_fs_event_init(loop, &handle_);  // cannot fail
  handle_.data = this;
}

int FileHint::arm() {
  uv_fs_event_stop(&handle_);
  return uv_fs_event_start(&handle_, on_event, job_dir_.c_str(), 0);
}

void FileHint::on_event(uv_fs_event_t* handle, const char* name, int, int) {
  const FileHint& self = *static_cast<const FileHint*>(handle->data);
  const std::string_view file = name == nullptr ? std::string_view() : name;
  const bool foreign = !self.foreign_name_.empty();
  const std::string_view log = foreign ? std::string_view(self.foreign_name_) : "output.log";
  if (file.empty() || file == log) return (*self.hint_)(self.watch_, About::output);
  if (!foreign && is_request_file(file)) return (*self.hint_)(self.watch_, About::requests);
  if (!foreign && is_answer_file(file)) return (*self.hint_)(self.watch_, About::answers);
  if (self.is_directory_itself(file)) (*self.hint_)(self.watch_, About::directory);
}

/// Events of the directory itself carry the directory's own name.
bool FileHint::is_directory_itself(std::string_view name) const {
  const std::string_view directory = job_dir_;
  return name == directory.substr(directory.rfind('/') + 1);
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
