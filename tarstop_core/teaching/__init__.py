"""The lecture in the browser: lesson, game, ideas, methods and glossary."""
