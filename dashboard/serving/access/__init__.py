"""Who gets in: everything that reaches the server passes here first.

token.py      the key of a workspace, kept in its folder, and what follows from it
origin.py     whether a request comes from our own page, by Host, Origin and Sec-Fetch
headers.py    what every answer tells the browser: no frames, no other hosts, no referrer
door.py       the ASGI application around the dashboard that puts these to use
connection_limits.py   connections before the door: few at once, none for long
repeated_messages.py   what strangers make the server say is said once, then counted
settings.py   Streamlit's options, whatever folder and environment say
"""
