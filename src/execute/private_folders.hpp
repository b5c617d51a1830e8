// What a launch is told of the folders that are its alone, beside TMPDIR. Knows nothing of who
// makes and removes them.
#pragma once

namespace orch::execute {

// By which Open MPI (vader: before 5, sm: since) is told where its ranks share memory. Elsewhere it
// names its files by the number of mpirun, which is the same in every PID namespace, and leaves
// them when it is killed.
inline constexpr const char* k_shm_variables[] = {
    "OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory",
    "OMPI_MCA_osc_sm_backing_directory", "OMPI_MCA_osc_rdma_backing_directory"};

}  // namespace orch::execute
