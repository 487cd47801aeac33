"""The conversion to Traditional Chinese, read and measured."""
