#include "executors/process/messages.hpp"

#include "base/assertion.hpp"

#include <concepts>
#include <cstddef>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace carillon {
namespace {

template <typename T>
concept Plain = std::integral<T> || std::is_enum_v<T> || std::same_as<T, Duration> || std::same_as<T, Instant>;

// The members of each message are named once, for writing and reading alike: an archive has a `Ref`, to be written from
// or read into.
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<Identity> value) {
  archive(value.name, value.user, value.group, value.groups);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<ResourceLimit> value) {
  archive(value.resource, value.value);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<Program> value) {
  archive(value.argv, value.environment, value.folder, value.identity, value.limits);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<ResourceUse> value) {
  archive(value.user_time, value.system_time, value.memory_max);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<LaunchRequest> value) {
  archive(value.id, value.launch_before, value.ordered_at, value.program, value.keeping);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<AttemptKey> value) {
  archive(value.run, value.attempt);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<DetachTerms> value) {
  archive(value.key, value.timeout_at, value.grace);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<StopLaunchRequest> value) {
  archive(value.id, value.how);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<ExtendRequest> value) {
  archive(value.until);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<RecordedRequest> value) {
  archive(value.id);
}
template <typename Archive>
void members(Archive& /*archive*/, typename Archive::template Ref<TakenRequest> /*value*/) {}
template <typename Archive>
void members(Archive& /*archive*/, typename Archive::template Ref<DismissRequest> /*value*/) {}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<LauncherReady> value) {
  archive(value.code, value.error, value.hiding, value.why_not);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<LaunchBegan> value) {
  archive(value.id);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<LaunchRefused> value) {
  archive(value.id, value.why, value.error);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<LaunchEnded> value) {
  archive(value.id, value.cause, value.wait_status, value.use);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<LaunchTag> value) {
  archive(value.run, value.attempt);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<DetachedLaunchInfo> value) {
  archive(value.id, value.key, value.tag, value.launched_at, value.timeout_at, value.cause);
}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<DetachedOutput> value) {
  archive(value.id, value.stream, value.bytes);
}
template <typename Archive>
void members(Archive& /*archive*/, typename Archive::template Ref<DetachedListEnd> /*value*/) {}
template <typename Archive>
void members(Archive& archive, typename Archive::template Ref<DetachedEnd> value) {
  archive(value.kept, value.ended, value.output);
}

class ByteWriter {
 public:
  template <typename T>
  using Ref = const T&;

  template <typename... Ts>
  void operator()(const Ts&... values) {
    (put(values), ...);
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  template <Plain T>
  void put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void put(const std::string& text) {
    put(text.size());
    bytes_ += text;
  }
  template <typename T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const T& value : values) put(value);
  }
  template <typename T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <typename T>
  void put(const T& value) {
    members(*this, value);
  }

  std::string bytes_;
};

class ByteReader {
 public:
  template <typename T>
  using Ref = T&;

  explicit ByteReader(std::string_view bytes) : bytes_{bytes} {}

  template <typename... Ts>
  void operator()(Ts&... values) {
    (get(values), ...);
  }

 private:
  std::string_view next(std::size_t count) {
    CARILLON_ASSERT(count <= bytes_.size());
    const std::string_view front = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return front;
  }
  std::size_t count() {
    std::size_t value = 0;
    get(value);
    return value;
  }
  template <Plain T>
  void get(T& value) {
    std::memcpy(&value, next(sizeof(T)).data(), sizeof(T));
  }
  void get(std::string& text) { text = next(count()); }
  template <typename T>
  void get(std::vector<T>& values) {
    values.resize(count());
    for (T& value : values) get(value);
  }
  template <typename T>
  void get(std::optional<T>& value) {
    bool has_value = false;
    get(has_value);
    if (has_value) get(value.emplace());
  }
  template <typename T>
  void get(T& value) {
    members(*this, value);
  }

  std::string_view bytes_;
};

template <typename... Kinds>
std::string written(const std::variant<Kinds...>& message) {
  ByteWriter writer;
  writer(static_cast<std::uint8_t>(message.index()));
  std::visit([&](const auto& kind) { writer(kind); }, message);
  return writer.take();
}

template <typename Message, std::size_t index = 0>
Message read(ByteReader& reader, std::size_t wanted) {
  if constexpr (index < std::variant_size_v<Message>) {
    if (index != wanted) return read<Message, index + 1>(reader, wanted);
    Message message{std::in_place_index<index>};
    reader(std::get<index>(message));
    return message;
  }
  CARILLON_ASSERT(index < std::variant_size_v<Message>);
  std::unreachable();
}

template <typename Message>
Message read_from(std::string_view bytes) {
  ByteReader reader{bytes};
  std::uint8_t index = 0;
  reader(index);
  return read<Message>(reader, index);
}

}  // namespace

std::string to_bytes(const LauncherRequest& request) { return written(request); }
std::string to_bytes(const LauncherReply& reply) { return written(reply); }
LauncherRequest request_from(std::string_view bytes) { return read_from<LauncherRequest>(bytes); }
LauncherReply reply_from(std::string_view bytes) { return read_from<LauncherReply>(bytes); }

std::string to_bytes(const DetachedEnd& end) {
  ByteWriter writer;
  writer(end);
  return writer.take();
}

DetachedEnd detached_end_from(std::string_view bytes) {
  ByteReader reader{bytes};
  DetachedEnd end;
  reader(end);
  return end;
}

LaunchId launch_id_from(std::string_view first_bytes) {
  std::uint8_t index = 0;
  auto id = LaunchId::none;
  if (first_bytes.size() < sizeof(index) + sizeof(id)) return id;
  ByteReader reader{first_bytes};
  reader(index, id);
  return index == LauncherRequest{LaunchRequest{}}.index() ? id : LaunchId::none;
}

}  // namespace carillon
