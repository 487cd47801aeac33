"""`hexapla check` without options on documentation trees of other projects."""
