// Notices that a configuration file has changed, so that the daemon reads the files again, and raises an
// alert while it cannot read them. Inotify watches the folders of the files, and of what they link to; a
// folder that does not exist is watched once it does and the configuration is read for another reason. Loop
// thread.
//
// Rejected: one watch on each file. Editors write a new file and rename it, which leaves such a watch behind.
#pragma once

#include <uv.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/core/command.h"
#include "tools/luziad/base/follower.h"
#include "tools/luziad/base/loop.h"

namespace luzia {

/// The alert while the files on disk cannot be used.
inline constexpr char kConfigRefused[] = "config_refused";

class ConfigWatch final : public Follower {
 public:
  /// `file`: as given to load_config(). `changed`: files were written; called half a second after the last
  /// write.
  ConfigWatch(uv_loop_t* loop, std::string file, std::function<void()> changed,
              std::function<void(SystemNote)> note);
  ~ConfigWatch() { close(); }
  ConfigWatch(const ConfigWatch&) = delete;
  ConfigWatch& operator=(const ConfigWatch&) = delete;

  /// The daemon starts, so its configuration is good. `alert_open`: an earlier daemon left the alert open.
  void begin(bool alert_open);
  /// The files were read, with this result: links and folders may be others now. Raises the alert once for
  /// each error, and ends it.
  void judge(const Status& read);
  void close() override;

 private:
  struct Folder;
  void watch();
  static void let_go(const std::vector<Folder*>& folders);

  uv_loop_t* loop_;
  std::string file_;
  std::function<void()> changed_;
  std::function<void(SystemNote)> note_;
  std::unique_ptr<Timer> quiet_;  // null once closed
  std::vector<Folder*> folders_;  // freed by libuv's close callback
  std::string alerted_;           // the error of the open alert; empty: none is open
};

}  // namespace luzia
