"""Tables judged once, and what every page asks of them. No Streamlit."""

import pandas as pd

# Columns of text hold Python's own strings. The tables of a page are small, and most of their texts
# are strings already: turned into Arrow's, and back for each that is read, they cost a tenth of
# every page.
pd.set_option("mode.string_storage", "python")
