#include "adapters/socket/buffer_budget.h"

#include <utility>

namespace luzia {

bool BufferBudget::change(uid_t user, std::size_t from, std::size_t to) {
  std::size_t& of_user = used_[user];
  of_user += to - from;
  used_by_all_ += to - from;
  const bool bound_by_all = user != 0 && user != owner_;
  const bool fits = of_user <= limits_.of_user && (!bound_by_all || used_by_all_ <= limits_.of_all);
  if (of_user == 0) used_.erase(user);
  return fits || to <= from;
}

bool BufferShare::hold(std::size_t bytes) {
  return bytes == bytes_ || budget_.change(user_, std::exchange(bytes_, bytes), bytes);
}

}  // namespace luzia
