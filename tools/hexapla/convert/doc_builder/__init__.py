"""Hugging Face's doc-builder: Markdown with components, read by way of MDX."""
