"""Reports: terminal summaries, trees, tables and the HTML page."""
