"""`python -m dashboard` runs the command `ranklens`."""

import sys

from dashboard.start import main

if __name__ == "__main__":
    sys.exit(main())
