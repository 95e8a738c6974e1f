"""Gemini models (`gemini:<model>`) on google-genai, which is imported when a model is opened, not before."""
