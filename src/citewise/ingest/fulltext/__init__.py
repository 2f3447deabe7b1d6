"""Full texts: papers, their references and the sentences that cite them, one module a format."""
