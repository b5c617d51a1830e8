// Named moments at which a test may end this process as `kill -9` would: the boundaries between
// what is on record and what is done. Compiled into every build, because what is tested is what is
// shipped.
#pragma once

namespace orch::system {

// ORCHESTRATE_KILL=NAME:K kills this process with SIGKILL the K-th time (from 1) that it comes to
// NAME. ORCHESTRATE_KILL_LOG=FILE appends "NAME PID\n" to FILE each time any name is come to; a
// test learns from it how often there is something to kill. ORCHESTRATE_KILL_COUNT=FILE: the K-th
// time that any process which has the same FILE comes to NAME, counted by the bytes of FILE, so
// that exactly one is killed. None set: one branch. NAME is a literal in kebab-case, unique in the
// source.
void kill_point(const char* name);

}  // namespace orch::system
