"""`local:FILE.gguf` and `local:smollm2`: language models run in this process, without a key or a network."""
