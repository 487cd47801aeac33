"""What changed in the source since a section was translated."""
