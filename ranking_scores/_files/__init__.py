"""Files: whole ones that are saved, compressed ones, JSON, and the formats of TREC."""
