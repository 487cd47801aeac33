"""How long `hexapla check` takes."""
