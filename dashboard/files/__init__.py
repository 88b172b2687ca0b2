"""Turn files of a folder, of the workspace or of an upload into tables. No Streamlit."""
