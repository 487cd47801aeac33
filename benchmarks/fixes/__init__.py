"""Every fix of every rule on trees that other people translated: what it changes, and that it changes nothing else."""
