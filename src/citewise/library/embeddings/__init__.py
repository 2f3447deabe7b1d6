"""Named sets of papers' vectors in a library's generations, and the search for the nearest ones."""
