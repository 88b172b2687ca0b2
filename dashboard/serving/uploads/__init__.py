"""Uploaded files on their way in: long ones stream to the disk, no more than a block in memory.

    browser ──► door ──► streaming.py ──► Streamlit's own route ──► the page
                            │  the file: workspace/scratch.py         │
                            └─ a note, which stands for it ───────────┘ visits.py

multipart.py    the one file in the body of a request, taken out as the body comes
streaming.py    the ASGI middleware that writes it to the disk and hands on a note in its place
visits.py       which file a note stands for, for the visit it came from and no other
"""
