"""A Ray cluster on this machine: a head that runs nothing, and two nodes with a core each."""

from contextlib import contextmanager


@contextmanager
def local_cluster():
    """The cluster and its two nodes."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = [made.add_node(num_cpus=1) for _ in range(2)]
    made.wait_for_nodes()
    yield made, nodes
    made.shutdown()
