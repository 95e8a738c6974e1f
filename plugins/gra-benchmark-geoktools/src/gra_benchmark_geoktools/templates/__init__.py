"""The templates by theme. A class with an `id` in any module here is a template of the benchmark."""
