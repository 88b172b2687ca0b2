"""The application that `streamlit run` serves: the pages, behind what every answer passes."""

from pathlib import Path

from starlette.middleware import Middleware
from streamlit.starlette import App

from dashboard.first_paint import FirstPaint

app = App(Path(__file__).with_name("app.py"), middleware=[Middleware(FirstPaint)])
