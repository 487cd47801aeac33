"""The rules of `hexapla check`, by subject; `registry` has the one table of all."""
