"""`mkdocs serve`: pages rendered when they are asked for, and again when something that they show is saved."""
