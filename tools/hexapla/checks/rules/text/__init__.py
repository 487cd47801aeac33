"""Rules about text: untranslated, machine-made, truncated, garbled, or against the glossary."""
