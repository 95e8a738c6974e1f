"""OpenTelemetry traces of trials."""
