"""What the pages are made of: words, widgets, charts and the session. Only this room and the pages know Streamlit."""
