// Entry point; src/app/cli/main.cpp is the program.
#include "app/cli/commands.hpp"

int main(int argc, char** argv) { return orch::cli::main(argc, argv); }
