"""Read the text of PDFs: lines with their places, then title, authors, abstract, prose, lists."""
