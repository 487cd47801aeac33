"""`hexapla check --site` beside lychee."""
