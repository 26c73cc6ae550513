#include "server/audit_witness.hpp"

#include "files/private_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace carillon {

AuditWitness::AuditWitness(AuditLog& below, std::filesystem::path file, Log& log)
    : below_{below}, file_{std::move(file)}, log_{log} {}

// `COUNT DIGEST`, one line.
Result<std::optional<AuditHead>> AuditWitness::remembered() {
  const std::scoped_lock lock{mutex_};
  const auto text = TRY(read_private_file(file_));
  if (!text) return std::nullopt;
  AuditHead head;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), head.count);
  const auto rest = std::string_view{*text}.substr(static_cast<std::size_t>(end - text->data()));
  if (error != std::errc{} || head.count < 0 || !rest.starts_with(' ') || !rest.ends_with('\n'))
    return fail(ErrorCode::corrupt, "{} cannot be read; remove it to begin anew", file_.string());
  head.digest = rest.substr(1, rest.size() - 2);
  return head;
}

Result<std::optional<AuditBreak>> AuditWitness::contradiction() {
  const auto seen = TRY(remembered());
  if (!seen || seen->count == 0) return std::nullopt;
  const auto found = TRY(below_.read_audit(seen->count + 1, std::nullopt, 1));
  if (found.empty() || found.front().number != seen->count)
    return AuditBreak{
        .number = found.empty() ? 1 : found.front().number + 1,
        .reason = fmt::format("record {} is missing, which this server has seen: records were removed, or "
                              "the database is an older copy",
                              seen->count)};
  if (found.front().digest == seen->digest) return std::nullopt;
  return AuditBreak{.number = seen->count,
                    .reason = fmt::format("record {} is not the one that this server has seen", seen->count)};
}

Result<std::optional<AuditBreak>> AuditWitness::find_broken_record() {
  auto broken = TRY(below_.find_broken_record());
  return broken ? std::optional{*std::move(broken)} : TRY(contradiction());
}

void AuditWitness::look() {
  const auto found = contradiction();
  if (found && *found) {
    if (!std::exchange(is_told_, true))
      log_.error("audit log contradicts what this server has seen",
                 {{"record", (*found)->number},
                  {"error", (*found)->reason},
                  {"help", "find out who restored or changed the database; then remove " + file_.string()}});
    return;
  }
  // A store that cannot be read is told of elsewhere.
  const auto head = found ? below_.read_audit_head() : std::unexpected(found.error());
  if (!head || head->count == 0) return;
  const std::scoped_lock lock{mutex_};
  is_told_ = false;
  if (const auto kept = write_private_file(file_, fmt::format("{} {}\n", head->count, head->digest)); !kept)
    log_.warn("how far the audit log is cannot be remembered", {{"error", kept.error().message}});
}

}  // namespace carillon
