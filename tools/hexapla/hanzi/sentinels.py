"""Placeholders: code points that are no characters, so in no page, for what the conversion may not change or cross."""

BOUNDARY = "\ufdd0"  # between words of OpenCC's output, which no phrase of its second step can cross
EDGE = "\ufdd1"      # before and after a rendering in Latin letters, which a space parts from Chinese
CODE = "\ufdd2"      # a piece of inline code
VERBATIM = "\ufdd3"  # what is neither prose nor inline code
ROW, COLUMN, FUNCTION = "\ufdd4", "\ufdd5", "\ufdd7"  # 列, 欄 and 函式, decided before the conversion
