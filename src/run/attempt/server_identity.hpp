// What a server that runs already says of itself, in a form that stays the same while the server is
// the same. Asks it; keeps nothing.
#pragma once

#include "core/base/result.hpp"
#include "plan/graph/plan.hpp"
#include "os/system/http/http.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::attempt {

struct IdentityQuestion {
  std::vector<std::string> urls;
  std::vector<std::string> without = {};  // members of JSON answers that are left out
  std::string authorization = {};         // value of the header; "" for none
  std::vector<std::string> headers = {};  // further ones, "NAME: VALUE"
  const std::atomic<bool>* stop = nullptr;
  // Applied to the answers; empty: they are taken as they are.
  std::function<std::string(std::string_view)> redact = {};
};

// A JSON object: URL -> its answer. Any status is an answer; the error is that of the first URL
// without one.
Result<std::string> ask_identity(system::Http& http, const IdentityQuestion& question);

// The models that SAYS, an answer of ask_identity(), lists at /v1/models; empty: it lists none.
std::vector<std::string> listed_models(std::string_view says);

// The error names the place in the matrix, where points of PLAN ask SERVICE for a model that SAYS
// does not list.
Status refuse_unlisted_model(const plan::Plan& plan, const plan::RunningService& service,
                             const std::string& says);

// Where two answers of ask_identity() differ: "http://HOST/v1/models: "id" is x, not y".
std::string difference_of(const std::string& before, const std::string& now);

}  // namespace orch::attempt
