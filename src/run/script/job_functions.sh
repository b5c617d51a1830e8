# The variables that each process of a job gets from the job
always='SLURM* SRUN_CPUS_PER_TASK CUDA_VISIBLE_DEVICES GPU_DEVICE_ORDINAL'
jobs=()  # the ids of the jobs that have been submitted

# submit JOB... -- WORDS...: passes WORDS to sbatch, and sets $job to the id. The job starts when every JOB has succeeded.
submit() {
  local needed=()
  while [[ $1 != -- ]]; do needed+=("$1") && shift; done
  shift
  ((${#needed[@]} == 0)) || needed=("--dependency=afterok$(printf ':%s' "${needed[@]}")" --kill-on-invalid-dep=yes)
  if ! job=$(sbatch --parsable --export=ALL ${needed[@]+"${needed[@]}"} "$@"); then
    ((${#jobs[@]} == 0)) || scancel "${jobs[@]}"
    fail "sbatch refused a job, and those before it were cancelled: $*"
  fi
  job=${job%%;*}  # without the name of the cluster
  jobs+=("$job")
}
