#pragma once

#include "document/document.hpp"
#include "document/positions.hpp"

#include <boost/json/value.hpp>
#include <yaml-cpp/eventhandler.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace carillon {

/// What a YamlBuilder throws through yaml-cpp, which knows no other way to be stopped.
struct YamlFault {
  std::size_t offset;
  std::string_view rule;
  std::string what;
  std::string hint;
};

/// Makes a tree of the events of one YAML document; the first thing that may not be ends it with a YamlFault.
class YamlBuilder : public YAML::EventHandler {
 public:
  explicit YamlBuilder(std::string_view text) : text_{text}, walk_{text} {}

  [[nodiscard]] Document take();

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { end_container(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { end_container(); }

 private:
  /// An object or array whose end has not come yet.
  struct Container {
    boost::json::value value;
    YAML::anchor_t anchor;
    bool is_flow;
    bool has_key = false;
    std::string key;
    Position key_position;
    std::size_t pointer_size;  // of the pointer of the container itself
    std::size_t height = 1;
  };
  struct Anchored {
    boost::json::value value;
    std::size_t size;
    std::size_t height;
  };

  [[nodiscard]] bool expects_key() const;
  void take_key(std::size_t offset, std::string_view key);
  void begin_value(std::size_t offset);
  void count_value(std::size_t offset);
  void note_position(std::size_t offset);
  void begin_container(std::size_t offset, boost::json::value empty, YAML::anchor_t anchor, bool is_flow);
  void end_container();
  void end_value(boost::json::value value, YAML::anchor_t anchor, std::size_t height);
  void remember(YAML::anchor_t anchor, const boost::json::value& value, std::size_t height);
  void spend(std::size_t offset, std::size_t size);

  std::string_view text_;
  PositionWalk walk_;
  PositionMap positions_;
  std::vector<Container> open_;
  std::string pointer_;  // of the value that is being read
  boost::json::value root_;
  std::unordered_map<YAML::anchor_t, Anchored> anchored_;
  std::size_t copied_size_ = 0;
  std::size_t value_count_ = 0;
  std::size_t last_offset_ = 0;
  bool has_document_ = false;
};

}  // namespace carillon
