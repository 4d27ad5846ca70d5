"""Evidence of a review of a test or an intervention: numbers, sentences, figures and reports."""
