"""Other people's interfaces over our measures."""
