#pragma once

#include "definitions/action.hpp"
#include "document/reader.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace carillon {

// How large an action may be, beside json_size_max for payloads and bodies.
inline constexpr std::size_t argv_count_max = 1'000;
inline constexpr std::size_t argv_length_max = 131'071;  // what Linux takes as one argument
inline constexpr std::size_t env_count_max = 1'000;
inline constexpr std::size_t env_name_length_max = 256;
inline constexpr std::size_t path_length_max = 4'095;
inline constexpr std::size_t user_length_max = 256;
inline constexpr std::size_t standard_input_length_max = 1024 * 1024;
inline constexpr std::size_t url_length_max = 8'192;
inline constexpr std::size_t header_count_max = 100;
inline constexpr std::size_t header_length_max = 8'192;
inline constexpr std::size_t success_code_count_max = 100;
inline constexpr std::size_t job_type_length_max = 256;
inline constexpr std::size_t workflow_text_length_max = 900;  // with the time behind an id, what clusters take
inline constexpr std::size_t workflow_member_count_max = 100;
inline constexpr std::size_t workflow_message_length_max = 1'500'000;  // as base64

/// Resource limits of a command, named as `ulimit` and `prlimit` do: bytes, seconds of CPU, or counts.
inline constexpr std::array<std::string_view, 10> resource_limit_names{"as",      "core",   "cpu",   "data", "fsize",
                                                                       "memlock", "nofile", "nproc", "rss",  "stack"};

inline constexpr std::array<std::string_view, 7> http_methods{"GET",    "POST", "PUT",    "PATCH",
                                                              "DELETE", "HEAD", "OPTIONS"};

/// Reads `{command: …}`, `{http: …}`, `{job: …}`, `{pipeline: …}` or `{workflow: …}`: exactly one of them. Every fault
/// is noted; nothing is returned when there is no action to speak of.
[[nodiscard]] std::optional<Action> read_action(const boost::json::value& document, std::string pointer,
                                                Problems& problems);

/// The one canonical form: every member of the action present, in the order of the reference.
[[nodiscard]] boost::json::object write_action(const Action& action);

// The kinds, each from what stands below its key.
[[nodiscard]] CommandAction read_command(const boost::json::value& document, std::string pointer, Problems& problems);
[[nodiscard]] HttpAction read_http(const boost::json::value& document, std::string pointer, Problems& problems);
[[nodiscard]] JobAction read_job(const boost::json::value& document, std::string pointer, Problems& problems);
[[nodiscard]] PipelineAction read_pipeline(const boost::json::value& document, std::string pointer, Problems& problems);
[[nodiscard]] WorkflowAction read_workflow(const boost::json::value& document, std::string pointer, Problems& problems);

[[nodiscard]] boost::json::object write(const CommandAction& action);
[[nodiscard]] boost::json::object write(const HttpAction& action);
[[nodiscard]] boost::json::object write(const JobAction& action);
[[nodiscard]] boost::json::object write(const PipelineAction& action);
[[nodiscard]] boost::json::object write(const WorkflowAction& action);

}  // namespace carillon
