"""A page saved from the web, its marks gone, gets them back beside its parallel page in another language."""
