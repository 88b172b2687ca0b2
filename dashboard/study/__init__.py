"""Tables that are joined with judgments once, and the data that all pages request from them. No
module here imports Streamlit."""

import pandas as pd

# Text columns hold Python strings. The tables of a page are small, and most of their texts are
# strings already; converting them to Arrow strings and back would take a tenth of every page.
pd.set_option("mode.string_storage", "python")
