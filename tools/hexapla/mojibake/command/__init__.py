"""`hexapla repair`: files read, repaired, reviewed, written or reported."""
