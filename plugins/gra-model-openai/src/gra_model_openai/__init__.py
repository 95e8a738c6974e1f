"""`openai:<model>`: models behind any OpenAI-compatible chat-completions server."""
