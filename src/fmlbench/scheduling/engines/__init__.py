"""Where jobs are carried out: on this machine, on Ray, on SLURM."""
