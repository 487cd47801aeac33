"""On a cluster each snippet is a task: what no node can run is said at once, and a node that goes away is no loss."""

import select
import socket
import threading

import pytest
from hexapla.errors import ConfigError
from hexapla.examples.client import Limits
from hexapla.examples.evidence import Status
from hexapla.examples.local_pool import RunContext
from hexapla.examples.markers import Requirements
from hexapla.examples.ray_pool import describe_resources, list_needs, run_all
from hexapla.examples.runners import Runner
from hexapla.examples.snippet import Snippets
from hexapla.examples.tasks import Task, task_of

ray = pytest.importorskip("ray", reason="needs the package ray")
SNIPPET = """\
import socket
with socket.create_connection(("127.0.0.1", PORT)) as server:
    server.sendall(b"NAME")
    print(server.recv(8).decode())
"""


@pytest.fixture
def cluster():
    """A head that runs nothing, and two nodes with a core each."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = [made.add_node(num_cpus=1) for _ in range(2)]
    made.wait_for_nodes()
    yield made, nodes
    ray.shutdown()
    made.shutdown()


def context(root, port, names):
    folder = root / "snippets" / "demo"
    folder.mkdir(parents=True)
    for name in names:
        (folder / f"{name}.py").write_text(SNIPPET.replace("PORT", str(port)).replace("NAME", name))
    return RunContext(root, Snippets(root / "snippets"), "cpu", "", "", Limits(120))


def test_what_no_node_has_is_said_at_once_and_a_lost_node_loses_nothing(cluster, tmp_path):
    made, nodes = cluster
    names = ["one", "two", "three", "four"]
    with socket.create_server(("127.0.0.1", 0)) as server:
        here = context(tmp_path, server.getsockname()[1], names)
        calls = []

        def answer():
            held = []
            while len(calls) < len(names) + 1:
                connection, _ = server.accept()
                calls.append(connection.recv(8).decode())
                held.append(connection)
                if len(calls) == 2:  # a task on each node: one goes away, and its task with it
                    made.remove_node(nodes[0], allow_graceful=False)
                    gone, _, _ = select.select(held, [], [], 60)
                    held = [each for each in held if each not in gone]
                if len(calls) >= 2:
                    for waiting in held:
                        waiting.sendall(b"done")
                    held.clear()

        threading.Thread(target=answer, daemon=True).start()
        tasks = [task_of(tmp_path, f"demo/{name}.py") for name in names]
        too_large = Task("demo/one.py", "", Requirements(devices=16))
        results = list(run_all(made.address, [*tasks, too_large], Runner("cpu", network=True), "cpu", here))

    assert results[0].task is too_large
    assert (results[0].run.status, results[0].run.reason) == (Status.SKIPPED, "no node of the cluster has 16 CPU")
    assert results[0].hardware is None
    ran = {each.task.snippet: each.run for each in results[1:]}
    assert sorted(ran) == sorted(each.snippet for each in tasks)
    assert {each.output for each in ran.values()} == {"done"}, {each.reason for each in ran.values()}
    assert len(calls) == 5  # one of them began twice
    assert all(each.hardware.kind == "cpu" for each in results[1:])
    assert ran["demo/one.py"].source == here.snippets.hash("demo/one.py")


def test_a_cluster_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ConfigError, match=r"--ray 127\.0\.0\.1:1: .*; start a cluster with `ray start --head`"):
        list(run_all("127.0.0.1:1", [], Runner("cpu"), "cpu", context(tmp_path, 1, [])))


@pytest.mark.parametrize(("runner", "device", "devices", "says"), [
    (Runner("cpu"), "cpu", 4, "4 CPU"),
    (Runner("gpu", "gpu"), "gpu", 1, "1 CPU and 1 GPU"),
    (Runner("gpu-many", "gpu", accelerator="H200"), "gpu", 2, "1 CPU and 2 GPU and accelerator_type:H200"),
    (Runner("tpu", "tpu"), "tpu", 4, "1 CPU and 4 TPU"),
])
def test_a_task_asks_for_what_its_runner_and_its_test_say(runner, device, devices, says):
    assert describe_resources(list_needs(Task("a/b.py", "", Requirements(devices=devices)), runner, device)) == says
