"""The suite that asv runs, for the history of the package; its data also serves the scripts."""
