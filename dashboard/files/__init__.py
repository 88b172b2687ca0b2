"""What was given, to tables: files of a folder, of the workspace, of an upload. No Streamlit."""
