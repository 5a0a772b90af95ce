// Status updates in the file that [logging] log_file names: one line for each event that [status_updates]
// selects, among the daemon's own lines, for `tail -f`. Without a log_file there are none.
//
//   2026-11-20T14:05:09.000123+0100 info job 1qfar2zr00c6x: completed (exit code 0)
//
// A line follows its event. A daemon that is killed between the two leaves it out; the log has the event.
// Rejected: a file of their own, which older settings do not name. Loop thread.
#pragma once

#include <memory>
#include <string>

#include "adapters/config/config.h"
#include "projections/rows/status_updates.h"
#include "tools/luziad/base/follower.h"

namespace luzia {

/// "job 1qfar2zr00c6x: started", on one line and safe for a terminal.
std::string status_line(const schema::Event& event);

class StatusLines final : public Follower {
 public:
  explicit StatusLines(const Config& config);
  void committed(const std::shared_ptr<const Group>& group) override;
  void config_changed() override;

 private:
  const Config& config_;
  UpdateFilter filter_;
};

}  // namespace luzia
