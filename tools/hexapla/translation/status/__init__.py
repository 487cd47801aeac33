"""What is current, behind or missing, and how that is shown."""
