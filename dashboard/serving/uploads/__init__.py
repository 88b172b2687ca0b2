"""Incoming uploads: long files are streamed to the disk, with at most one block in memory.

    browser ──► access ──► streaming.py ──► Streamlit's route ──► the page
                              │  the file: workspace/disk/scratch.py    │
                              └─ a note that represents it ─────────────┘ files/long_uploads.py

multipart.py    extracts the single file from a request body as it arrives
streaming.py    ASGI middleware that writes the file to disk and passes on a note in its place
files/long_uploads.py    finds the file that a note represents, only in the visit of its upload"""
