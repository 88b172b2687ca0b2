"""Reading of files into tables: files of a folder, of the workspace, or of an upload. No module
here imports Streamlit."""
