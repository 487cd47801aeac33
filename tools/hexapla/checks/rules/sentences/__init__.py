"""Rules about sentences: their language, how many they are, what of the source's each keeps."""
