// Entry point; src/cli/main.cpp is the program.
#include "cli/main.hpp"

int main(int argc, char** argv) { return orch::cli::main(argc, argv); }
