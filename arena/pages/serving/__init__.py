"""Pages over HTTP: who may ask, what is sent, and streams of changes."""
