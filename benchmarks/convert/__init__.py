"""`hexapla convert` on a tree of Hugging Face's documentation."""
