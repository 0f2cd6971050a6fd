"""A Dask cluster on this machine: prints where its scheduler is, and ends with its standard input.

local_cluster.py WORKERS
"""

import sys

from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(
        n_workers=int(sys.argv[1]),
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",
        host="127.0.0.1",
    ) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
