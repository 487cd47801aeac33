"""Peak memory of a training step in fp32 with grouped key-value heads: the kernel of a CPU, and what a GPU has left."""

# --8<-- [start:imports]
from torch.nn.attention import SDPBackend, sdpa_kernel

# --8<-- [end:imports]
from peak import simulate
from techniques_llama_3b import llama_3b

# --8<-- [start:kernels]
KERNELS = {
    "fused": SDPBackend.FLASH_ATTENTION,
    "math": SDPBackend.MATH,
}


# Bytes at the peak of a step by kernel.
def by_kernel(build, rows, length):
    found = {}
    for name, kernel in KERNELS.items():
        with sdpa_kernel(kernel):
            step = simulate(build, rows=rows, length=length)
        found[name] = step.peak()
    return found


# --8<-- [end:kernels]


def main() -> None:
    print("llama-3.2-3b, AdamW in fp32, GB at the peak of a step")
    for rows, length in ((8, 512), (1, 4096)):
        for name, peak in by_kernel(llama_3b, rows, length).items():
            print(f"{f'{rows} x {length}, {name}':16}{peak.total() / 1e9:8.2f}")


if __name__ == "__main__":
    main()
