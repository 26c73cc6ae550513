#pragma once

#include "base/instant.hpp"
#include "base/loop_monitor.hpp"
#include "executors/http/ip_address.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace carillon {

struct HttpOptions {
  std::vector<Cidr> allowed_egress{};      // opened beside public addresses
  std::vector<std::uint16_t> own_ports{};  // where this server listens: closed on all addresses of this machine
  LoopMonitor* loops = nullptr;            // watches the thread
  std::string certificate_authorities{};   // a file; empty: those the system trusts
  Duration connect_timeout = std::chrono::seconds{10};
  Duration total_timeout = std::chrono::minutes{5};
  Duration idle_timeout = std::chrono::minutes{1};  // of an answer that has begun
  std::size_t answer_size_max = 1024 * 1024;        // of a body; the transfer is ended there
  std::size_t result_size_max = 64 * 1024;          // larger bodies are no result
  std::size_t transfer_count_max = 512;             // at once; what is launched beyond waits for its turn
};

}  // namespace carillon
