"""In which order documents are read."""
