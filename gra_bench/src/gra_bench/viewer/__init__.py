"""The viewer: runs as documents, a page that shows them, a server on loopback and the same as one file."""
