#include "bench/load/refusals.hpp"

#include <algorithm>

#include "bench/wire/exchange.hpp"

namespace orch::load {
namespace {

template <std::size_t N> bool is_one_of(int status, const int (&statuses)[N]) {
  return std::ranges::find(statuses, status) != std::end(statuses);
}

RefusalKind grpc_kind(int status) {
  constexpr int k_cancelled = 1, k_unknown = 2, k_deadline_exceeded = 4, k_resource_exhausted = 8,
                k_aborted = 10, k_internal = 13, k_unavailable = 14, k_data_loss = 15;
  if (is_one_of(status, {k_deadline_exceeded, k_resource_exhausted, k_aborted, k_unavailable}))
    return RefusalKind::busy;
  if (is_one_of(status, {k_cancelled, k_unknown, k_internal, k_data_loss}))
    return RefusalKind::internal;
  return RefusalKind::permanent;
}

}  // namespace

RefusalKind refusal_kind(int status) {
  if (status > wire::k_grpc_status) return grpc_kind(status - wire::k_grpc_status);
  constexpr int k_request_timeout = 408, k_too_early = 425, k_too_many_requests = 429,
                k_not_implemented = 501, k_bad_gateway = 502, k_service_unavailable = 503,
                k_gateway_timeout = 504, k_version_not_supported = 505, k_server_error = 500;
  if (is_one_of(status, {k_request_timeout, k_too_early, k_too_many_requests, k_bad_gateway,
                         k_service_unavailable, k_gateway_timeout}))
    return RefusalKind::busy;
  if (status < k_server_error || status == k_not_implemented || status == k_version_not_supported)
    return RefusalKind::permanent;
  return RefusalKind::internal;
}

bool lacks_permission(int status) {
  constexpr int k_unauthorized = 401, k_forbidden = 403, k_permission_denied = 7,
                k_unauthenticated = 16;
  return is_one_of(status, {k_unauthorized, k_forbidden, wire::k_grpc_status + k_permission_denied,
                            wire::k_grpc_status + k_unauthenticated});
}

void RefusalWatch::begin(std::size_t slots) {
  *this = {};
  watching_ = true;
  needed_ = std::max(k_least, slots);
}

void RefusalWatch::look(const std::deque<measure::RequestRecord>& records) {
  while (watching_ && judged_ < records.size() && records[judged_].end_ns != 0)
    judge(records[judged_++]);
}

void RefusalWatch::judge(const measure::RequestRecord& record) {
  if (record.ok()) {
    watching_ = false;
    return;
  }
  if (!record.refused || record.has_events() || refusal_kind(record.status) == RefusalKind::busy) {
    in_a_row_ = 0;
    return;
  }
  in_a_row_ = record.status == status_ ? in_a_row_ + 1 : 1;
  status_ = record.status;
  if (in_a_row_ < needed_) return;
  watching_ = false;
  reason_ = fmt::format("gave up after {} requests in a row were refused alike, the last: {}",
                        in_a_row_, record.error);
}

}  // namespace orch::load
