"""Sources of kind ``boundaries`` beyond the embedded atlas."""
