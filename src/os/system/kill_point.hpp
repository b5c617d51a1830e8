// Named places at which a crash test kills this process as `kill -9` would: between recording an
// action and doing it. Part of every build, so that the tested binary is the shipped one.
#pragma once

namespace orch::system {

// ORCHESTRATE_KILL=NAME:K sends SIGKILL to this process when it reaches NAME for the K-th time,
// counted from 1. With ORCHESTRATE_KILL_COUNT=FILE, the K-th time is counted over all processes
// with the same FILE, by the bytes appended to it, so that exactly one is killed.
// ORCHESTRATE_KILL_LOG=FILE appends "NAME PID\n" to FILE whenever a kill point is reached, so that
// a test can count them. Without these variables the call costs one branch. NAME is a literal in
// kebab-case, unique in the source. Thread-safe.
void kill_point(const char* name);

}  // namespace orch::system
