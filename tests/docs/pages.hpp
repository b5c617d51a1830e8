// The pages of docs/reference/, each printed from the tables that the program itself uses.
#pragma once

#include "core/base/key_table.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orch::docs {

// Text as part of a paragraph or of a cell: on one line, without an effect of its own in Markdown.
std::string prose(std::string_view text);
// The same as code; "" for an empty text.
std::string code(std::string_view text);
std::string codes(const std::vector<std::string>& texts);  // with commas
// A row of a table: cells are Markdown.
std::string row(const std::vector<std::string>& cells);
// The first two lines of a table.
std::string head(const std::vector<std::string>& titles);
// The first lines of a page.
std::string title(std::string_view text);

std::string command_line_page();
std::string metrics_page();
std::string results_page();
// TABLES in this order, each with the form and the meaning of its keys.
std::string keys_page(std::string_view heading, std::string_view introduction,
                      const std::vector<const KeyTable*>& tables);
// The facts under `machine` of a matrix or a site.
std::string machine_facts();
std::string runner_page(const std::string& folder);

// Every page, by its file name.
std::map<std::string, std::string> all_pages();

}  // namespace orch::docs
