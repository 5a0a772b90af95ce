#include "projections/devices.h"

namespace luzia {
namespace {

class DevicesProjection : public Projection {
 public:
  explicit DevicesProjection(ViewReaderSource rows) : devices_(kDevicesView, std::move(rows)) {}
  std::vector<ProjectionInfo> views() const override { return {kDevicesView}; }

  void fold(const schema::Event& event) override {
    if (event.payload_as_DeviceEvent() == nullptr) return;
    const std::string_view id = device_of_stream(text(event.stream()));
    if (!id.empty()) evolve(devices_.edit(id), event);
  }
  void flush(RowBatch& batch) override { devices_.flush(batch); }

 private:
  RowTable<view::Device> devices_;
};

}  // namespace

std::unique_ptr<Projection> make_devices_projection(ViewReaderSource rows) {
  return std::make_unique<DevicesProjection>(std::move(rows));
}

void visit_devices(const ViewReader& rows, const std::function<void(Device)>& visit) {
  rows.scan(row_key(kDevicesView, ""), row_end(kDevicesView), [&](std::string_view, std::string_view value) {
    visit(StoredRow<view::Device>(value).native());
    return true;
  });
}

}  // namespace luzia
