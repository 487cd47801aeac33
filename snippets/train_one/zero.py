"""ZeRO on one GPU: a configuration of each stage that offloads to the CPU's memory."""

import json
from pathlib import Path

CONFIGURATIONS = Path(__file__).parent


def main() -> None:
    for path in sorted(CONFIGURATIONS.glob("zero_stage*.json")):
        zero = json.loads(path.read_text(encoding="utf-8"))["zero_optimization"]
        offloaded = [key.removeprefix("offload_") for key in zero if key.startswith("offload_")]
        print(f"{path.name}: stage {zero['stage']}, in the CPU's memory: {', '.join(offloaded)}")


if __name__ == "__main__":
    main()
