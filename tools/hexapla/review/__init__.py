"""Meaning beside the source: what a translation lacks, adds, says twice or says otherwise, without a model."""
