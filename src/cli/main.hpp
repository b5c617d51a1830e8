// argv in, exit status out: the table of commands.
#pragma once

namespace orch::cli {

int main(int argc, char** argv);

}  // namespace orch::cli
