"""Public portal: pages, feeds and comparisons over what is published, from a server or as static files."""
