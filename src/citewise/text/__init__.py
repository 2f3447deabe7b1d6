"""Text analysis: tokens, sentences, names, paper ids, LaTeX and citation marks."""
