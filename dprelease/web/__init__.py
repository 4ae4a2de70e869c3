"""Plain HTTP beside the dashboard: signing in, downloads, headers, and starting the server."""
