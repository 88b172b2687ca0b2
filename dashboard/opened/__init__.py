"""What is open: collections on disk, what each file holds, and runs judged once. No Streamlit."""

from dashboard.opened import texts as texts
