// A report that is served while a run goes on, until a signal. Does not know what it shows.
#pragma once

#include "core/base/result.hpp"

#include <functional>
#include <string>

namespace orch::store {
class Store;
}

namespace orch::cli {

// Serves what MAKE gives for the store in FOLDER, made anew when the database has changed. Returns
// the exit status: 0 after a signal, 2 and an error on stderr where nothing can be served.
int serve_live_report(const std::string& folder,
                      const std::function<Result<std::string>(store::Store&)>& make);

}  // namespace orch::cli
