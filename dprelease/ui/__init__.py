"""Words, widgets, charts and the session of the pages. Only this room and the pages know Streamlit."""
