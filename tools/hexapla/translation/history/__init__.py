"""What each section was translated from: records, renames, and what git says where nobody recorded it."""
