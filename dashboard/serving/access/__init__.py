"""Access control: every request to the server passes through here first.

token.py              the key of a workspace, kept in its folder, and the keys derived from it
origin.py             whether a request comes from one of our pages, by Host, Origin and Sec-Fetch
headers.py            security headers of every response: no frames, no other hosts, no referrer
access_control.py     the ASGI application around the dashboard that uses these modules
connection_limits.py  limits on waiting connections: their number and duration
repeated_messages.py  log messages that strangers can cause are written once, then counted
settings.py           Streamlit's options, regardless of folders and environment
"""
