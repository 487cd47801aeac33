"""What the fork server of the tests has loaded when a rank is forked from it."""

import gc
from contextlib import suppress
from importlib import import_module

# Transformers imports DeepSpeed where it is installed.
for name in ("deepspeed", "pytest", "transformers.models.llama.modeling_llama", "transformers.trainer"):
    with suppress(ImportError):
        import_module(name)

gc.freeze()  # or each full collection of a rank would walk, and so copy, what it shares with the others
