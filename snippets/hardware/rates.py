"""What this machine does: the rate of a matrix product, and the bandwidth of its memory, measured."""

# --8<-- [start:imports]
import time

import torch

# --8<-- [end:imports]


# --8<-- [start:seconds]
def device():
    if torch.accelerator.is_available():
        return torch.accelerator.current_accelerator()
    return torch.device("cpu")


# The time of the fastest call: other work can only make one slower.
def seconds(work, repeats=5):
    # On a CPU, the time that this process had it.
    cpu = device().type == "cpu"
    clock = time.process_time if cpu else time.perf_counter
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        if torch.accelerator.is_available():
            torch.accelerator.synchronize()  # A GPU's call returns at once.
        times.append(clock() - start)
    return min(times)


# --8<-- [end:seconds]


# --8<-- [start:matmul]
# Operations a second. The numbers are random: equal ones flatter a GPU.
def matmul_rate(size, dtype):
    a = torch.randn(size, size, device=device()).to(dtype)
    operations = 2 * size**3  # a product and a sum for each of size**3
    return operations / seconds(lambda: a @ a)


# --8<-- [end:matmul]


# --8<-- [start:copy]
# Bytes a second that a copy reads and writes.
def copy_rate(size):
    source = torch.randint(256, (size,), dtype=torch.uint8, device=device())
    target = torch.empty_like(source)
    return 2 * size / seconds(lambda: target.copy_(source))


# --8<-- [end:copy]


def two_digits(number: float) -> str:
    return f"{float(f'{number:.1e}'):,g}"


def main() -> None:
    large = torch.accelerator.is_available()
    size = 8192 if large else 1024
    torch.set_num_threads(1)
    cores = "" if large else ", one core"
    print(f"On {device().type}{cores}, the fastest of five, two digits:")
    for dtype in (torch.float32, torch.bfloat16):
        print(f"  {dtype}: {two_digits(matmul_rate(size, dtype) / 1e9)} billion operations a second")
    print(f"  memory: {two_digits(copy_rate(2**30 if large else 2**27) / 1e9)} GB a second")


if __name__ == "__main__":
    main()
