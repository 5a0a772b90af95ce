#include "engine/view/older_rows.h"

#include <algorithm>
#include <utility>

#include "engine/view/fold.h"
#include "engine/view/overlay_store.h"

namespace luzia {
namespace {

/// In the mark of older rows, separates this program's versions from those that first wrote the rows. No view
/// has this id.
constexpr char kWrittenFirst = '\0';

std::optional<std::uint8_t> version_in(std::string_view versions, std::uint8_t id) {
  for (std::size_t i = 0; i + 1 < versions.size(); i += 2) {
    if (static_cast<std::uint8_t>(versions[i]) == id) return static_cast<std::uint8_t>(versions[i + 1]);
  }
  return std::nullopt;
}

/// Maps keys of this program to keys as stored.
class StoredKeys {
 public:
  explicit StoredKeys(OlderVersions versions) : versions_(std::move(versions)) {}

  const OlderVersions& versions() const { return versions_; }
  /// The differing view to which a key, or the end of a view's keys, belongs; null: none.
  const OlderVersions::View* view_of(std::string_view key) const {
    if (key.size() < 2) return nullptr;
    for (const auto& view : versions_.views) {
      const auto id = static_cast<std::uint8_t>(key[0]), version = static_cast<std::uint8_t>(key[1]);
      const bool is_end = key.size() == 2 && version == view.info.version + 1;
      if (id == view.info.id && (version == view.info.version || is_end)) return &view;
    }
    return nullptr;
  }
  bool has(std::uint8_t view) const {
    return std::ranges::none_of(versions_.views, [view](const OlderVersions::View& differing) {
      return differing.info.id == view && !differing.stored;
    });
  }
  std::string stored(std::string_view key) const {
    std::string result(key);
    const OlderVersions::View* view = view_of(key);
    if (view != nullptr && view->stored) {
      const int behind = static_cast<std::uint8_t>(key[1]) - view->info.version;
      result[1] = static_cast<char>(*view->stored + behind);
    }
    return result;
  }

 private:
  OlderVersions versions_;
};

class OlderReader : public ViewReader {
 public:
  OlderReader(std::unique_ptr<ViewReader> under, std::shared_ptr<const StoredKeys> keys,
              std::shared_ptr<const RowsInTheMaking> making)
      : under_(std::move(under)), keys_(std::move(keys)), making_(std::move(making)) {}

  std::optional<std::string> get(std::string_view key) const override {
    if (key == kViewsKey) return keys_->versions().own_row;
    if (is_missing(key)) return std::nullopt;
    return under_->get(keys_->stored(key));
  }
  void scan(std::string_view from, std::string_view to, const Visit& visit) const override {
    if (is_missing(from)) return;
    under_->scan(keys_->stored(from), keys_->stored(to), named_as(from, visit));
  }
  void scan_back(std::string_view from, std::string_view to, const Visit& visit) const override {
    if (is_missing(from)) return;
    under_->scan_back(keys_->stored(from), keys_->stored(to), named_as(from, visit));
  }
  ViewCursor cursor() const override { return under_->cursor(); }
  Status status() const override {
    LUZIA_TRY(under_->status());
    const std::lock_guard lock(mutex_);
    return missing_;
  }
  bool has(std::uint8_t view) const override { return !making_ || keys_->has(view); }

 private:
  /// Also sets the error that status() returns. Folding (no `making_`) reads on.
  bool is_missing(std::string_view key) const {
    const OlderVersions::View* view = keys_->view_of(key);
    if (!making_ || view == nullptr || view->stored) return false;
    Status told = making_->told_of(view->info.name);
    const std::lock_guard lock(mutex_);
    missing_ = std::move(told);
    return true;
  }
  Visit named_as(std::string_view from, const Visit& visit) const {
    const OlderVersions::View* view = keys_->view_of(from);
    if (view == nullptr || !view->stored) return visit;
    return [&visit, version = static_cast<char>(view->info.version), key = std::string()](
               std::string_view stored, std::string_view value) mutable {
      key.assign(stored);
      key[1] = version;
      return visit(key, value);
    };
  }

  std::unique_ptr<ViewReader> under_;
  std::shared_ptr<const StoredKeys> keys_;
  std::shared_ptr<const RowsInTheMaking> making_;  // null for folding
  mutable std::mutex mutex_;
  mutable Status missing_;  // under mutex_
};

class OlderStore : public ViewStore {
 public:
  OlderStore(ViewStore& under, OlderVersions versions, std::shared_ptr<const RowsInTheMaking> making)
      : under_(under),
        keys_(std::make_shared<const StoredKeys>(std::move(versions))),
        making_(std::move(making)) {}

  std::unique_ptr<ViewReader> snapshot() const override {
    return std::make_unique<OlderReader>(under_.snapshot(), keys_, making_);
  }
  Status write(const RowBatch& rows, const ViewCursor& cursor) override {
    batch_.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto [key, value] = rows[i];
      if (key != kViewsKey) batch_.add(keys_->stored(key), value);
    }
    return under_.write(batch_, cursor);
  }
  Status clear() override {
    return fail(ErrorKind::trouble, "views_failed", "rows that are being rebuilt elsewhere are not cleared",
                "restart luziad: it rebuilds them from the log");
  }
  Status expect_many(bool many) override { return under_.expect_many(many); }
  Status status() const override { return under_.status(); }

 private:
  ViewStore& under_;
  std::shared_ptr<const StoredKeys> keys_;
  std::shared_ptr<const RowsInTheMaking> making_;
  RowBatch batch_;  // view thread; its memory is used again
};

}  // namespace

std::optional<OlderVersions> find_older_versions(const ViewReader& rows, const ProjectionRegistry& registry) {
  OverlayStore no_rows;
  OlderVersions older;
  older.own_row = Fold(registry, no_rows).views_row();
  const auto written = rows.get(kViewsKey);
  if (!written || *written == older.own_row) return std::nullopt;
  std::string_view first = *written;
  if (const std::size_t end = first.find(kWrittenFirst); end != std::string_view::npos) {
    // Only usable if the program that folded on into them had the same views as this one.
    if (first.substr(0, end) != older.own_row) return std::nullopt;
    first.remove_prefix(end + 1);
  }
  for (const ProjectionInfo& info : list_views(registry)) {
    const auto version = version_in(first, info.id);
    if (version == info.version) continue;
    const bool readable =
        info.readable_since != 0 && version && *version >= info.readable_since && *version < info.version;
    if (!readable && info.kind != ViewKind::statistic) return std::nullopt;
    older.views.push_back({info, readable ? version : std::nullopt});
  }
  older.mark = older.own_row + std::string(1, kWrittenFirst).append(first);
  return older;
}

void RowsInTheMaking::reached(unsigned percent) {
  const std::lock_guard lock(mutex_);
  percent_ = percent;
}

void RowsInTheMaking::failed(std::string why) {
  const std::lock_guard lock(mutex_);
  failed_ = std::move(why);
}

std::string RowsInTheMaking::text() const {
  const std::lock_guard lock(mutex_);
  if (failed_.empty()) return "being rebuilt, " + std::to_string(percent_) + " %";
  return "not rebuilt: " + failed_;
}

Status RowsInTheMaking::told_of(std::string_view view) const {
  const bool gave_up = [this] {
    const std::lock_guard lock(mutex_);
    return !failed_.empty();
  }();
  return fail(ErrorKind::trouble, "views_rebuilding",
              "the rows of '" + std::string(view) + "', which this version keeps differently, are " + text(),
              gave_up ? "fix that, then run luzia-query replay --rebuild"
                      : "ask again when that is done; luzia daemon status shows the progress");
}

std::unique_ptr<ViewStore> fold_into_older_rows(ViewStore& store, OlderVersions versions) {
  return std::make_unique<OlderStore>(store, std::move(versions), nullptr);
}

std::unique_ptr<ViewStore> show_older_rows(ViewStore& store, OlderVersions versions,
                                           std::shared_ptr<const RowsInTheMaking> making) {
  return std::make_unique<OlderStore>(store, std::move(versions), std::move(making));
}

Status mark_older_rows(ViewStore& store, const OlderVersions& versions) {
  const auto rows = store.snapshot();
  if (rows->get(kViewsKey) == versions.mark) return {};
  return store.write({{kViewsKey, versions.mark}}, rows->cursor());
}

}  // namespace luzia
